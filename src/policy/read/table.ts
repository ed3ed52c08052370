/** The YAML of one decision table -> a rule for each of its rows; every row that matches fires. */

import { type JsonSchema, refer } from '../../facts/json-schema.ts';
import { reportAt, type Yaml } from '../../platform/yaml.ts';
import { isNull, readFields, readItems, readText } from '../../platform/yaml-fields.ts';
import { count, nearest } from '../../text.ts';
import type { Condition, Rule } from '../language.ts';
import { conjunction, noteSpan, readTests, type Scope, withinSize } from './condition.ts';
import { OWN_PATH } from './form.ts';
import { DESCRIPTION, type KeyTable, key, keySetOf, readValues, required, type SchemaNames } from './key.ts';
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

/** The columns that are keys of the row's rule; every other column is a fact. */
const EFFECT_COLUMNS = Object.keys(EFFECT_KEYS);

/** No person reads a wider table. */
const MAX_COLUMNS = 200;

/** The columns of which a table needs one, to have an effect. */
const NEEDED_COLUMNS = ['then', 'points'];

/** A cell of a fact column that asks nothing. */
export const ANY_CELL = 'any';

/** The keys of a table. */
export const TABLE_KEYS = {
  id: idKey('Its name in kebab-case; its rows have the ids <table>/1, <table>/2 …'),
  columns: required(
    key(
      'The facts that the cells are about, and the keys of a rule that they give.',
      columnsSchema,
      (node, _, { scope }: RuleContext) => readColumns(node, scope),
    ),
  ),
  rows: required(
    key(
      'For each row as many cells as there are columns.',
      {
        type: 'array',
        minItems: 1,
        items: { description: 'One cell for each column.', type: 'array', minItems: 1, items: refer('cell') },
      },
      readItems,
    ),
  ),
  ...CIRCUMSTANCE_KEYS,
  description: DESCRIPTION,
} satisfies KeyTable<RuleContext>;

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
  /** The facts of its columns. */
  readonly facts: readonly string[];
  readonly rows: readonly Rule[];
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
}

/** Reads a table; undefined, with diagnostics, if its id or columns are wrong. */
export function readTable(node: Yaml, context: RuleContext): Table | undefined {
  const fields = readFields(node, 'a table', keySetOf(TABLE_KEYS));
  if (!fields) return undefined;
  const values = readValues(fields, TABLE_KEYS, context);
  const { id, columns, rows } = values;
  const circumstances = circumstancesOf(values, fields, context.whenUnknown);
  if (!columns || !rows) return undefined;
  const { budget } = context.scope;
  const rowsNode = fields.get('rows')?.value ?? node;
  const cells = rows.length * columns.length;
  if (!budget.spend('rules', rows.length, rowsNode) || !budget.spend('cells', cells, rowsNode)) return undefined;
  // The cells are read even if the id or a column is wrong, so that all mistakes are reported at once.
  const layout = layOut(columns);
  const rules = rows.flatMap((row, i) => readRow(row, `${id ?? ''}/${i + 1}`, layout, circumstances, context) ?? []);
  if (id === undefined || columns.some(({ kind }) => kind === 'wrong')) return undefined;
  const facts = columns.flatMap(({ kind, name }) => (kind === 'fact' ? name : []));
  return { id, node, facts, rows: rules };
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

function layOut(columns: readonly Column[]): Layout {
  const facts = columns.flatMap(({ kind, name }, index) => (kind === 'fact' ? { path: name, index } : []));
  const effects = columns.flatMap(({ kind, name }, index) => (kind === 'effect' ? { key: name, index } : []));
  return { width: columns.length, facts: facts.sort((a, b) => (a.path < b.path ? -1 : 1)), effects };
}

function readRow(
  node: Yaml,
  id: string,
  { width, facts, effects }: Layout,
  circumstances: Circumstances,
  context: RuleContext,
): Rule | undefined {
  const cells = readItems(node, 'a row');
  if (!cells) return undefined;
  if (cells.length !== width) {
    const message = `found ${count(cells.length, 'cell')}; the table has ${count(width, 'column')}`;
    return reportAt(node, 'row-length', message);
  }
  const tests = facts.map(({ path, index }) => readCell(path, cells[index] as Yaml, context.scope));
  const keys = new Map(effects.map(({ key, index }) => [key, { value: cells[index] as Yaml }]));
  const effect = effectOf(readValues(keys, EFFECT_KEYS, context), id);
  checkPoints(effect, keys.get('points')?.value ?? node);
  const condition = conjunction(tests.filter((test) => test !== 'any'));
  const when = condition && withinSize(condition, node, context.scope);
  return when && noteSpan({ ...circumstances, ...effect, id, final: false, when }, node, context.scope);
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
