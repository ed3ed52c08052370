/** Rows of a Parquet file mean the same on every machine: days and times are those of UTC, and decimals are exact. */

import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDuckDb } from '../../../src/decision/rows/duckdb.ts';
import { openParquetRows } from '../../../src/decision/rows/parquet-rows.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';

// DuckDB takes the zone of the machine as it starts.
process.env['TZ'] = 'Pacific/Auckland';

const FACTS = 'facts: { context.sum: { type: number }, context.day: { type: date } }\n';
const RULES = 'rules: [{ id: a, when: { context.sum: 1, context.day: 2026-09-01 }, then: review }]\n';

/** The rows of a file with these columns. */
async function rowsOf(columns: string) {
  const db = await openDuckDb();
  onTestFinished(() => db.close());
  const file = join(temporaryFolder({}), 'rows.parquet');
  await db.connection.run(`COPY (SELECT ${columns}, 'r' AS client_reference) TO '${file}' (FORMAT parquet)`);
  const { rows } = await openParquetRows(policyOf(HEAD + FACTS + RULES), db, { file, at: '2026-11-20' });
  return Array.fromAsync(rows());
}

it.each([
  ['TIMESTAMPTZ', `TIMESTAMPTZ '2026-08-31T23:30:00Z'`],
  ['TIMESTAMP', `TIMESTAMP '2026-08-31T23:30:00'`],
  ['TIMESTAMP_NS', `TIMESTAMP_NS '2026-08-31T23:30:00'`],
])('a %s is on its UTC day', async (_, at) => {
  const [row] = await rowsOf(`${at} AS "at", 1 AS context_sum, DATE '2026-08-31' AS context_day`);
  expect(row).toMatchObject({ number: 1, at: '2026-08-31', timeMs: Date.UTC(2026, 7, 31, 23, 30) });
  expect(row && 'facts' in row && row.facts.get('context.day')).toEqual({ value: '2026-08-31' });
});

it('a decimal is the double that is nearest to it', async () => {
  const sums = ['1.14', '1.36', '1.39', '0.07', '4096.255'];
  const cells = sums.map((sum) => `CAST(${sum} AS DECIMAL(38, 18))`);
  const rows = await rowsOf(`unnest([${cells.join(', ')}]) AS context_sum, DATE '2026-08-31' AS context_day`);
  expect(rows.map((row) => 'facts' in row && row.facts.get('context.sum'))).toEqual(
    sums.map((sum) => ({ value: Number(sum) })),
  );
});
