/**
 * SQL executed on each engine: what tables and texts can hold, the cases on PostgreSQL (runners.slow.test.ts has those
 * on DuckDB), and the day of a row, which is the same in every zone of the machine or the session.
 */

import { afterAll, describe, expect, test } from 'vitest';
import type { DialectName } from '../../../src/decision/sql/dialect.ts';
import { toSql } from '../../../src/decision/sql/sql.ts';
import { loadPolicyText } from '../../../src/policy/read/parse.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { conformanceChecks, ENGINE_CHECKS, randomCheck, type SqlCheck } from '../../support/runners/sql-checks.ts';
import { postgresOn, type SqlEngine, startDuckDb } from '../../support/runners/sql-engines.ts';
import { sampled } from '../../support/sampled.ts';
import { HAS_POSTGRES, PostgresServer } from '../../support/stores/state/postgres.ts';

/** Policies, and applicants for each. `npm run test:clickhouse` runs the same checks on ClickHouse. */
const POLICIES = sampled(2, 200);
const APPLICANTS = 20;
/** Every day PostgreSQL decides on a twelfth of the cases, by twos: one has its day as a literal, one in a column. */
const STEP = sampled(12, 1);

const duckDb = await startDuckDb();
const postgres = postgresOn(PostgresServer.shared());
afterAll(async () => {
  await duckDb?.close();
  await postgres.close();
});

function hold(engine: SqlEngine, checks: readonly SqlCheck[]): void {
  test.each(checks)('$name', (check) => check.run(engine, temporaryFolder()));
}

describe('DuckDB', () => {
  if (duckDb) hold(duckDb, ENGINE_CHECKS);
  else test.skip('NOT TESTED: @duckdb/node-api is not installed');
});

describe.skipIf(!HAS_POSTGRES)('PostgreSQL (skipped where postgresql is not installed)', () =>
  hold(postgres, [
    ...ENGINE_CHECKS,
    ...conformanceChecks().filter((_, i) => (i >> 1) % STEP === 0),
    randomCheck(POLICIES, APPLICANTS),
  ]),
);

const TWO_NUMBERS = `policy: p
version: "1"
default: accept
facts:
  context.one: { type: number }
  context.other: { type: number }
  context.product: { type: number, compute: { product: [context.one, context.other] } }
rules:
  - { id: known, when: { context.product: { known: true } }, then: review }
  - { id: positive, when: { context.product: { above: 0 } }, then: reject }
`;

/** Two cells, and what PostgreSQL decides on their product. */
const CELLS: readonly (readonly [one: string, other: string, expected: string])[] = [
  ['1e-320', '1e-320', 'review'],
  ['5e-324', '5e-324', 'review'],
  ['-1e-200', '1e-320', 'review'],
  ['1e-160', '1e-160', 'reject'],
  ['5e-324', '0.9', 'reject'],
  ['5e-324', '0', 'review'],
  ['1e-400', '1', 'review'],
  ['-1e-400', '1e-400', 'review'],
  ['1e400', '1', 'review, unknown'],
  ['-1e400', '1e-400', 'review, unknown'],
  ['NaN', '1', 'review, unknown'],
  ['0.3', '2', 'reject'],
];

test.skipIf(!HAS_POSTGRES)(
  'PostgreSQL decides on numeric cells beyond the doubles, and on tiny ones, without an error',
  async () => {
    const { sql = '' } = toSql(loadPolicyText(TWO_NUMBERS), { dialect: 'postgres', table: 'facts', at: '2026-11-20' });
    for (const [one, other, expected] of CELLS) {
      for (const type of /e-?400/.test(one) ? ['numeric'] : ['numeric', 'float8']) {
        const rows = `CREATE TABLE facts AS SELECT 0 AS id, '${one}'::${type} AS context_one, '${other}'::${type} AS context_other`;
        const [row] = await postgres.query(['DROP TABLE IF EXISTS facts', rows], sql);
        const unknown = row?.undetermined.length ? ', unknown' : '';
        expect(`${row?.outcome}${unknown}`, `${one} and ${other} as ${type}`).toBe(expected);
      }
    }
  },
);

const FACTS = 'facts: { context.born: { type: date } }\n';
const RULES = `rules:
  - { id: first, until: 2026-08-31, when: { context.born: { known: true } }, then: review }
  - { id: second, from: 2026-09-01, when: { context.born: { yearsSince: { atLeast: 18 } } }, then: reject }
`;

/** A row that is decided at 23:30 UTC on 31 August, and one two hours later, by the type of the column `at`. */
const TYPES = ['timestamptz', 'timestamp'];
const ZONES = ['UTC', 'America/Los_Angeles', 'Pacific/Auckland'];
const HERE = HAS_POSTGRES ? (['duckdb', 'postgres'] as const) : (['duckdb'] as const);
const RUNS = HERE.flatMap((dialect) => TYPES.flatMap((type) => ZONES.map((zone) => [dialect, type, zone] as const)));

const COLUMNS = { 'context.born': { column: 'context_born', never: null } };

const ENGINES = { duckdb: duckDb, postgres };

async function outcomes(dialect: Exclude<DialectName, 'clickhouse'>, sql: string, zone: string, rows: string) {
  const script = [`SET TimeZone = '${zone}'`, 'DROP TABLE IF EXISTS facts', `CREATE TABLE facts AS ${rows}`];
  const found = await ENGINES[dialect]?.query(script, sql);
  return found?.toSorted((one, other) => one.id - other.id).map(({ outcome }) => outcome);
}

test.each(RUNS)('%s: a %s is on its UTC day, with the session in %s', async (dialect, type, zone) => {
  const options = { dialect, table: 'facts', at: { column: 'at' }, keys: ['id'], columns: COLUMNS };
  const { sql = '' } = toSql(policyOf(HEAD + FACTS + RULES), options);
  const offset = type === 'timestamptz' ? '+00:00' : '';
  const rows = [
    `SELECT 1 AS id, CAST('2026-08-31 23:30:00${offset}' AS ${type}) AS "at", DATE '2008-09-01' AS context_born`,
    `SELECT 2, CAST('2026-09-01 01:30:00${offset}' AS ${type}), DATE '2008-09-01'`,
    `SELECT 3, CAST('infinity' AS ${type}), DATE '2008-09-01'`,
  ];
  expect(await outcomes(dialect, sql, zone, rows.join(' UNION ALL '))).toEqual(['review', 'reject', null]);
});

/** Half past eleven in the evening of 31 August in New York, an hour later, and a day as such. */
const IN_NEW_YORK = [
  `SELECT 1 AS id, CAST('2026-09-01 03:30:00+00:00' AS timestamptz) AS "at", DATE '2008-09-01' AS context_born`,
  `SELECT 2, CAST('2026-09-01 04:30:00+00:00' AS timestamptz), DATE '2008-09-01'`,
];

test.each(HERE)('%s: a time is on its day in the zone of the policy', async (dialect) => {
  const options = { dialect, table: 'facts', at: { column: 'at' }, keys: ['id'], columns: COLUMNS };
  const { sql = '' } = toSql(policyOf(`${HEAD}timeZone: America/New_York\n${FACTS}${RULES}`), options);
  expect(await outcomes(dialect, sql, 'Asia/Tokyo', IN_NEW_YORK.join(' UNION ALL '))).toEqual(['review', 'reject']);
  const days = `SELECT 1 AS id, DATE '2026-08-31' AS "at", DATE '2008-09-01' AS context_born`;
  expect(await outcomes(dialect, sql, 'Asia/Tokyo', days)).toEqual(['review']);
});
