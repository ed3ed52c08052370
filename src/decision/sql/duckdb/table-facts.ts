/** A Parquet file with columns by the convention or a map -> the facts of its rows, for runners other than SQL. */

import type { FactsLine } from '../../../facts/facts-line.ts';
import type { ColumnMap } from '../column-names.ts';
import type { DuckDb } from './duckdb.ts';
import { type FactReader, findColumns } from './fact-columns.ts';
import { fileColumn } from './file-column.ts';
import { BAD_DAY, type Cell, factsOf, keyColumns, type Numbered, readRows, referenceOf } from './file-rows.ts';
import { openRowFile } from './row-file.ts';

/** An open file of facts. */
export interface TableFacts {
  /** The columns of facts that are read and that the file lacks: these facts are missing in every row. */
  readonly absent: readonly string[];
  /** Reads the rows, in their order. Throws CONFIGURATION_INVALID if the file changed meanwhile. */
  rows(): AsyncGenerator<Numbered<FactsLine>>;
}

/**
 * Opens a file. Derived facts have columns of their own, as for SQL. Throws CONFIGURATION_INVALID if the file or its
 * columns cannot be used.
 *
 * @param at the day of rows without a day in the column `at`, yyyy-MM-dd
 */
export async function openTableFacts(
  reader: FactReader,
  db: DuckDb,
  { file, at, columns: map = {} }: { readonly file: string; readonly at: string; readonly columns?: ColumnMap },
): Promise<TableFacts> {
  const shape = await openRowFile(db, file);
  const { present, absent } = findColumns(reader, map, shape);
  const columns = present.map(({ path, definition, columns: found }, i) =>
    fileColumn(path, definition, found, i, shape),
  );
  const cellsOf = columns.flatMap(({ forRead }) => forRead);
  const sql = `SELECT ${[...keyColumns(shape, at), ...cellsOf].join(', ')} FROM file`;
  const answer = ([, day, reference, ...cells]: readonly Cell[]): FactsLine | typeof BAD_DAY => {
    if (typeof day !== 'string') return BAD_DAY;
    const clientReference = referenceOf(reference);
    const facts = factsOf(columns, cells, day, reader.facts);
    return { facts, at: day, ...(clientReference === undefined ? {} : { clientReference }) };
  };
  return { absent, rows: () => readRows(db, shape, sql, answer) };
}
