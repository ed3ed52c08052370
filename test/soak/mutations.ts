/**
 * `node test/soak/mutations.ts [--cases 1000000 --seed 1]`: mutated answers, dates in six time zones -> a table of
 * the injected changes and the cases that held.
 */

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { addUp, type Tally, tryMutations } from '../support/facts/mutations.ts';
import { DATES, factsInZones, ZONES } from '../support/facts/zones.ts';
import { formatTable } from '../support/table.ts';

/** The cases of one worker. */
interface Part {
  readonly seed: number;
  readonly from: number;
  readonly cases: number;
}

/** Small enough that the workers end at about the same time and that the progress is visible. */
const PART = 5000;

/**
 * Decides on every fourth case: a million cases make a quarter of a million decisions, minus those that the
 * unmutated answer already accepts.
 */
const DECIDE_EVERY = 4;

if (isMainThread) await main();
else await work(workerData as Part);

async function work({ seed, from, cases }: Part): Promise<void> {
  for (let done = 0; done < cases; done += PART) {
    parentPort?.postMessage(await tryMutations(seed, from + done, Math.min(PART, cases - done), DECIDE_EVERY));
  }
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: { cases: { type: 'string', default: '1000000' }, seed: { type: 'string' } },
  });
  const cases = Number(options.cases);
  const seed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);
  if (!Number.isSafeInteger(cases) || cases < 1 || !Number.isSafeInteger(seed)) {
    throw new Error('--cases must be a positive whole number, and --seed an integer');
  }
  print(`seed ${seed}, ${new Date().toISOString().slice(0, 10)}\n`);
  const started = performance.now();
  const { injected, read, taken, slowestMs } = await tryOnAllCores(seed, cases, started);
  const kinds = Object.entries(injected).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const zones = factsInZones(DATES);
  const isSame = new Set(zones.map(({ digest }) => digest)).size === 1;
  const rows = [
    [
      'mutated answers',
      String(read.cases),
      String(read.held),
      'nothing thrown; each fact a value or missing with a cause',
    ],
    ['fields deleted, nulled or mistyped', String(taken.cases), String(taken.held), 'no decision changes to accept'],
    [`dates in ${ZONES.length} time zones`, String(DATES), String(isSame ? DATES : 0), 'the same facts everywhere'],
  ];
  print(formatTable([['injected', 'cases', 'held', 'promise'], ...rows]));
  print(`\nmutations: ${kinds.map(([name, count]) => `${name} ${count}`).join(', ')}\n`);
  print(`the slowest answer took ${Math.round(slowestMs)} ms\n`);
  if (read.held < read.cases || taken.held < taken.cases || !isSame) process.exitCode = 1;
}

/** Starts one worker per core, each with its share of the cases. */
async function tryOnAllCores(seed: number, cases: number, started: number): Promise<Tally> {
  const share = Math.ceil(cases / availableParallelism());
  const tallies: Tally[] = [];
  const tell = (tally: Tally) => {
    tallies.push(tally);
    const done = tallies.reduce((sum, { read }) => sum + read.cases, 0);
    for (const finding of tally.findings) process.stderr.write(`${finding}\n`);
    if (tallies.length % 20 !== 0) return;
    const seconds = Math.round((performance.now() - started) / 1000);
    const broken = tallies.reduce((sum, { findings }) => sum + findings.length, 0);
    process.stderr.write(`${done} of ${cases} in ${seconds} s, ${broken} broken\n`);
  };
  const parts: Part[] = [];
  for (let from = 0; from < cases; from += share) parts.push({ seed, from, cases: Math.min(share, cases - from) });
  await Promise.all(parts.map((part) => runPart(part, tell)));
  return addUp(tallies);
}

function runPart(part: Part, tell: (tally: Tally) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: part });
    worker.on('message', tell);
    worker.on('error', reject);
    worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker exited with ${code}`))));
  });
}

function print(text: string): void {
  process.stdout.write(text);
}
