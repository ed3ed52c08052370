/** The file of `--columns` -> the columns of facts that do not follow the naming convention. */

import type { ColumnMap } from '../../decision/sql/table-columns.ts';
import { formatDiagnostic, listProblems } from '../../diagnostics.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { CouldNotRunError } from '../io.ts';

/** Reads the columns; none without a file. Throws a `CouldNotRunError` with all problems of the file. */
export async function loadColumns(
  file: string | undefined,
  table: FactTable,
): Promise<{ readonly columns?: ColumnMap }> {
  if (file === undefined) return {};
  const { readColumns } = await import('../../decision/rows/fact-columns.ts');
  const { columns, diagnostics } = readColumns(file, table);
  if (columns) return { columns };
  throw new CouldNotRunError(`the columns cannot be read:\n${listProblems(diagnostics, formatDiagnostic).join('\n')}`);
}
