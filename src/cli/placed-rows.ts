/** Rows that end with a file and a line -> JSON, CSV, or a table that has both in one column. */

import type { Io } from './io.ts';
import { endWith } from './result.ts';

/** Ends a command with rows. `titles`: of all columns but the last two; `found` counts the rows, in words. */
export async function endWithRows(
  io: Io,
  options: { readonly format: string },
  { rows, titles, found }: { rows: readonly object[]; titles: readonly string[]; found: string },
): Promise<void> {
  const { countedTable, csvText } = await import('../report/plain-text.ts');
  const cells = rows.map((row) => Object.values(row).map(cellOf));
  const table = {
    columns: [...titles.map(inWords), 'where'],
    rows: cells.map((row) => [...row.slice(0, -2), row.slice(-2).join(':')].map(String)),
  };
  await endWith(io, options, {
    data: () => rows,
    csv: () => csvText([[...titles, 'file', 'line'], ...cells]),
    text: (style) => countedTable(table, found, style),
  });
}

/** `used by` for `usedBy`. */
function inWords(title: string): string {
  return title.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function cellOf(value: unknown): string | number {
  if (typeof value === 'number') return value;
  return Array.isArray(value) ? value.join(', ') : String(value ?? '');
}
