/** `rows` of a table, in place or in a CSV file -> the rows, which are read once they are known to be few enough. */

import type { FactType } from '../../../facts/catalog.ts';
import { type JsonSchema, MAP, refer, TEXT, whereType } from '../../../facts/json-schema.ts';
import type { Source } from '../../../platform/files/source.ts';
import type { ListNode, MapNode, Yaml } from '../../../platform/yaml.ts';
import { readFields, readItems, readLists } from '../../../platform/yaml-fields.ts';
import { POLICY_LIMITS } from '../../budget.ts';
import { readCsvFile, type TextNode } from '../files/csv-file.ts';
import { type KeyTable, key, keySetOf, mapSchema, required, type SchemaNames } from '../key.ts';
import type { RuleContext } from '../rule.ts';
import { emptyCell, readFactCell, readNumeral } from './csv-cell.ts';

/** What tables are read with. */
export interface TableContext extends RuleContext {
  /** The text of the file that a node names; undefined, with a diagnostic, if it cannot be read. */
  readonly openText: (node: Yaml) => Source | undefined;
  /** Whether it has the columns and rows of a file instead of its name, as in the data of a policy. */
  readonly isInlined: boolean;
}

/** The keys of `rows` that name a file. */
const FILE_KEYS = {
  file: required(key('A CSV file; its first line has the columns. Relative to this file.', TEXT, (node) => node)),
} satisfies KeyTable<unknown>;

/** The schema of `rows`. */
export function rowsSchema(names: SchemaNames): JsonSchema {
  return {
    anyOf: [{ type: 'array' }, MAP],
    ...whereType(
      'array',
      {
        minItems: 1,
        items: { description: 'One cell for each column.', type: 'array', minItems: 1, items: refer('cell') },
      },
      mapSchema(FILE_KEYS, names),
    ),
  };
}

/** The rows of a table. */
export interface Rows {
  readonly count: number;
  /** The columns of a file of rows, whose cells of null are left out; undefined for rows in place. */
  readonly columns?: Yaml;
  /** Reads the cells of a file. Undefined for a row with a cell that cannot be read, which is reported. */
  read(): readonly (Yaml | undefined)[];
}

/** Reads `rows`: a list, or a map that names a file. */
export function readRows(node: Yaml, what: string, context: TableContext): Rows | undefined {
  if (node.kind === 'map') return context.isInlined ? readInlinedRows(node) : readRowsFile(node, context);
  const items = readLists(node, what);
  return items && { count: items.length, read: () => items };
}

function readRowsFile(node: MapNode, { scope, openText }: TableContext): Rows | undefined {
  const name = readFields(node, '`rows`', keySetOf(FILE_KEYS))?.get('file')?.value;
  const source = name && openText(name);
  // One more than a policy may have, so that too many are reported as such.
  const file = source && readCsvFile(source, POLICY_LIMITS.rules.most + 1);
  if (!file) return undefined;
  const { header, rows, isWhole } = file;
  const end = header.at(-1)?.end ?? 0;
  if (rows.length === 0 && isWhole)
    source.report(end, end, 'empty', 'the file has no rows; a table needs at least one');
  const readers = header.map(({ value }) => cellReader(value, scope.facts.get(value)?.type));
  return {
    count: rows.length,
    columns: { kind: 'list', items: header, source, start: 0, end },
    read: () =>
      rows.map(({ cells, ...span }): ListNode | undefined => {
        const items = cells.map((cell, i) => readers[i]?.(cell));
        return items.every((item) => item !== undefined) ? { kind: 'list', items, ...span } : undefined;
      }),
  };
}

/** The cells of a fact are values or tests; those of a key of the row are its text. */
function cellReader(column: string, type: FactType | undefined): (cell: TextNode) => Yaml | undefined {
  if (type !== undefined) return (cell) => readFactCell(cell, type);
  return (cell) => (cell.value === '' ? emptyCell(cell) : column === 'points' ? readNumeral(cell) : cell);
}

/** The columns and rows of a file, as the data of a policy has them. */
function readInlinedRows(node: MapNode): Rows | undefined {
  const fields = readFields(node, '`rows`', { required: ['columns', 'rows'], optional: [] });
  const [columns, rows] = [fields?.get('columns')?.value, fields?.get('rows')?.value];
  const items = rows && readItems(rows, '`rows`');
  return items && columns && { count: items.length, columns, read: () => items };
}
