/** A DuckDB table -> its rows as columns for `matcher.batch`, chunk by chunk. */

import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';
import type { Column, Columns } from '../../src/decision/matcher/columns.ts';
import { DIALECTS } from '../../src/decision/sql/dialect.ts';
import { columnOf } from '../../src/decision/sql/table-columns.ts';
import { CATALOG_TABLE, LEVELS } from '../../src/facts/catalog.ts';

const { text: quote } = DIALECTS.duckdb;

/** The SQL that selects a fact, and the column that its numbers become. */
interface Selected {
  readonly path: string;
  readonly sql: string;
  readonly column: (numbers: Float64Array) => Column;
}

/** Yields the rows of a table, with only the facts at these paths. */
export async function* readChunks(
  connection: DuckDBConnection,
  table: string,
  paths: readonly string[],
): AsyncGenerator<Columns> {
  const selected: Selected[] = [];
  for (const path of paths) selected.push(await select(connection, table, path));
  const result = await connection.stream(`SELECT ${selected.map(({ sql }) => sql).join(', ')} FROM ${table}`);
  let next = result.fetchChunk();
  for (;;) {
    const chunk = await next;
    if (!chunk || chunk.rowCount === 0) return;
    const columns = selected.map(({ path, column }, i) => [path, column(numbersOf(chunk, i))] as const);
    // DuckDB produces the next chunk while the caller decides on this one.
    next = result.fetchChunk();
    yield { rows: chunk.rowCount, columns: new Map(columns) };
  }
}

// DuckDB converts all values to doubles, with NaN for missing ones: it does so on all cores, and one loop reads them.
async function select(connection: DuckDBConnection, table: string, path: string): Promise<Selected> {
  const { type, values = [] } = CATALOG_TABLE.get(path) ?? { type: 'string' };
  const column = columnOf(path);
  const numbers = (sql: string): Selected => ({
    path,
    sql: `coalesce(CAST(${sql} AS DOUBLE), 'NaN'::DOUBLE)`,
    column: (found) => ({ numbers: found }),
  });
  const codeOf = (texts: readonly string[]) => `enum_code(TRY_CAST(${column} AS ENUM(${texts.map(quote).join()})))`;
  const codes = (texts: readonly string[]): Selected => ({
    path,
    // A missing value gets a code that no text has.
    sql: `coalesce(CAST(${codeOf(texts)} AS DOUBLE), ${texts.length})`,
    column: (found) => ({ codes: found, texts }),
  });
  switch (type) {
    case 'date':
      return numbers(`${column} - DATE '1970-01-01'`);
    case 'level':
      return codes(LEVELS);
    case 'enum':
      return codes(values);
    case 'string': {
      const found = await connection.runAndReadAll(
        `SELECT DISTINCT ${column} FROM ${table} WHERE ${column} IS NOT NULL`,
      );
      return codes(found.getRows().map(([text]) => String(text)));
    }
    default:
      return numbers(column);
  }
}

function numbersOf(chunk: DuckDBDataChunk, column: number): Float64Array {
  const vector = chunk.getColumnVector(column);
  const numbers = new Float64Array(chunk.rowCount);
  for (let i = 0; i < numbers.length; i++) numbers[i] = Number(vector.getItem(i));
  return numbers;
}
