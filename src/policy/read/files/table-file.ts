/** A CSV file of a table -> its columns and rows as they would be in YAML. */

import type { FactTable } from '../../../facts/catalog.ts';
import type { ListNode, Source, Yaml } from '../../../platform/yaml.ts';
import { emptyCell, readFactCell, readNumeral } from './csv-cell.ts';
import { readCsvFile, type TextNode } from './csv-file.ts';

/** The columns and rows of a file. A cell of null is left out. */
export interface TableFile {
  readonly columns: Yaml;
  /** Undefined for a row with a cell that cannot be read, which is reported. */
  readonly rows: readonly (ListNode | undefined)[];
}

/** Reads the CSV file of a table; undefined, with diagnostics, if its header cannot be read. */
export function readTableFile(source: Source, facts: FactTable): TableFile | undefined {
  const file = readCsvFile(source);
  if (!file) return undefined;
  const { header, rows } = file;
  const columns: ListNode = { kind: 'list', items: header, source, start: 0, end: header.at(-1)?.end ?? 0 };
  const readers = header.map(({ value }) => cellReader(value, facts));
  return {
    columns,
    rows: rows.map(({ cells, ...span }) => {
      const items = cells.map((cell, i) => readers[i]?.(cell));
      return items.every((item) => item !== undefined) ? { kind: 'list', items, ...span } : undefined;
    }),
  };
}

/** The cells of a fact are values or tests; those of a key of the row are its text. */
function cellReader(column: string, facts: FactTable): (cell: TextNode) => Yaml | undefined {
  const type = facts.get(column)?.type;
  if (type !== undefined) return (cell) => readFactCell(cell, type);
  return (cell) => (cell.value === '' ? emptyCell(cell) : column === 'points' ? readNumeral(cell) : cell);
}
