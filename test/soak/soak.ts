/**
 * `npm run test:soak [-- --cases 100000 --seed 1 --jobs 2]`: random cases -> whether all runners agree and the
 * promises of the policy language hold, with the seed.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { seekOnCores } from '../support/runners/agreement-on-cores.ts';
import type { Case } from '../support/runners/arbitrary.ts';
import { caseOf, formatJson } from '../support/runners/case-file.ts';
import { PROMISES } from '../support/runners/promises.ts';
import { referenceVerdict } from '../support/runners/reference.ts';
import { formatTable } from '../support/table.ts';

/**
 * Applicants per policy when runners are compared: generating and reading a policy takes as long as a hundred
 * decisions.
 */
const APPLICANTS = 200;
/** The same for promises, which decide on each applicant at least twice. */
const FEW_APPLICANTS = 20;
/** The comparison of runners gets all cases; each promise gets a fifth of them, and at most 50,000. */
const PART = 5;
const MOST = 50_000;

const { values: options } = parseArgs({
  options: { cases: { type: 'string', default: '100000' }, seed: { type: 'string' }, jobs: { type: 'string' } },
});
const cases = Number(options.cases);
const seed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);
const jobs = options.jobs === undefined ? availableParallelism() : Number(options.jobs);
const isCount = (number: number) => Number.isSafeInteger(number) && number > 0;
if (!isCount(cases) || !isCount(jobs) || !Number.isSafeInteger(seed)) {
  throw new Error('--cases and --jobs must be positive whole numbers, and --seed an integer');
}

const rows: string[][] = [['promise', 'injected', 'cases', 'held']];
print(`seed ${seed}, ${new Date().toISOString().slice(0, 10)}\n`);
await tryAgreement();
const folder = mkdtempSync(join(tmpdir(), 'verdict-soak-'));
try {
  for (const name of Object.keys(PROMISES)) await tryPromise(name);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
print(formatTable(rows));

/** Compares all runners on all cores and prints the speed of each per core. */
async function tryAgreement(): Promise<void> {
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const sample = { seed, policies: Math.ceil(cases / APPLICANTS), applicants: APPLICANTS };
  const { policies, finding, ms } = await seekOnCores(sample, jobs, (tried) =>
    process.stderr.write(`${tried * APPLICANTS} of ${cases} in ${seconds()} s\n`),
  );
  const decided = policies * APPLICANTS;
  rows.push(['all_runners_agree', 'nothing', String(decided), String(decided - (finding ? APPLICANTS : 0))]);
  const rates = Object.entries(ms).map(([runner, taken]) => [runner, String(Math.round((decided / taken) * 1000))]);
  print(formatTable([['runner', 'decisions per second and core'], ...rates]));
  print(`${decided} decisions by each of ${rates.length} runners in ${seconds()} s, ${jobs} at a time\n\n`);
  if (!finding) return;
  process.exitCode = 1;
  const { runner, seed: sampleSeed, found, text } = finding;
  print(`${runner} differs, in a sample with the seed ${sampleSeed}: it returns ${found}\n${text}\n`);
}

async function tryPromise(name: string): Promise<void> {
  const { injected, property } = PROMISES[name] as (typeof PROMISES)[string];
  const numRuns = Math.ceil(Math.min(cases / PART, MOST) / FEW_APPLICANTS);
  let held = 0;
  const started = performance.now();
  const tried = property(FEW_APPLICANTS, folder, () => held++);
  const run = await fc.check(tried, { numRuns, seed });
  // Shrinking a finding runs further cases, some of which hold; only those before it count.
  if (run.failed) held = (run.numRuns - 1) * FEW_APPLICANTS;
  rows.push([name, injected, String(run.numRuns * FEW_APPLICANTS), String(held)]);
  process.stderr.write(`${name}: ${Math.round((performance.now() - started) / 1000)} s\n`);
  if (!run.failed) return;
  process.exitCode = 1;
  print(`${name} is broken: seed ${seed}, path ${run.counterexamplePath}\n${run.errorInstance}\n`);
  for (const { given } of (run.counterexample ?? []) as { readonly given: Case }[]) printCase(given);
}

/** Prints the shrunk case in the form of a case file, with the verdict of the reference. */
function printCase({ policy, applicants: [facts = {}], day }: Case): void {
  const finding = {
    ...caseOf('(describe the case)', policy, facts, day),
    expected: referenceVerdict(policy, facts, day),
  };
  print(`${formatJson(finding)}\n`);
}

function print(text: string): void {
  process.stdout.write(text);
}
