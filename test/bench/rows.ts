/**
 * `npm run bench:rows [-- --rows 10000000] [--rules 30,300]`: a Parquet file of generated applicants, decided by
 * SQL on DuckDB and by `matcher.batch`, compared with an aggregate of the same columns -> rows per second and peak
 * memory, as Markdown. A run with all defaults writes them into docs/performance.md.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { compile } from '../../src/decision/matcher/matcher.ts';
import { toSql } from '../../src/decision/sql/sql.ts';
import { columnOf } from '../../src/decision/sql/table-columns.ts';
import { factsOf, OUTCOMES, type Policy } from '../../src/policy/language.ts';
import { readChunks } from './chunks.ts';
import { DAY, generatePolicy, readGenerated } from './generate.ts';
import { BENCH_FACTS } from './population.ts';
import { headOf, PAGE, pageWith, rounded, table } from './report.ts';
import { writeTable } from './table.ts';

const ROWS = 10_000_000;
const SIZES = '30,300';
const MISSING = 0.05;
const SEED = 1;

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: String(ROWS) },
    rules: { type: 'string', default: SIZES },
    // One measurement in its own process, which gives it its own memory peak.
    measure: { type: 'string' },
    file: { type: 'string', default: '' },
  },
});

/** Counts by outcome; empty if the measurement makes no decisions. */
type Answer = Readonly<Record<string, number>>;

interface Measured {
  readonly ms: number;
  readonly peakBytes: number;
  readonly answer: Answer;
}

type Connection = Awaited<ReturnType<DuckDBInstance['connect']>>;
type Measure = (connection: Connection, policy: Policy, paths: readonly string[]) => Promise<Answer>;

/** The measurements by name. */
const MEASURES: Readonly<Record<string, Measure>> = {
  'a plain aggregate of the same columns': async (connection, _, paths) => {
    const parts = paths.map(columnOf).flatMap((column) => [`count(${column})`, `max(${column})`]);
    await connection.runAndReadAll(`SELECT ${parts.join(', ')} FROM applicants`);
    return {};
  },
  'SQL, with rules and score': (connection, policy) =>
    countOutcomes(
      connection,
      `SELECT outcome, count(*), sum(len(fired)), sum(len(undetermined)), sum(score_least), sum(score_most)
       FROM (${sqlOf(policy)}) GROUP BY outcome`,
    ),
  'matcher.batch': async (connection, policy, paths) => {
    const matcher = compile(policy);
    const counts = OUTCOMES.map(() => 0);
    for await (const columns of readChunks(connection, 'applicants', paths)) {
      for (const outcome of matcher.batch(columns, DAY).outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    return Object.fromEntries(OUTCOMES.map((outcome, i) => [outcome, counts[i] ?? 0]).filter(([, count]) => count));
  },
};

function sqlOf(policy: Policy): string {
  // The file has no columns that mark dates as `never`.
  const dates = BENCH_FACTS.filter(({ kind }) => kind === 'date').map(({ path }) => path);
  const columns = Object.fromEntries(dates.map((path) => [path, { column: columnOf(path), never: null }]));
  const { sql, refusals } = toSql(policy, { dialect: 'duckdb', table: 'applicants', at: DAY, columns });
  if (sql === undefined) throw new Error(refusals.map(({ message }) => message).join('\n'));
  return sql;
}

async function countOutcomes(connection: Connection, sql: string): Promise<Answer> {
  const found = await connection.runAndReadAll(sql);
  return Object.fromEntries(found.getRows().map(([outcome, count]) => [String(outcome), Number(count)]));
}

/** Makes one measurement in this process. */
async function measure(name: string, rules: number, file: string): Promise<Measured> {
  const policy = readGenerated(generatePolicy(rules, SEED));
  const paths = new Set<string>();
  for (const { when } of policy.rules) factsOf(when, paths);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`CREATE VIEW applicants AS FROM '${file}'`);
  const began = performance.now();
  const answer = (await MEASURES[name]?.(connection, policy, [...paths])) ?? {};
  const ms = performance.now() - began;
  // libuv reports the peak of the process in KiB.
  return { ms, peakBytes: process.resourceUsage().maxRSS * 1024, answer };
}

/** Makes one measurement in its own process. */
function measureApart(name: string, rules: number, file: string): Measured {
  const args = [import.meta.filename, '--measure', name, '--rules', String(rules), '--file', file];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
}

async function measureAll(rows: number, sizes: readonly number[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-rows-'));
  try {
    const file = join(folder, 'applicants.parquet');
    process.stderr.write(`${rows} rows: writing the file\n`);
    await writeTable(file, rows, MISSING, SEED);
    const sections = sizes.map((rules) => {
      const measured = Object.keys(MEASURES).map((name) => {
        process.stderr.write(`${rules} rules: ${name}\n`);
        return [name, measureApart(name, rules, file)] as const;
      });
      const answers = new Set(measured.map(([, { answer }]) => sorted(answer)).filter((answer) => answer !== '{}'));
      if (answers.size !== 1) throw new Error(`SQL and the matcher disagree: ${[...answers].join(' ')}`);
      const plain = measured[0]?.[1].ms ?? Number.NaN;
      const lines = measured.map(([name, { ms, peakBytes }]) => [
        name,
        rounded((rows * 1000) / ms),
        rounded((ms * 1000) / rows),
        rounded(ms / plain),
        `${rounded(peakBytes / 2 ** 20)} MiB`,
      ]);
      const titles = ['', 'rows/s', 'µs per row', '× the time of the aggregate', 'peak memory'];
      return `### ${rows.toLocaleString('en')} rows, ${rules} rules\n\n${table(titles, lines)}`;
    });
    const mib = rounded(statSync(file).size / 2 ** 20);
    const size = `A Parquet file of ${mib} MiB, ${MISSING * 100} % of its cells NULL.`;
    const note = 'Each line runs in its own process; the peak is that of the whole process.';
    return [`${headOf([])}\n${size} ${note}`, ...sections].join('\n\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sorted(answer: Answer): string {
  return JSON.stringify(Object.fromEntries(Object.entries(answer).sort()));
}

const sizes = options.rules.split(',').map(Number);
if (options.measure !== undefined) {
  const measured = await measure(options.measure, sizes[0] ?? 0, options.file);
  process.stdout.write(JSON.stringify(measured));
} else {
  const rows = Number(options.rows);
  if (!Number.isSafeInteger(rows) || rows < 1) throw new Error('--rows must be a positive whole number');
  const text = await measureAll(rows, sizes);
  process.stdout.write(`${text}\n`);
  const isWhole = rows === ROWS && options.rules === SIZES;
  if (isWhole) writeFileSync(PAGE, pageWith(readFileSync(PAGE, 'utf8'), 'rows', text));
}
