/** The YAML of one decision table, perhaps with a CSV file -> a rule for each row; every row that matches fires. */

import { type JsonSchema, MAP, refer, TEXT, whereType } from '../../facts/json-schema.ts';
import { type MapNode, reportAt, type Source, toData, type Yaml } from '../../platform/yaml.ts';
import { type Fields, isNull, readBoolean, readFields, readItems, readText } from '../../platform/yaml-fields.ts';
import { count, nearest } from '../../text.ts';
import { ANY_CELL, type Condition, NONE_CELL, OUTCOMES, type Rule } from '../language.ts';
import { conjunction, noteSpan, readTests, type Scope, withinSize } from './condition.ts';
import { readTableFile } from './files/table-file.ts';
import { OWN_PATH } from './form.ts';
import {
  DESCRIPTION,
  type KeyTable,
  key,
  keySetOf,
  mapSchema,
  oneOfKey,
  readValues,
  required,
  type SchemaNames,
  type ValuesOf,
} from './key.ts';
import {
  CIRCUMSTANCE_KEYS,
  type Circumstances,
  checkPoints,
  circumstancesOf,
  EFFECT_KEYS,
  effectOf,
  idKey,
  type RuleContext,
} from './rule.ts';
import { checkUnique } from './values/unique-rows.ts';

/** The columns that are keys of the row's rule; every other column is a fact. */
const EFFECT_COLUMNS = Object.keys(EFFECT_KEYS);

/** No person reads a wider table. */
const MAX_COLUMNS = 200;

/** The columns of which a table needs one, to have an effect. */
export const NEEDED_COLUMNS = ['then', 'points'];

/** The keys that the cells of a row can give. */
const CELL_KEYS = {
  ...EFFECT_KEYS,
  // biome-ignore lint/suspicious/noThenProperty: the word of the language; the table is never awaited
  then: oneOfKey('What the row asks for when it fires; none if it only adds points.', [...OUTCOMES, NONE_CELL]),
} satisfies KeyTable<RuleContext>;

/** What tables are read with. */
export interface TableContext extends RuleContext {
  /** The text of the file that a node names; undefined, with a diagnostic, if it cannot be read. */
  readonly openText: (node: Yaml) => Source | undefined;
  /** Whether the columns and rows of a file stand in its place, as in the data of a policy. */
  readonly isInlined: boolean;
}

/** The keys of `rows` that name a file. */
const FILE_KEYS = {
  file: required(key('A CSV file; its first line has the columns. Relative to this file.', TEXT, (node) => node)),
} satisfies KeyTable<unknown>;

/** The keys of a table. */
export const TABLE_KEYS = {
  id: idKey('Its name in kebab-case; its rows have the ids <table>/1, <table>/2 …'),
  columns: key(
    'The facts that the cells are about, and the keys of a rule that they give. A file of rows has its own.',
    columnsSchema,
    (node, _, { scope }: TableContext) => readColumns(node, scope),
  ),
  rows: required(
    key('For each row as many cells as there are columns; or a CSV file of columns and rows.', rowsSchema, readRows),
  ),
  final: key(
    'true: a row that fires decides alone (allow lists, hard blocks); of several, the strictest.',
    { type: 'boolean' },
    readBoolean,
  ),
  unique: key(
    'true: no two rows may match at once; some column has to keep each two apart.',
    { type: 'boolean' },
    readBoolean,
  ),
  ...CIRCUMSTANCE_KEYS,
  description: DESCRIPTION,
} satisfies KeyTable<TableContext>;

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

function columnsSchema({ facts, own }: SchemaNames): JsonSchema {
  const column = { type: 'string', enum: [...facts.keys(), ...EFFECT_COLUMNS] };
  return {
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: own ? column : { anyOf: [column, OWN_PATH.schema] },
    anyOf: NEEDED_COLUMNS.map((name) => ({ contains: { const: name } })),
  };
}

/** A table as a whole, for the checks. */
export interface Table {
  readonly id: string;
  readonly node: Yaml;
  /** The name of each column, and those of facts alone. */
  readonly columns: readonly string[];
  readonly facts: readonly string[];
  readonly rows: readonly Rule[];
  /** The columns and rows of its file as data, which stand in the place of `rows`. */
  readonly fileData: unknown;
}

/** The rows of a table. */
interface Rows {
  readonly items: readonly (Yaml | undefined)[];
  /** What only the rows of a file have: their columns, and cells that are left out. */
  readonly file?: { readonly columns: readonly Column[] | undefined; readonly data: unknown };
}

/** A column. The `name` of a wrong one, which is reported, is the nearest known name; undefined if it has no name. */
type Column =
  | { readonly kind: 'fact' | 'effect'; readonly name: string }
  | { readonly kind: 'wrong'; readonly name: string | undefined };

/** The columns of a table, with the index of the cell that each has in a row. */
interface Layout {
  readonly width: number;
  /** Sorted by path, as the keys of a condition's map are. */
  readonly facts: readonly { readonly path: string; readonly index: number }[];
  readonly effects: readonly { readonly key: string; readonly index: number }[];
  /** Whether cells of keys can be left out. */
  readonly leavesOut: boolean;
  /** Whether the columns are right, and with them what a row lacks. */
  readonly isChecked: boolean;
}

/** What holds for every row. */
type Lent = Circumstances & Pick<Rule, 'final'>;

/** Reads a table; undefined, with diagnostics, if its id or columns are wrong. */
export function readTable(node: Yaml, context: TableContext): Table | undefined {
  const fields = readFields(node, 'a table', keySetOf(TABLE_KEYS));
  if (!fields) return undefined;
  const values = readValues(fields, TABLE_KEYS, context);
  const { id, rows, final = false } = values;
  const lent = { ...circumstancesOf(values, fields, context.whenUnknown), final };
  const columns = columnsOf(fields, values);
  if (!columns || !rows) return undefined;
  const { items, file } = rows;
  const { budget } = context.scope;
  const rowsNode = fields.get('rows')?.value ?? node;
  const cells = items.length * columns.length;
  if (!budget.spend('rules', items.length, rowsNode) || !budget.spend('cells', cells, rowsNode)) return undefined;
  // The cells are read even if the id or a column is wrong, so that all mistakes are reported at once.
  const layout = layOut(columns, file !== undefined, final);
  const isFinalAlone = final && !columns.some(({ name }) => name === 'then');
  if (isFinalAlone) reportAt(fields.get('final')?.key ?? node, 'no-effect', 'a final table must decide; add `then`');
  const rules = items.flatMap((row, i) => (row && readRow(row, `${id ?? ''}/${i + 1}`, layout, lent, context)) ?? []);
  if (id === undefined || columns.some(({ kind }) => kind === 'wrong')) return undefined;
  const facts = columns.flatMap(({ kind, name }) => (kind === 'fact' ? name : []));
  // A row with a mistake may differ from the others in what it lacks.
  if (values.unique && rules.length === items.length) {
    checkUnique(id, rules, fields.get('unique')?.key ?? node, context.scope);
  }
  return { id, node, columns: columns.map(({ name }) => name ?? ''), facts, rows: rules, fileData: file?.data };
}

/** The columns of a table or of its file; reports a table that has none of them, or both. */
function columnsOf(fields: Fields, { columns, rows }: ValuesOf<typeof TABLE_KEYS>): readonly Column[] | undefined {
  const hasFile = fields.get('rows')?.value.kind === 'map';
  const key = fields.get('columns')?.key;
  if (hasFile && key) reportAt(key, 'wrong-value', 'found columns beside a file of rows; the file has its own');
  const [first] = fields.values();
  if (!hasFile && first && !fields.isMeant('columns')) {
    reportAt(first.key, 'missing-key', 'a table needs the key "columns"');
  }
  return hasFile ? rows?.file?.columns : columns;
}

function readRows(node: Yaml, what: string, context: TableContext): Rows | undefined {
  if (node.kind !== 'map') {
    const items = readItems(node, what);
    return items && { items };
  }
  return context.isInlined ? readInlinedRows(node, context) : readRowsFile(node, context);
}

/** The rows of a CSV file. */
function readRowsFile(node: MapNode, { scope, openText }: TableContext): Rows | undefined {
  const fields = readFields(node, '`rows`', keySetOf(FILE_KEYS));
  const file = fields?.get('file')?.value;
  const source = file && openText(file);
  const table = source && readTableFile(source, scope.facts);
  if (!table) return undefined;
  const { columns, rows } = table;
  if (rows.length === 0 && source.reported.size === 0) {
    source.report(columns.end, columns.end, 'empty', 'the file has no rows; a table needs at least one');
  }
  const data = { columns: toData(columns), rows: rows.map((row) => row && toData(row)) };
  return { items: rows, file: { columns: readColumns(columns, scope), data } };
}

/** The columns and rows of a file, as they stand in the data of a policy. */
function readInlinedRows(node: MapNode, { scope }: TableContext): Rows | undefined {
  const fields = readFields(node, '`rows`', { required: ['columns', 'rows'], optional: [] });
  const [columns, rows] = [fields?.get('columns')?.value, fields?.get('rows')?.value];
  const items = rows && readItems(rows, '`rows`');
  return items && columns && { items, file: { columns: readColumns(columns, scope), data: toData(node) } };
}

function readColumns(node: Yaml, scope: Scope): readonly Column[] | undefined {
  const taken = new Set<string>();
  const items = readItems(node, '`columns`');
  if (items && items.length > MAX_COLUMNS) {
    const message = `found ${count(items.length, 'column')}; a table has at most ${MAX_COLUMNS}`;
    return reportAt(node, 'too-large', message);
  }
  const columns = items?.map((item) => readColumn(item, taken, scope));
  if (columns?.every(({ name }) => name !== undefined && !NEEDED_COLUMNS.includes(name))) {
    reportAt(node, 'no-effect', 'a table without a `then` and a `points` column has no effect; add one of them');
  }
  return columns;
}

function readColumn(node: Yaml, taken: Set<string>, { facts, unresolved }: Scope): Column {
  const name = readText(node, 'a column');
  if (name === undefined) return { kind: 'wrong', name };
  if (taken.has(name)) {
    reportAt(node, 'duplicate-name', `the column "${name}" occurs twice`);
    return { kind: 'wrong', name };
  }
  taken.add(name);
  if (EFFECT_COLUMNS.includes(name)) return { kind: 'effect', name };
  if (facts.has(name)) return { kind: 'fact', name };
  if (unresolved.mayInclude('fact', name)) return { kind: 'wrong', name };
  const known = [...facts.keys(), ...EFFECT_COLUMNS];
  const message = `there is no fact "${name}"; a column must be a fact or one of ${EFFECT_COLUMNS.join(', ')}`;
  reportAt(node, 'unknown-fact', message, { unknown: { word: name, known } });
  return { kind: 'wrong', name: nearest(name, known) ?? name };
}

function layOut(columns: readonly Column[], leavesOut: boolean, isFinal: boolean): Layout {
  const facts = columns.flatMap(({ kind, name }, index) => (kind === 'fact' ? { path: name, index } : []));
  const effects = columns.flatMap(({ kind, name }, index) => (kind === 'effect' ? { key: name, index } : []));
  const isChecked =
    columns.every(({ kind }) => kind !== 'wrong') &&
    effects.some(({ key }) => key === 'then' || (!isFinal && key === 'points'));
  return {
    width: columns.length,
    facts: facts.sort((a, b) => (a.path < b.path ? -1 : 1)),
    effects,
    leavesOut,
    isChecked,
  };
}

function readRow(
  node: Yaml,
  id: string,
  { width, facts, effects, leavesOut, isChecked }: Layout,
  lent: Lent,
  context: RuleContext,
): Rule | undefined {
  const cells = readItems(node, 'a row');
  if (!cells) return undefined;
  if (cells.length !== width) {
    const message = `found ${count(cells.length, 'cell')}; the table has ${count(width, 'column')}`;
    return reportAt(node, 'row-length', message);
  }
  const tests = facts.map(({ path, index }) => readCell(path, cells[index] as Yaml, context.scope));
  const given = effects.map(({ key, index }) => [key, { value: cells[index] as Yaml }] as const);
  const keys = new Map(leavesOut ? given.filter(([, { value }]) => !isNull(value)) : given);
  const { then: asked, ...values } = readValues(keys, CELL_KEYS, context);
  const then = asked === NONE_CELL ? undefined : asked;
  const effect = effectOf({ ...values, then }, id);
  checkPoints(effect, keys.get('points')?.value ?? node, context);
  const isAskingNothing = !keys.has('then') || asked === NONE_CELL;
  if (isChecked && isAskingNothing) checkAlone(keys.get('then')?.value ?? node, keys.has('points'), lent);
  const condition = conjunction(tests.filter((test) => test !== 'any'));
  const when = condition && withinSize(condition, node, context.scope);
  return when && noteSpan({ ...lent, ...effect, id, when }, node, context.scope);
}

/** Reports a row without an outcome that needs one. */
function checkAlone(node: Yaml, hasPoints: boolean, { final }: Lent): void {
  if (final) reportAt(node, 'no-effect', 'the rows of a final table must decide; give each an outcome in `then`');
  else if (!hasPoints)
    reportAt(node, 'no-effect', 'a row without an outcome and points has no effect; add one of them');
}

/** The condition of a cell on its column's fact; `any` if it asks nothing, undefined if it is wrong. */
function readCell(path: string, node: Yaml, scope: Scope): Condition | 'any' | undefined {
  if (node.kind === 'scalar' && node.value === ANY_CELL) return 'any';
  if (isNull(node)) {
    return reportAt(node, 'null-value', `found an empty cell of ${path}`, {
      hint: 'write `any` to test nothing, `{ known: false }` to test whether the fact is missing',
    });
  }
  const definition = scope.facts.get(path);
  return definition && readTests(path, definition, node, scope);
}
