/** SQL by execution: each engine gives the outcome, the rules and the score of the reference. */

import { afterAll, describe, test } from 'vitest';
import { temporaryFolder } from '../../support/policy.ts';
import { conformanceChecks, ENGINE_CHECKS, randomCheck, type SqlCheck } from '../../support/sql-checks.ts';
import { type SqlEngine, startDuckDb, startPostgres } from '../../support/sql-engines.ts';

/** Policies; each has so many applicants. `npm run test:clickhouse` holds ClickHouse to the same. */
const POLICIES = 200;
const APPLICANTS = 20;

const duckDb = await startDuckDb();
const postgres = await startPostgres();
afterAll(async () => {
  await duckDb?.close();
  await postgres.close();
});

const CHECKS: readonly SqlCheck[] = [...ENGINE_CHECKS, ...conformanceChecks(), randomCheck(POLICIES, APPLICANTS)];

function hold(engine: SqlEngine): void {
  test.each(CHECKS)('$name', { timeout: 120_000 }, (check) => check.run(engine, temporaryFolder()));
}

describe('DuckDB', () => {
  if (duckDb) hold(duckDb);
  else test.skip('NOT TESTED: @duckdb/node-api is not installed');
});

describe('PostgreSQL', () => hold(postgres));
