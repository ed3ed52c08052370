/**
 * SQL executed on each engine: what tables and texts can hold, and the cases on PostgreSQL (runners.test.ts
 * has all of them on DuckDB).
 */

import { afterAll, describe, test } from 'vitest';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { conformanceChecks, ENGINE_CHECKS, randomCheck, type SqlCheck } from '../../support/runners/sql-checks.ts';
import { type SqlEngine, startDuckDb, startPostgres } from '../../support/runners/sql-engines.ts';
import { sampled } from '../../support/sampled.ts';

/** Policies, and applicants for each. `npm run test:clickhouse` runs the same checks on ClickHouse. */
const POLICIES = sampled(30, 200);
const APPLICANTS = 20;
/** Every day, PostgreSQL decides on half of the cases, two by two: one gets its day as a literal, one in a column. */
const STEP = sampled(2, 1);

const duckDb = await startDuckDb();
const postgres = await startPostgres();
afterAll(async () => {
  await duckDb?.close();
  await postgres.close();
});

function hold(engine: SqlEngine, checks: readonly SqlCheck[]): void {
  test.each(checks)('$name', { timeout: 120_000 }, (check) => check.run(engine, temporaryFolder()));
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
