/** The YAML of one decision table, perhaps with a CSV file -> a rule for each row; every row that matches fires. */

import { reportAt } from '../../../platform/files/source.ts';
import { toData, type Yaml } from '../../../platform/yaml.ts';
import { type Fields, readBoolean, readFields } from '../../../platform/yaml-fields.ts';
import type { Rule } from '../../language.ts';
import { DESCRIPTION, type KeyTable, key, keySetOf, readValues, required, type ValuesOf } from '../key.ts';
import { CIRCUMSTANCE_KEYS, circumstancesOf, idKey } from '../rule.ts';
import { TABLE_SLIPS } from '../slips/keys.ts';
import { type Column, columnsSchema, layOut, readColumns } from './columns.ts';
import { readRow } from './row.ts';
import { readRows, rowsSchema, type TableContext } from './rows.ts';
import { checkUnique } from './unique-rows.ts';

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
  const fields = readFields(node, 'a table', keySetOf(needsColumns(node) ? WITH_COLUMNS : TABLE_KEYS, SLIPS));
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
const SLIPS = { slips: TABLE_SLIPS };

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
  if (hasFile && key) reportAt(key, 'wrong-value', 'found columns beside a file of rows; the file has its own');
  return rows?.columns ? readColumns(rows.columns, scope) : columns;
}
