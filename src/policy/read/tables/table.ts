/** The YAML of one decision table, perhaps with a CSV file -> a rule for each row; every row that matches fires. */

import type { FactTable, FactType } from '../../../facts/catalog.ts';
import { type JsonSchema, MAP, refer, TEXT, whereType } from '../../../facts/json-schema.ts';
import { reportAt, type Source } from '../../../platform/files/source.ts';
import { type ListNode, type MapNode, toData, type Yaml } from '../../../platform/yaml.ts';
import { type Fields, readBoolean, readFields, readItems, readLists } from '../../../platform/yaml-fields.ts';
import { count } from '../../../text.ts';
import { findOverlaps, type SharedFact } from '../../cells/overlap.ts';
import { namesPeople } from '../../identities.ts';
import { type Rule, testsOf } from '../../language.ts';
import { POLICY_LIMITS } from '../conditions/scope.ts';
import { type CsvFile, emptyCell, readCsvFile, readFactCell, readNumeral, type TextNode } from '../files/csv-file.ts';
import {
  DESCRIPTION,
  type KeyTable,
  key,
  keySetOf,
  mapSchema,
  readValues,
  required,
  type SchemaNames,
  type ValuesOf,
} from '../key.ts';
import { TABLE_SYNONYMS } from '../mistakes/keys.ts';
import { CIRCUMSTANCE_KEYS, circumstancesOf, idKey, type RuleContext } from '../rule.ts';
import { type Column, columnsSchema, layOut, readColumns, readRow } from './row.ts';

/** The keys of a table. */
export const TABLE_KEYS = {
  id: idKey('The name of the table, as for a rule. Its rows are numbered: limits/1, limits/2.'),
  columns: key(
    'What the cells are about: facts, and then, points, reason, message, notice. A CSV file has its columns itself.',
    columnsSchema,
    (node, _, { scope }: TableContext) => readColumns(node, scope),
  ),
  rows: required(
    key('The rows, each with one cell for each column; or { file: … } with a CSV file.', rowsSchema, readRows),
  ),
  final: key('true: a row that fires decides alone, as a final rule does.', { type: 'boolean' }, readBoolean),
  unique: key('true: it is an error if two rows can match at once.', { type: 'boolean' }, readBoolean),
  ...CIRCUMSTANCE_KEYS,
  description: DESCRIPTION,
} satisfies KeyTable<TableContext>;

/** A table as a whole, for the checks. */
export interface Table {
  readonly id: string;
  readonly node: Yaml;
  /** The name of each column, and those of facts alone. */
  readonly columns: readonly string[];
  readonly facts: readonly string[];
  readonly rows: readonly Rule[];
  /** The columns and rows of its file as data: the value of `rows`. */
  readonly fileData: unknown;
}

/** Reads a table; undefined, with diagnostics, if its id or columns are wrong. */
export function readTable(node: Yaml, context: TableContext): Table | undefined {
  const fields = readFields(node, 'a table', keySetOf(needsColumns(node) ? WITH_COLUMNS : TABLE_KEYS, SYNONYMS));
  if (!fields) return undefined;
  const values = readValues(fields, TABLE_KEYS, context);
  const { id, rows, final = false } = values;
  const lent = { ...circumstancesOf(values, fields, context.whenUnknown), final };
  const columns = columnsOf(fields, values, context);
  if (!columns || !rows) return undefined;
  const { budget } = context.scope;
  const rowsNode = fields.get('rows')?.value ?? node;
  const cells = rows.count * columns.length;
  if (!budget.spend('rules', rows.count, rowsNode) || !budget.spend('cells', cells, rowsNode)) return undefined;
  const items = rows.read();
  // The cells are read even if the id or a column is wrong, so that all mistakes are reported at once.
  const layout = layOut(columns, rows.columns !== undefined, final);
  const isFinalAlone = final && !columns.some(({ name }) => name === 'then');
  if (isFinalAlone) reportAt(fields.get('final')?.key ?? node, 'no-effect', 'a final table must decide; add `then`');
  const rules = items.flatMap((row, i) => (row && readRow(row, `${id ?? ''}/${i + 1}`, layout, lent, context)) ?? []);
  if (id === undefined || columns.some(({ kind }) => kind === 'wrong')) return undefined;
  const facts = columns.flatMap(({ kind, name }) => (kind === 'fact' ? name : []));
  // A row with a mistake may differ from the others in what it lacks.
  if (values.unique && rules.length === items.length) {
    checkUnique(id, rules, fields.get('unique')?.key ?? node, context.scope);
  }
  const fileData = rows.columns && { columns: toData(rows.columns), rows: items.map((row) => row && toData(row)) };
  return { id, node, columns: columns.map(({ name }) => name ?? ''), facts, rows: rules, fileData };
}

const WITH_COLUMNS: KeyTable<TableContext> = { ...TABLE_KEYS, columns: required(TABLE_KEYS.columns) };
const SYNONYMS = { synonyms: TABLE_SYNONYMS };

/** A file of rows has its own columns. */
function needsColumns(node: Yaml): boolean {
  return node.kind !== 'map' || node.entries.get('rows')?.value.kind !== 'map';
}

/** The columns of a table or of its file; reports a table that has both. */
function columnsOf(
  fields: Fields,
  { columns, rows }: ValuesOf<typeof TABLE_KEYS>,
  { scope }: TableContext,
): readonly Column[] | undefined {
  const hasFile = fields.get('rows')?.value.kind === 'map';
  const key = fields.get('columns')?.key;
  if (hasFile && key) reportAt(key, 'wrong-value', 'found columns together with a file of rows; the file has its own');
  return rows?.columns ? readColumns(rows.columns, scope) : columns;
}

/** What tables are read with. */
interface TableContext extends RuleContext {
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
function rowsSchema(names: SchemaNames): JsonSchema {
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
interface Rows {
  readonly count: number;
  /** The columns of a file of rows, whose cells of null are left out; undefined for rows in place. */
  readonly columns?: Yaml;
  /** Reads the cells of a file. Undefined for a row with a cell that cannot be read, which is reported. */
  read(): readonly (Yaml | undefined)[];
}

/** Reads `rows`: a list, or a map that names a file. */
function readRows(node: Yaml, what: string, context: TableContext): Rows | undefined {
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
  const { header, rows, isWhole } = withoutEmptyColumns(file);
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

/** A file without the columns at its end that have neither a name nor a cell, which are reported once. */
function withoutEmptyColumns({ header, rows, isWhole }: CsvFile): CsvFile {
  const width = header.findLastIndex(({ value }) => value !== '') + 1;
  const first = width > 0 ? header[width] : undefined;
  const areEmpty = rows.every(({ cells }) => cells.slice(width).every(({ value }) => value === ''));
  if (!first || !areEmpty) return { header, rows, isWhole };
  const message = `found ${count(header.length - width, 'empty column')} at the end, as spreadsheets write them`;
  reportAt(first, 'empty', message, { hint: 'delete the empty columns' });
  const narrowRows = rows.map((row) => ({ ...row, cells: row.cells.slice(0, width) }));
  return { header: header.slice(0, width), rows: narrowRows, isWhole };
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

/** What the rows refer to, and where they stand. */
interface RowScope {
  readonly facts: FactTable;
  readonly nodes: WeakMap<object, Yaml>;
}

/** Reports rows that may match at once, or at `key` that the table is too large to tell. */
function checkUnique(table: string, rows: readonly Rule[], key: Yaml, { facts, nodes }: RowScope): void {
  const { found, isWhole } = findOverlaps(
    rows.map(({ when }) => [...testsOf(when)]),
    facts,
  );
  for (const { earlier, later, facts: shared } of found) {
    const [first, second] = [rows[earlier], rows[later]].map((row) => row && nodes.get(row));
    if (!first || !second) continue;
    const values = [...shared].map(([fact, each]) => `${fact} ${show(fact, each, facts)}`).join(', ');
    const both = `the rows ${earlier + 1} and ${later + 1}`;
    const message = `${both} of the table "${table}" may match at once: ${values || 'both test nothing'}`;
    reportAt(second, 'rows-overlap', message, {
      hint: 'with `unique: true`, some column has to keep each two rows apart',
      related: { at: first, message: `row ${earlier + 1} is here` },
    });
  }
  if (found.length > 0 || isWhole) return;
  reportAt(key, 'too-large', `the rows of the table "${table}" are too many to be compared with each other`, {
    hint: 'split the table, or remove `unique`',
  });
}

/** A value of a fact for people; not a personal one. */
function show(path: string, given: SharedFact, facts: FactTable): string {
  if (namesPeople(path, facts)) return 'of both (not shown)';
  if ('value' in given) return typeof given.value === 'string' ? given.value : JSON.stringify(given.value);
  return given.cells.map(({ words }) => words).join(' and ');
}
