/** The day of a row is the same in every zone of the machine or the session, whatever the type of its column. */

import { afterAll, expect, test } from 'vitest';
import type { DialectName } from '../../../src/decision/sql/dialect.ts';
import { toSql } from '../../../src/decision/sql/sql.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { startDuckDb, startPostgres } from '../../support/runners/sql-engines.ts';

const duckDb = await startDuckDb();
const postgres = await startPostgres();
afterAll(async () => {
  await duckDb?.close();
  await postgres.close();
});

const FACTS = 'facts: { context.born: { type: date } }\n';
const RULES = `rules:
  - { id: first, until: 2026-08-31, when: { context.born: { known: true } }, then: review }
  - { id: second, from: 2026-09-01, when: { context.born: { yearsSince: { atLeast: 18 } } }, then: reject }
`;

/** A row that is decided at 23:30 UTC on 31 August, and one two hours later, by the type of the column `at`. */
const TYPES = ['timestamptz', 'timestamp'];
const ZONES = ['UTC', 'America/Los_Angeles', 'Pacific/Auckland'];
const RUNS = (['duckdb', 'postgres'] as const).flatMap((dialect) =>
  TYPES.flatMap((type) => ZONES.map((zone) => [dialect, type, zone] as const)),
);

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

test.each(['duckdb', 'postgres'] as const)('%s: a time is on its day in the zone of the policy', async (dialect) => {
  const options = { dialect, table: 'facts', at: { column: 'at' }, keys: ['id'], columns: COLUMNS };
  const { sql = '' } = toSql(policyOf(`${HEAD}timeZone: America/New_York\n${FACTS}${RULES}`), options);
  expect(await outcomes(dialect, sql, 'Asia/Tokyo', IN_NEW_YORK.join(' UNION ALL '))).toEqual(['review', 'reject']);
  const days = `SELECT 1 AS id, DATE '2026-08-31' AS "at", DATE '2008-09-01' AS context_born`;
  expect(await outcomes(dialect, sql, 'Asia/Tokyo', days)).toEqual(['review']);
});
