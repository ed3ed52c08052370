/** A Parquet or CSV file with texts as they came -> the same file with folded texts, as exported SQL expects. */

import { existsSync } from 'node:fs';
import type { FactTable } from '../../../facts/catalog.ts';
import { columnOf } from '../column-names.ts';
import { DIALECTS } from '../dialect.ts';
import type { DuckDb } from './duckdb.ts';
import { checkColumn, fileError } from './file-column.ts';
import { endingOf, isTableFile, openFile } from './table-file.ts';
import { readText, registerTextReaders } from './text-reader.ts';

/** How each kind of file is written. */
const FORMATS: Readonly<Record<string, string>> = { '.parquet': 'FORMAT parquet', '.csv': 'FORMAT csv, HEADER' };

/**
 * Writes `to`, which must not exist, and gives the names of the folded columns: those of the table's text
 * facts, named by the convention. A text that the fact cannot have becomes NULL. Throws CONFIGURATION_INVALID if a
 * file or a column cannot be used.
 */
export async function foldFile(table: FactTable, db: DuckDb, from: string, to: string): Promise<readonly string[]> {
  for (const file of [from, to]) {
    if (!isTableFile(file)) throw fileError(`${file}: expected a .parquet or .csv file`);
  }
  if (existsSync(to)) throw fileError(`${to} already exists`);
  const shape = await openFile(db, from);
  registerTextReaders(db);
  const texts = new Map(
    [...table].flatMap(([path, definition]) => {
      const column = columnOf(path);
      return definition.type === 'string' && shape.types.has(column) ? [[column, definition]] : [];
    }),
  );
  const columns = [...texts.keys()];
  const { identifier, text } = DIALECTS.duckdb;
  for (const column of columns) checkColumn(shape, column, 'string');
  const folded = [...texts].map(([column, definition]) => {
    return `${readText(`file.${identifier(column)}`, definition)} AS ${identifier(column)}`;
  });
  const replaced = folded.length === 0 ? '*' : `* REPLACE (${folded.join(', ')})`;
  try {
    await db.connection.run(`COPY (SELECT ${replaced} FROM file) TO ${text(to)} (${FORMATS[endingOf(to)]})`);
  } catch {
    throw fileError(`${from} cannot be read, or ${to} cannot be written`);
  }
  return columns;
}
