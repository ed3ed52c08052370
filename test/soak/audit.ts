/**
 * `node test/soak/audit.ts [--states 20000] [--kills 1000] [--seed 1] [--only kill]`: many crashes, kills and
 * failing calls of the audit log -> a table of the injected faults and the cases that held.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lookForCanaries } from '../support/audit/canaries.ts';
import { tryCrashes, tryEachCall } from '../support/audit/crash.ts';
import { BUGS } from '../support/audit/planted-bugs.ts';
import { killAtRandom, newLog, settle } from '../support/audit/runs.ts';
import { hasStrace, INJECTIONS, injectAll } from '../support/audit/strace.ts';

/** The number of kills on one log; then a new log starts. */
const KILLS_A_LOG = 50;
/** The number of crash states per seed. */
const STATES_A_SEED = 1000;
/** A planted bug counts as missed if it does not show within this number of states. */
const BUG_STATES = 20_000;

/** Each decision has its own applicant with a unique phone number, email and IP address. */
const CANARY_DECISIONS = 10_000;

/** The result of a row: the number of cases, and a sentence for each broken promise. */
interface Outcome {
  readonly cases: number;
  readonly broken: readonly string[];
  /** Further counts for the table. */
  readonly about: string;
}

/** One row of the table. */
interface Row {
  readonly injected: string;
  run(): Promise<Outcome>;
}

const { values: options } = parseArgs({
  options: {
    states: { type: 'string', default: '20000' },
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const [states, kills] = [Number(options.states), Number(options.kills)];
const seed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);
if (![states, kills, seed].every(Number.isSafeInteger) || states < 1 || kills < 1) {
  throw new Error('--states and --kills must be positive whole numbers, and --seed an integer');
}

const ROWS: readonly Row[] = [
  { injected: 'the machine ends after any call, also during recovery (states)', run: crash },
  { injected: 'each call fails, or is the last, then the machine ends', run: failEachCall },
  { injected: 'planted bugs (caught)', run: plantBugs },
  { injected: 'kill -9 at random moments, then on with the same log', run: kill },
  { injected: 'single failing system calls (strace)', run: failSystemCalls },
  { injected: 'decisions with canary values: none in a file of the log, an error or a message', run: seekCanaries },
];

process.stderr.write(`seed ${seed}\n`);
const lines: string[] = [];
for (const row of ROWS.filter(({ injected }) => injected.includes(options.only))) {
  const started = performance.now();
  const { cases, broken, about } = await row.run();
  lines.push(`| ${row.injected} | ${format(cases)} | ${format(cases - Math.min(cases, broken.length))} | ${about} |`);
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stderr.write(
    `${row.injected}: ${seconds} s\n${broken
      .slice(0, 20)
      .map((text) => `  ${text}\n`)
      .join('')}`,
  );
  if (broken.length > 0) process.exitCode = 1;
}
process.stdout.write(
  `Run on ${new Date().toISOString().slice(0, 10)} with \`--states ${states} --kills ${kills} --seed ${seed}\`:\n\n`,
);
process.stdout.write(`| injected | cases | held | with |\n| --- | ---: | ---: | --- |\n${lines.join('\n')}\n`);

async function crash(): Promise<Outcome> {
  const totals = { cases: 0, crashes: 0, records: 0, torn: 0 };
  const broken: string[] = [];
  for (let from = seed; totals.cases < states; from += STATES_A_SEED) {
    const tried = await tryCrashes({ seed: from, states: Math.min(STATES_A_SEED, states - totals.cases) });
    totals.cases += tried.states;
    totals.crashes += tried.crashes;
    totals.records += tried.records;
    totals.torn += tried.torn;
    broken.push(...tried.broken);
    process.stderr.write(`${totals.cases} states\n`);
  }
  const { cases, crashes, records, torn } = totals;
  const about = [
    `${format(crashes)} crashes`,
    `${format(records)} records checked`,
    `${format(torn)} torn tails set aside`,
  ].join(', ');
  return { cases, broken, about };
}

async function failEachCall(): Promise<Outcome> {
  const { broken, failedCalls, killed } = await tryEachCall();
  return { cases: failedCalls + killed, broken, about: `${killed} calls` };
}

async function plantBugs(): Promise<Outcome> {
  const broken: string[] = [];
  const needed: number[] = [];
  for (const { name, wrap } of BUGS) {
    const caught = await tryCrashes({ seed, states: BUG_STATES, wrap, isFirstEnough: true });
    needed.push(caught.states);
    if (caught.broken.length === 0) broken.push(`not caught: ${name}`);
  }
  return { cases: BUGS.length, broken, about: `after ${needed.map(format).join(', ')} states` };
}

async function kill(): Promise<Outcome> {
  const broken: string[] = [];
  let records = 0;
  for (let done = 0; done < kills; done += KILLS_A_LOG) {
    await inFolder(async (folder) => {
      const tried = newLog(folder);
      await killAtRandom(tried, seed + done, Math.min(KILLS_A_LOG, kills - done));
      broken.push(...(await settle(tried)).map((text) => `seed ${seed + done}: ${text}`));
      records += tried.acknowledged.size;
    });
    process.stderr.write(`${Math.min(kills, done + KILLS_A_LOG)} kills\n`);
  }
  return { cases: kills, broken, about: `${format(records)} acknowledged records` };
}

async function failSystemCalls(): Promise<Outcome> {
  if (!hasStrace()) {
    process.stderr.write('strace is not installed or has no permission to trace: skipped\n');
    return { cases: 0, broken: [], about: 'skipped: no strace' };
  }
  const broken: string[] = [];
  let cases = 0;
  for (const injection of INJECTIONS) {
    await inFolder(async (folder) => {
      const tried = await injectAll(folder, injection);
      cases += tried.injected;
      if (tried.injected === 0) broken.push(`${injection.call} ${injection.fate}: the process made no such call`);
      broken.push(...tried.broken);
    });
  }
  return { cases, broken, about: `${new Set(INJECTIONS.map(({ call }) => call)).size} kinds of calls` };
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-audit-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function format(count: number): string {
  return count.toLocaleString('en');
}

async function seekCanaries(): Promise<Outcome> {
  const root = mkdtempSync(join(tmpdir(), 'verdict-canaries-'));
  try {
    const { found, values, errors } = await lookForCanaries({ root, decisions: CANARY_DECISIONS });
    return { cases: CANARY_DECISIONS, broken: found, about: `${format(values)} values, ${format(errors)} errors` };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
