/**
 * SQL executed on each engine: what tables and texts can hold, and the cases on PostgreSQL (runners.slowest.test.ts
 * has DuckDB).
 */

import { afterAll, describe, test } from 'vitest';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { conformanceChecks, ENGINE_CHECKS, randomCheck, type SqlCheck } from '../../support/runners/sql-checks.ts';
import { type SqlEngine, startDuckDb, startPostgres } from '../../support/runners/sql-engines.ts';
import { sampled } from '../../support/sampled.ts';

/** Policies, and applicants for each. `npm run test:clickhouse` runs the same checks on ClickHouse. */
const POLICIES = sampled(60, 200);
const APPLICANTS = 20;

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
  hold(postgres, [...ENGINE_CHECKS, ...conformanceChecks(), randomCheck(POLICIES, APPLICANTS)]));
