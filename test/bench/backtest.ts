/**
 * `npm run bench:backtest [-- --rows 1000000] [--rules 30,300]`: a Parquet file of generated applicants, counted as
 * `verdict backtest` counts them, beside DuckDB's hash of every value that the policy reads -> rows per second, the
 * ratio and the peak memory, as Markdown. Each runs in a process of its own.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseArgs } from 'node:util';
import { countInThreads } from '../../src/cli/commands/lab/backtest/in-threads.ts';
import { openDuckDb } from '../../src/decision/sql/duckdb/duckdb.ts';
import { columnOf } from '../../src/decision/sql/table-columns.ts';
import { BacktestTally } from '../../src/lab/backtest/backtest.ts';
import { joinFacts } from '../../src/lab/impact/impact.ts';
import { factsOf, type Policy } from '../../src/policy/language.ts';
import { DAY, generatePolicy, readGenerated } from './generate.ts';
import { headOf, rounded, table } from './report.ts';
import { writeTable } from './table.ts';

const [MISSING, SEED] = [0.05, 1];

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rules: { type: 'string', default: '30,300' },
    // One measurement in its own process, which gives it its own memory peak.
    measure: { type: 'string' },
    file: { type: 'string', default: '' },
  },
});

const runsOn = <Result>(work: (signal: AbortSignal) => Promise<Result>) => work(new AbortController().signal);

interface Measured {
  readonly ms: number;
  readonly peakBytes: number;
}

const MEASURES: Readonly<Record<string, (policy: Policy, file: string) => Promise<void>>> = {
  'a hash of every value': async (policy, file) => {
    const paths = new Set<string>();
    for (const { when } of policy.rules) factsOf(when, paths);
    const { connection, close } = await openDuckDb();
    await connection.runAndReadAll(`SELECT bit_xor(hash(${[...paths].map(columnOf).join(', ')})) FROM '${file}'`);
    close();
  },
  backtest: async (policy, file) => {
    const joint = joinFacts(policy, policy);
    const counted = { by: [], worst: 0, compares: false };
    const policies = [policy, policy] as const;
    const tally = new BacktestTally(policies, joint, counted);
    const given = { policies, joint, tally, counted, at: DAY, join: undefined, labels: undefined };
    await countInThreads([file], given, {
      stdin: process.stdin,
      stdout: process.stdout,
      env: {},
      stderr: new PassThrough().resume(),
      interruptible: runsOn,
    });
    tally.result();
  },
};

async function measure(name: string, rules: number, file: string): Promise<Measured> {
  const policy = readGenerated(generatePolicy(rules, SEED));
  const began = performance.now();
  await MEASURES[name]?.(policy, file);
  // libuv reports the peak of the process in KiB.
  return { ms: performance.now() - began, peakBytes: process.resourceUsage().maxRSS * 1024 };
}

function measureApart(name: string, rules: number, file: string): Measured {
  const args = [import.meta.filename, '--measure', name, '--rules', String(rules), '--file', file];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
}

async function measureAll(rows: number, sizes: readonly number[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-backtest-'));
  try {
    const file = join(folder, 'applicants.parquet');
    await writeTable(file, rows, MISSING, SEED);
    const lines = sizes.flatMap((rules) => {
      const measured = Object.keys(MEASURES).map((name) => [name, measureApart(name, rules, file)] as const);
      const plain = measured[0]?.[1].ms ?? Number.NaN;
      return measured.map(([name, { ms, peakBytes }]) => [
        ...[`${rules} rules, ${name}`, rounded((rows * 1000) / ms), rounded(ms / plain)],
        `${rounded(peakBytes / 2 ** 20)} MiB`,
      ]);
    });
    return `${headOf([])}\n${rows} rows\n\n${table(['', 'rows/s', '× the hash', 'peak memory'], lines)}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const sizes = options.rules.split(',').map(Number);
if (options.measure === undefined) process.stdout.write(`${await measureAll(Number(options.rows), sizes)}\n`);
else process.stdout.write(JSON.stringify(await measure(options.measure, sizes[0] ?? 0, options.file)));
