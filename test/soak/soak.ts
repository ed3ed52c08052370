/** `npm run test:soak [-- --cases 100000 --seed 1]`: what the language promises, on many random cases -> a table of what held, with the seed. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { canonicalJson } from '../../src/digest.ts';
import type { Case } from '../support/arbitrary.ts';
import { decideLive, loadPlainPolicy, readPlainFacts } from '../support/case.ts';
import { caseOf, formatJson } from '../support/case-file.ts';
import { PROMISES } from '../support/promises.ts';
import { referenceVerdict } from '../support/reference.ts';
import { formatTable } from '../support/table.ts';

/** Applicants a policy: reading one takes as long as deciding several. */
const APPLICANTS = 20;
/** Agreement gets all cases; every other promise, which decides on each twice or more, this part of them. */
const PART = 5;
const AGREEMENTS = 2;

const { values: options } = parseArgs({
  options: { cases: { type: 'string', default: '100000' }, seed: { type: 'string' } },
});
const cases = Number(options.cases);
const seed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);
if (!Number.isSafeInteger(cases) || cases < 1 || !Number.isSafeInteger(seed)) {
  throw new Error('--cases is a count, and --seed an integer');
}

const folder = mkdtempSync(join(tmpdir(), 'verdict-soak-'));
const rows: { name: string; injected: string; cases: number; held: number }[] = [];
print(`seed ${seed}\n`);
try {
  for (const [i, [name, { injected, property }]] of Object.entries(PROMISES).entries()) {
    const numRuns = Math.ceil(cases / APPLICANTS / (i < AGREEMENTS ? 1 : PART));
    let held = 0;
    const started = performance.now();
    const run = await fc.check(
      property(APPLICANTS, folder, () => held++),
      { numRuns, seed },
    );
    // Shrinking a finding decides on further cases, some of which hold: those before it count.
    if (run.failed) held = (run.numRuns - 1) * APPLICANTS;
    rows.push({ name, injected, cases: run.numRuns * APPLICANTS, held });
    process.stderr.write(`${name}: ${Math.round((performance.now() - started) / 1000)} s\n`);
    if (run.failed) {
      process.exitCode = 1;
      print(`${name} is broken: seed ${seed}, path ${run.counterexamplePath}\n${run.errorInstance}\n`);
      await printFinding(run.counterexample?.[0] as { readonly given: Case });
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
print(formatTable([['promise', 'injected', 'cases', 'held'], ...rows.map((row) => Object.values(row).map(String))]));

/** The shrunk case, as one to be kept: with the first applicant on whom the runner and the reference differ, if they do. */
async function printFinding({ given: { policy: plain, applicants, day } }: { readonly given: Case }): Promise<void> {
  const policy = loadPlainPolicy(plain, folder);
  let found = applicants[0] ?? {};
  for (const applicant of applicants) {
    const verdict = await decideLive(policy, readPlainFacts(applicant, policy, day), day);
    if (canonicalJson(verdict) === canonicalJson(referenceVerdict(plain, applicant, day))) continue;
    found = applicant;
    break;
  }
  const finding = { ...caseOf('(what it shows)', plain, found, day), expected: referenceVerdict(plain, found, day) };
  print(`${formatJson(finding)}\n`);
}

function print(text: string): void {
  process.stdout.write(text);
}
