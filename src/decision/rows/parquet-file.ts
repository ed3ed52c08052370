/** A Parquet file -> its rows as the view `file` of DuckDB. */

import { closeSync } from 'node:fs';
import { resolve } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { DIALECTS } from '../sql/dialect.ts';
import type { DuckDb } from './duckdb.ts';
import { columnKey, fileError } from './fact-columns.ts';
import { checkNames, openRegularFile, ROW, stateOf } from './table-file.ts';

/** An open file. Its view has the column `ROW`, the number of each row from 1. */
export type ParquetFile = Awaited<ReturnType<typeof openParquetFile>>;

const { identifier, text: quoteText } = DIALECTS.duckdb;

/**
 * Makes the file the view `file`, in place of that of another file. Throws CONFIGURATION_INVALID if it cannot be read,
 * or if two columns have the same name without regard to case.
 */
export async function openParquetFile(db: DuckDb, file: string) {
  const unreadable = () => fileError(`${file} cannot be read as parquet`);
  const stateAtFirst = stateOf(file);
  try {
    const { names, from, rows } = await findRows(db, file);
    checkNames(file, names);
    return {
      ...{ names, types: await createView(db, from) },
      /** Throws CONFIGURATION_INVALID unless all rows of an unchanged file gave a result. */
      checkCount(results: number) {
        if (stateOf(file) !== stateAtFirst) throw fileError(`${file} changed while it was read`);
        if (results !== rows) throw fileError(`${file}: ${results} results for ${rows} rows`);
      },
      /** The error of the file if DuckDB fails. DuckDB's own message is not shown, since it may quote a row. */
      unreadable,
    };
  } catch (error) {
    throw error instanceof VerdictError ? error : unreadable();
  }
}

/** Creates the view `file`; returns the types of its columns. */
async function createView({ connection }: DuckDb, from: string): Promise<ReadonlyMap<string, string>> {
  await connection.run(`CREATE OR REPLACE VIEW file AS SELECT * FROM ${from}`);
  const described = await connection.runAndReadAll('SELECT column_name, column_type FROM (DESCRIBE file)');
  const types = new Map(described.getRowsJS().map(([name, type]) => [columnKey(String(name)), String(type)]));
  types.delete(ROW);
  return types;
}

/** The pattern that this file alone matches: DuckDB reads the name of a file as a pattern, or as an address. */
function asPattern(file: string): string {
  return resolve(file).replace(/[[*?]/g, '[$&]');
}

/** The names of the columns, the FROM clause of the rows with `ROW`, and their number. */
async function findRows(
  { connection }: DuckDb,
  file: string,
): Promise<{ readonly names: readonly string[]; readonly from: string; readonly rows: number }> {
  closeSync(openRegularFile(file));
  const pattern = quoteText(asPattern(file));
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJS();
  const names = topLevelNames(await read(`SELECT name, num_children FROM parquet_schema(${pattern})`));
  const [counted] = await read(`SELECT sum(num_rows) FROM parquet_file_metadata(${pattern})`);
  if (names.some((name) => columnKey(name) === ROW_NUMBER)) {
    throw fileError(`${file}: DuckDB reserves the name of the column ${ROW_NUMBER}`, 'rename it');
  }
  const row = `CAST(${ROW_NUMBER} + 1 AS DOUBLE) AS ${identifier(ROW)}`;
  const rows = `read_parquet(${pattern}, hive_partitioning = false, ${ROW_NUMBER} = true)`;
  const from = `(SELECT * EXCLUDE (${ROW_NUMBER}), ${row} FROM ${rows})`;
  return { names, from, rows: Number(counted?.[0]) };
}

/** An option of DuckDB's reader, and the column that it adds. */
const ROW_NUMBER = 'file_row_number';

/** The columns of a Parquet file. Its schema lists a root, then each column, followed by its parts if it has any. */
function topLevelNames([, ...nodes]: readonly (readonly unknown[])[]): readonly string[] {
  const names: string[] = [];
  let parts = 0;
  for (const [name, children] of nodes) {
    if (parts === 0) names.push(String(name));
    else parts -= 1;
    parts += Number(children ?? 0);
  }
  return names;
}
