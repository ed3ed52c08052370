/**
 * `npm run bench:backtest [-- --rows 1000000] [--rules 30,300]`: a Parquet file of generated applicants, counted as
 * `verdict backtest` counts them -> how long somebody waits, the time of the processor and the peak memory, as
 * Markdown. Each number of rules runs in a process of its own.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parseArgs } from 'node:util';
import { addApplicants } from '../../src/cli/commands/lab/add-applicants.ts';
import type { Io } from '../../src/cli/io.ts';
import { BacktestTally } from '../../src/lab/backtest/backtest.ts';
import { joinFacts } from '../../src/lab/backtest/joint-facts.ts';
import { DAY, generatePolicy, readGenerated } from './generate.ts';
import { headOf, rounded, table } from './report.ts';
import { writeTable } from './table.ts';

const [MISSING, SEED] = [0.05, 1];

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rules: { type: 'string', default: '30,300' },
    // One measurement in its own process, which gives it its own memory peak.
    measure: { type: 'boolean', default: false },
    file: { type: 'string', default: '' },
  },
});

/** How long somebody waits at most for 1,000,000 rows, by the number of rules, on one core. */
const MOST_SECONDS: Readonly<Record<number, number>> = { 30: 8, 300: 15 };

interface Measured {
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakBytes: number;
}

async function measure(rules: number, file: string): Promise<Measured> {
  const policy = readGenerated(generatePolicy(rules, SEED));
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const joint = joinFacts(policy, policy);
  const tally = new BacktestTally([policy, policy], joint, { by: [], worst: 0, compares: false });
  const io: Io = {
    ...{ stdin: process.stdin, stdout: process.stdout, env: {}, stderr: new PassThrough().resume() },
    interruptible: (work) => work(new AbortController().signal),
    finish: () => {},
  };
  await addApplicants(tally, joint, { files: [file], at: DAY }, io);
  tally.result();
  const { user, system } = process.cpuUsage(cpu);
  // libuv reports the peak of the process in KiB.
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  return { ms: performance.now() - began, cpuMs: (user + system) / 1000, peakBytes };
}

function measureApart(rules: number, file: string): Measured {
  const args = [import.meta.filename, '--measure', '--rules', String(rules), '--file', file];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
}

async function measureAll(rows: number, sizes: readonly number[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-backtest-'));
  try {
    const file = join(folder, 'applicants.parquet');
    await writeTable(file, rows, MISSING, SEED);
    const lines = sizes.map((rules) => {
      const { ms, cpuMs, peakBytes } = measureApart(rules, file);
      const most = MOST_SECONDS[rules];
      return [
        ...[`${rules} rules`, `${rounded(ms / 1000)} s`, `${rounded(cpuMs / 1000)} s`, rounded((rows * 1000) / ms)],
        ...[`${rounded(peakBytes / 2 ** 20)} MiB`, most === undefined ? '' : `${(most * rows) / 1_000_000} s`],
      ];
    });
    const columns = ['', 'takes', 'of the processor', 'rows/s', 'peak memory', 'at most'];
    return `${headOf([])}\n${rows} rows\n\n${table(columns, lines)}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const sizes = options.rules.split(',').map(Number);
if (options.measure) process.stdout.write(JSON.stringify(await measure(sizes[0] ?? 0, options.file)));
else process.stdout.write(`${await measureAll(Number(options.rows), sizes)}\n`);
