/** A seed and a row count -> a reproducible Parquet file of applicants, written by DuckDB. */

import { DuckDBInstance } from '@duckdb/node-api';
import { DIALECTS } from '../../src/decision/sql/dialect.ts';
import { columnOf } from '../../src/decision/sql/table-columns.ts';
import { CATALOG_TABLE } from '../../src/facts/catalog.ts';
import { fold } from '../../src/platform/formats/fold.ts';
import { draw } from './generate.ts';
import { BENCH_FACTS, type BenchFact } from './population.ts';

const { text: quote } = DIALECTS.duckdb;

/** The number of values that each fact can have: the quantiles of its distribution in equal steps. */
const STEPS = 1000;

/** Writes the file; `missing` is the share of facts that are NULL. */
export async function writeTable(file: string, rows: number, missing: number, seed: number): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const [i, fact] of BENCH_FACTS.entries()) await connection.run(`SET VARIABLE fact_${i} = [${valuesOf(fact)}]`);
  const columns = BENCH_FACTS.map(({ path }, i) => {
    const chance = (what: string, steps: number) => `hash(i, ${seed}, ${i}, ${quote(what)}) % ${steps}`;
    const value = `getvariable('fact_${i}')[1 + (${chance('value', STEPS)})::BIGINT]`;
    return `CASE WHEN ${chance('missing', STEPS)} >= ${missing * STEPS} THEN ${value} END AS ${columnOf(path)}`;
  });
  await connection.run(
    `COPY (SELECT ${columns.join(', ')} FROM range(${rows}) AS r(i)) TO ${quote(file)} (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
}

/** A fact's values in ascending order, as SQL literals. */
function valuesOf(fact: BenchFact): string {
  const type = CATALOG_TABLE.get(fact.path)?.type;
  const values = Array.from({ length: STEPS }, (_, i) => draw(fact, (i + 0.5) / STEPS));
  switch (type) {
    case 'date':
      return values.map((value) => `DATE '${value}'`).join();
    case 'number':
    case 'integer':
      return values.map((value) => `${value}::DOUBLE`).join();
    case 'boolean':
      return values.join();
    default:
      return values.map((value) => quote(type === 'string' ? (fold(String(value)) ?? '') : String(value))).join();
  }
}
