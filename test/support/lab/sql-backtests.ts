/** Backtests of files, and of the same rows in ClickHouse -> whether they count the same. */

import { deepEqual } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { columnOf } from '../../../src/decision/sql/table-columns.ts';
import { type Backtest, withRules } from '../../../src/lab/backtest/backtest.ts';
import { countBySql } from '../../../src/lab/backtest/count-by-sql.ts';
import { joinFacts } from '../../../src/lab/backtest/joint-facts.ts';
import { isPersonal } from '../../../src/policy/identities.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { DAY, generatePolicy, readGenerated } from '../../bench/generate.ts';
import { writeTable } from '../../bench/table.ts';
import { runCli } from '../cli/cli.ts';
import { aCase } from '../runners/arbitrary.ts';
import { loadPlainPolicy } from '../runners/case.ts';
import { type FactsTable, factsTable } from '../runners/facts-table.ts';
import { type ChdbSession, clickHouseTable, startDuckDb } from '../runners/sql-engines.ts';
import { answerRows, startClickHouse } from './clickhouse.ts';

/** A backtest without what the database leaves out, and without edits, which it is not asked about. */
export function counted(json: string): unknown {
  const { worst: _, notCounted: __, edits: ___, rules, ...counts }: Backtest & { edits: unknown } = JSON.parse(json);
  return { ...counts, rules: rules.map(({ missing: _, overlap: __, ...rule }) => rule) };
}

/** The day of rows without one. */
const EXAMPLE_AT = '2026-11-05';

const POLICY = `policy: signup
version: "1"
default: accept
score: { review: 20, reject: 40 }
parameters: { risky: { value: 80 } }
facts:
  context.old: { type: boolean, description: known for long }
  context.channel: { type: enum, values: [web, app], description: channel }
  context.amount: { type: number, description: amount }
rules:
  - { id: risky, when: { phone.score: { atLeast: $risky } }, then: reject, whenUnknown: ignore }
  - { id: ported, when: { phone.porting.portedDate: { withinLast: 30 days } }, points: 20 }
  - { id: large, when: { context.amount: { above: 100 } }, points: 20 }
  - { id: huge, when: { context.amount: { above: 150 } }, points: 20, until: 2026-11-04 }
  - { id: young, when: { context.old: false }, then: review }
  - { id: app, when: { context.channel: app }, then: reject, mode: shadow }
`;

/** Sixty applicants of six days, some of whom have no day; each fact is missing now and then. */
const APPLICANTS = Array.from({ length: 60 }, (_, i) => {
  const unless = <Value>(isMissing: boolean, value: Value) => (isMissing ? null : value);
  return {
    at: unless(i % 20 === 19, `2026-11-0${1 + (i % 6)}`),
    score: unless(i % 9 === 8, (i * 37) % 100),
    ported: unless(i % 4 !== 0, i % 8 === 0 ? 'never' : `2026-10-${10 + (i % 20)}`),
    old: unless(i % 7 === 6, i % 3 !== 0),
    channel: unless(i % 11 === 10, i % 2 === 0 ? 'web' : 'app'),
    amount: unless(i % 13 === 12, (i * 7.5) % 200),
  };
});

/** The files of the example. */
export const EXAMPLE_FILES: Readonly<Record<string, string>> = {
  'new.yaml': POLICY,
  'old.yaml': POLICY.replace('value: 80', 'value: 60').replace(/.*id: large.*\n/, ''),
  'columns.yaml': 'phone.score: risk_score\nphone.porting.portedDate: { column: ported_on, never: has_not_ported }\n',
  'facts.ndjson': APPLICANTS.map(({ at, score, ported, old, channel, amount }) => {
    const facts = {
      'phone.score': score,
      'phone.porting.portedDate': ported,
      ...{ 'context.old': old, 'context.channel': channel, 'context.amount': amount },
    };
    return `${JSON.stringify({ ...(at === null ? {} : { at }), facts })}\n`;
  }).join(''),
};

/** The same in a table. */
const EXAMPLE_TABLE: FactsTable = {
  columns: [
    ...[{ name: 'at', type: 'date' } as const, { name: 'risk_score', type: 'number' } as const],
    ...[{ name: 'ported_on', type: 'date' } as const, { name: 'has_not_ported', type: 'boolean' } as const],
    ...[{ name: 'context_old', type: 'boolean' } as const, { name: 'context_channel', type: 'text' } as const],
    { name: 'context_amount', type: 'number' },
  ],
  rows: APPLICANTS.map(({ at, score, ported, old, channel, amount }) => {
    return [at, score, ported === 'never' ? null : ported, ported === 'never', old, channel, amount];
  }),
};

/** How the example is counted: in a table, and in the file. */
export function exampleArguments(folder: string, where: readonly string[]): readonly string[] {
  const at = (file: string) => join(folder, file);
  const policies = ['--policy', at('new.yaml'), '--against', at('old.yaml')];
  const by = ['--by', 'context.channel,context.old,context.amount,week,month'];
  return ['backtest', ...policies, '--at', EXAMPLE_AT, '--to', '2026-11-05', ...by, ...where];
}

/** The arguments for the table of the example, at a URL. */
export function inClickHouse(folder: string, url: string, table = 'facts'): readonly string[] {
  return ['--engine', 'clickhouse', '--url', url, '--table', table, '--columns', join(folder, 'columns.yaml')];
}

/** The answers of ClickHouse to the queries of the example. */
const ANSWERS = join(import.meta.dirname, '../../fixtures/clickhouse-answers.ndjson');

interface Kept {
  readonly query: string;
  readonly data: readonly unknown[];
}

export function keptAnswers(): readonly Kept[] {
  const lines = readFileSync(ANSWERS, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** ClickHouse on the stub, with the queries that it answers. */
async function serve(session: ChdbSession, kept: Kept[] = []) {
  return startClickHouse((response, { query }) => {
    try {
      const { data } = JSON.parse(session.query(query, 'JSONCompact'));
      kept.push({ query, data });
      answerRows(response, data);
    } catch (error) {
      response.statusCode = 500;
      response.end(String(error));
    }
  });
}

/** Holds the kept answers to those of ClickHouse, or keeps these. */
export async function checkAnswers(session: ChdbSession, folder: string, keeps: boolean): Promise<void> {
  for (const [name, content] of Object.entries(EXAMPLE_FILES)) writeFileSync(join(folder, name), content);
  for (const statement of clickHouseTable(EXAMPLE_TABLE)) session.query(statement, 'Null');
  const answers: Kept[] = [];
  const stub = await serve(session, answers);
  const args = (where: readonly string[]) => exampleArguments(folder, [...where, '--json']);
  const [file, table] = [
    await runCli(args(['--facts', join(folder, 'facts.ndjson')])),
    await runCli(args(inClickHouse(folder, stub.url))),
  ];
  await stub.close();
  deepEqual([table.exitCode, table.stderr], [0, '']);
  deepEqual(counted(table.stdout), counted(file.stdout));
  if (keeps) writeFileSync(ANSWERS, answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
  deepEqual(keptAnswers(), answers);
}

/** Random policies and rows: a Parquet file, and the same rows in ClickHouse. */
export async function checkRandomly(session: ChdbSession, folder: string, policies: number): Promise<void> {
  const duckDb = await startDuckDb();
  if (!duckDb) throw new Error('@duckdb/node-api is not installed');
  const stub = await serve(session);
  const parquet = join(folder, 'facts.parquet');
  await fc.assert(
    fc.asyncProperty(aCase({ applicants: 20 }), fc.boolean(), async ({ policy: plain, applicants, day }, drops) => {
      const policy = loadPlainPolicy(plain, folder);
      const table = onSeveralDays(factsTable(policy, applicants, day));
      await duckDb.run(table, `COPY (SELECT * EXCLUDE (id) FROM facts) TO '${parquet}' (FORMAT parquet)`);
      for (const statement of clickHouseTable(table)) session.query(statement, 'Null');
      const dropped = drops ? ['--drop', policy.rules[0]?.id ?? ''] : [];
      const by = ['--by', ['week', ...groupable(policy, table)].join()];
      const args = ['backtest', '--policy', join(folder, 'policy.yaml'), '--at', day, ...dropped, ...by, '--json'];
      const [file, counts] = [
        await runCli([...args, '--facts', parquet]),
        await runCli([...args, '--engine', 'clickhouse', '--url', stub.url, '--table', 'facts']),
      ];
      deepEqual([counts.exitCode, counts.stderr.replaceAll('table', 'file')], [file.exitCode, file.stderr]);
      if (file.stdout !== '') deepEqual(counted(counts.stdout), counted(file.stdout));
    }),
    { numRuns: policies },
  );
  await stub.close();
  await duckDb.close();
}

/** How long ClickHouse counts generated rows, in milliseconds: by one policy, and beside the one before. */
export async function timeBacktest(session: ChdbSession, folder: string, rows: number, rules: number) {
  const file = join(folder, 'applicants.parquet');
  await writeTable(file, rows, 0.05, 1);
  session.query('DROP TABLE IF EXISTS facts', 'Null');
  const columns = `SELECT * FROM file('${file}', 'Parquet')`;
  session.query(`CREATE TABLE facts ENGINE = MergeTree ORDER BY tuple() AS ${columns}`, 'Null');
  const policy = readGenerated(generatePolicy(rules, 1));
  const before = withRules(policy, (rule) => !rule.endsWith('5'));
  const ask = async (query: string) => JSON.parse(session.query(query, 'JSONCompact')).data;
  const time = async (old: Policy) => {
    const began = performance.now();
    const options = { table: 'facts', at: DAY, by: [], compares: old !== policy };
    const { backtest } = await countBySql([old, policy], joinFacts(old, policy), options, ask);
    if (backtest.decided !== rows) throw new Error(`counted ${backtest.decided} of ${rows} rows`);
    return Math.round(performance.now() - began);
  };
  return { alone: await time(policy), beside: await time(before) };
}

/** The day before, the day itself, and none. */
function onSeveralDays({ columns, rows }: FactsTable): FactsTable {
  const days = rows.map((row, i) => {
    const day = new Date(String(row[1]));
    day.setUTCDate(day.getUTCDate() - (i % 2));
    return i % 5 === 4 ? null : day.toISOString().slice(0, 'yyyy-MM-dd'.length);
  });
  return { columns, rows: rows.map(([id = null, , ...cells], i) => [id, days[i] ?? null, ...cells]) };
}

/** Facts of the table by which rows can be counted. */
function groupable({ facts }: Policy, { columns }: FactsTable): readonly string[] {
  const names = columns.map(({ name }) => name);
  return [...facts].flatMap(([path, { type, compute }]) => {
    const isWanted = names.includes(columnOf(path)) && type !== 'date' && !compute && !isPersonal(path, facts);
    return isWanted ? [path] : [];
  });
}
