/**
 * SQL executed on each engine: what tables and texts can hold, and the cases on PostgreSQL (runners.slow.test.ts
 * has all of them on DuckDB).
 */

import { afterAll, describe, expect, test } from 'vitest';
import { toSql } from '../../../src/decision/sql/sql.ts';
import { loadPolicyText } from '../../../src/policy/read/parse.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { conformanceChecks, ENGINE_CHECKS, randomCheck, type SqlCheck } from '../../support/runners/sql-checks.ts';
import { type SqlEngine, startDuckDb, startPostgres } from '../../support/runners/sql-engines.ts';
import { sampled } from '../../support/sampled.ts';

/** Policies, and applicants for each. `npm run test:clickhouse` runs the same checks on ClickHouse. */
const POLICIES = sampled(3, 200);
const APPLICANTS = 20;
/** Every day PostgreSQL decides on a sixth of the cases, two by two: one has its day as a literal, one in a column. */
const STEP = sampled(6, 1);

const duckDb = await startDuckDb();
const postgres = await startPostgres();
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

describe('PostgreSQL', () =>
  hold(postgres, [
    ...ENGINE_CHECKS,
    ...conformanceChecks().filter((_, i) => (i >> 1) % STEP === 0),
    randomCheck(POLICIES, APPLICANTS),
  ]));

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

test('PostgreSQL decides on numeric cells beyond the doubles, and on tiny ones, without an error', async () => {
  const { database } = postgres;
  const { sql = '' } = toSql(loadPolicyText(TWO_NUMBERS), { dialect: 'postgres', table: 'facts', at: '2026-11-20' });
  for (const [one, other, expected] of CELLS) {
    for (const type of /e-?400/.test(one) ? ['numeric'] : ['numeric', 'float8']) {
      await database.exec(`DROP TABLE IF EXISTS facts; CREATE TABLE facts (context_one ${type}, context_other ${type});
        INSERT INTO facts VALUES ('${one}', '${other}')`);
      const [row] = (await database.query<{ outcome: string; undetermined: string[] }>(sql)).rows;
      const unknown = row?.undetermined.length ? ', unknown' : '';
      expect(`${row?.outcome}${unknown}`, `${one} and ${other} as ${type}`).toBe(expected);
    }
  }
});
