/** `npm run test:soak [-- --cases 100000 --seed 1 --jobs 2]`: whether all runners agree, and what the language promises, on random cases -> what held, with the seed. */

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

/** Applicants a policy where runners are compared: to make and to read one takes as long as deciding a hundred. */
const APPLICANTS = 200;
/** The same for promises, which decide on each applicant twice or more. */
const FEW_APPLICANTS = 20;
/** Agreement gets all cases; a promise this part of them, and no more than so many. */
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
  throw new Error('--cases and --jobs are counts, and --seed an integer');
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

/** Compares all runners on all cores, and tells how fast each of them was on one. */
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
  print(formatTable([['runner', 'decisions a second of one core'], ...rates]));
  print(`${decided} decisions by each of ${rates.length} runners in ${seconds()} s, ${jobs} at a time\n\n`);
  if (!finding) return;
  process.exitCode = 1;
  print(
    `${finding.runner} differs, in a sample with the seed ${finding.seed}: it says ${finding.found}\n${finding.text}\n`,
  );
}

async function tryPromise(name: string): Promise<void> {
  const { injected, property } = PROMISES[name] as (typeof PROMISES)[string];
  const numRuns = Math.ceil(Math.min(cases / PART, MOST) / FEW_APPLICANTS);
  let held = 0;
  const started = performance.now();
  const tried = property(FEW_APPLICANTS, folder, () => held++);
  const run = await fc.check(tried, { numRuns, seed });
  // Shrinking a finding decides on further cases, some of which hold: those before it count.
  if (run.failed) held = (run.numRuns - 1) * FEW_APPLICANTS;
  rows.push([name, injected, String(run.numRuns * FEW_APPLICANTS), String(held)]);
  process.stderr.write(`${name}: ${Math.round((performance.now() - started) / 1000)} s\n`);
  if (!run.failed) return;
  process.exitCode = 1;
  print(`${name} is broken: seed ${seed}, path ${run.counterexamplePath}\n${run.errorInstance}\n`);
  for (const { given } of (run.counterexample ?? []) as { readonly given: Case }[]) printCase(given);
}

/** The shrunk case, as one to be kept, with what the reference says. */
function printCase({ policy, applicants: [facts = {}], day }: Case): void {
  const finding = { ...caseOf('(what it shows)', policy, facts, day), expected: referenceVerdict(policy, facts, day) };
  print(`${formatJson(finding)}\n`);
}

function print(text: string): void {
  process.stdout.write(text);
}
