/** A file of `--columns` -> the columns of facts that are not named by the convention. */

import type { ColumnMap } from '../../decision/sql/column-names.ts';
import { formatDiagnostic } from '../../diagnostics.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { CouldNotRunError } from '../io.ts';

/** Reads a map of columns; none where no file is named. Throws a `CouldNotRunError` that says all that is wrong with it. */
export async function loadColumns(
  file: string | undefined,
  table: FactTable,
): Promise<{ readonly columns?: ColumnMap }> {
  if (file === undefined) return {};
  const { readColumns } = await import('../../decision/sql/duckdb/columns-file.ts');
  const { columns, diagnostics } = readColumns(file, table);
  if (columns) return { columns };
  throw new CouldNotRunError(`the columns cannot be read:\n${diagnostics.map(formatDiagnostic).join('\n')}`);
}
