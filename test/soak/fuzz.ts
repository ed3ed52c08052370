/**
 * `node test/soak/fuzz.ts [--cases 20000 --seed 1 --only policies]`: hostile policies, lists, mappings, lines and
 * responses, in processes with limits of time and memory -> a table; cases that break a promise or a limit are kept in
 * a folder. `--case 17 --only policies --seed 1` tries one case again.
 */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { caseOf } from '../support/fuzz/case.ts';
import { TARGETS } from '../support/fuzz/targets.ts';
import { type Finding, type Watched, watchCases } from '../support/fuzz/watch.ts';
import { formatTable } from '../support/table.ts';

/** A case of a few KB takes milliseconds; other processes may use the machine too. */
const LIMITS = { caseMs: 10_000, heapMb: 512 };

/** Cases of one process: few enough that what one case leaves behind does not add up. */
const BATCH = 500;

/** Cases that wait for deadlines or read large files take longer: their share of `--cases`. */
const SHARES: Readonly<Record<string, number>> = {
  policies: 0.2,
  lists: 0.5,
  rows: 0.5,
  mappings: 0.5,
  http: 0.1,
};

const { values: options } = parseArgs({
  options: {
    cases: { type: 'string', default: '20000' },
    seed: { type: 'string' },
    only: { type: 'string' },
    case: { type: 'string' },
  },
});
const cases = Number(options.cases);
const seed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);
const single = options.case === undefined ? undefined : Number(options.case);
if (!Number.isSafeInteger(cases) || cases < 1 || !Number.isSafeInteger(seed)) {
  throw new Error('--cases must be a positive whole number, and --seed an integer');
}
const names = Object.keys(TARGETS).filter((name) => options.only === undefined || name === options.only);

const folder = mkdtempSync(join(tmpdir(), 'verdict-fuzz-'));
const rows: string[][] = [['read', 'cases', 'held', 'most memory']];
process.stdout.write(`seed ${seed}\n`);
for (const name of names) {
  const count = Math.ceil(cases * (SHARES[name] ?? 1));
  const watched = await (single === undefined
    ? tryAll(name, count)
    : watchCases({ name, seed, from: single, cases: 1 }, LIMITS));
  for (const finding of watched.findings) await report(name, finding);
  const tried = single === undefined ? count : 1;
  const memory = `${Math.round(watched.mostBytes / 1024 / 1024)} MB`;
  rows.push([name, String(tried), String(tried - watched.findings.length), memory]);
  if (watched.findings.length > 0) process.exitCode = 1;
}
process.stdout.write(formatTable(rows));

/** As many processes at a time as there are cores. */
async function tryAll(name: string, count: number): Promise<Watched> {
  const all: Watched[] = [];
  let next = 0;
  const work = async () => {
    for (let from = next; from < count; from = next) {
      next += BATCH;
      all.push(await watchCases({ name, seed, from, cases: Math.min(BATCH, count - from) }, LIMITS));
      process.stderr.write(`${name}: ${Math.min(next, count)} of ${count}\n`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const mostBytes = Math.max(...all.map((watched) => watched.mostBytes));
  return { findings: all.flatMap(({ findings }) => findings), mostBytes };
}

/** Keeps the bytes of a case, and says how to try it again. */
async function report(name: string, { number, problem }: Finding): Promise<void> {
  const target = await TARGETS[name]?.();
  if (!target) return;
  const { how, bytes } = caseOf(target, seed, number);
  target.close();
  const file = join(folder, `${name}-${seed}-${number}`);
  writeFileSync(file, bytes);
  process.stdout.write(
    `${name}, case ${number} (${how}): ${problem}\n  ${file}\n  --only ${name} --seed ${seed} --case ${number}\n`,
  );
}
