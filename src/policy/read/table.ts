/** The YAML of one decision table -> a rule for each of its rows; every row that matches fires. */

import { reportAt, type Yaml } from '../../platform/yaml.ts';
import { isNull, type KeySet, readFields, readItems, readText } from '../../platform/yaml-fields.ts';
import { count, didYouMean, nearest } from '../../text.ts';
import type { Condition, Rule } from '../language.ts';
import { placed, readTests, type Scope, withinSize } from './condition.ts';
import {
  type Circumstances,
  checkPoints,
  keyReader,
  type RuleContext,
  readCircumstances,
  readEffect,
  readId,
} from './rule.ts';

const TABLE_KEYS: KeySet = {
  required: ['id', 'columns', 'rows'],
  optional: ['whenUnknown', 'mode', 'from', 'until', 'tags', 'owner', 'description'],
};

/** The columns that are keys of the row's rule; every other column is a fact. */
export const EFFECT_COLUMNS = ['then', 'reason', 'message', 'notice', 'points'] as const;

/** A cell of a fact column that asks nothing. */
export const ANY_CELL = 'any';

/** A table, for whoever looks at it as a whole. */
export interface Table {
  readonly id: string;
  readonly node: Yaml;
  /** The facts of its columns. */
  readonly facts: readonly string[];
  readonly rows: readonly Rule[];
}

/** A column. Of one that is wrong, which is reported, `name` is what it may be meant as; undefined where nobody knows. */
type Column =
  | { readonly kind: 'fact' | 'effect'; readonly name: string }
  | { readonly kind: 'wrong'; readonly name: string | undefined };

/** Which cell of a row belongs to which column. */
interface Layout {
  readonly width: number;
  /** In the order of the keys of a map, which the fact columns are. */
  readonly facts: readonly { readonly path: string; readonly index: number }[];
  readonly effects: readonly { readonly key: string; readonly index: number }[];
}

/** Reads a table; undefined, with diagnostics, where its head is wrong. */
export function readTable(node: Yaml, context: RuleContext): Table | undefined {
  const fields = readFields(node, 'a table', TABLE_KEYS);
  if (!fields) return undefined;
  const read = keyReader(fields);
  const id = read('id', (at, what) => readId(at, what, context.ids));
  const columns = read('columns', (at) => readColumns(at, context.scope));
  const circumstances = readCircumstances(read, context.whenUnknown);
  const rows = read('rows', (at) => readItems(at, '`rows`'));
  if (!columns || !rows) return undefined;
  // Below an id or a column that is wrong the cells are read all the same: all mistakes come at once.
  const layout = layOut(columns);
  const rules = rows.flatMap(
    (row, i) => readRow(row, `${id ?? ''}/${i + 1}`, layout, circumstances, context.scope) ?? [],
  );
  if (id === undefined || columns.some(({ kind }) => kind === 'wrong')) return undefined;
  const facts = columns.flatMap(({ kind, name }) => (kind === 'fact' ? name : []));
  return { id, node, facts, rows: rules };
}

function readColumns(node: Yaml, scope: Scope): readonly Column[] | undefined {
  const taken = new Set<string>();
  const columns = readItems(node, '`columns`')?.map((item) => readColumn(item, taken, scope));
  if (columns?.every(({ name }) => name !== undefined && name !== 'then' && name !== 'points')) {
    reportAt(node, 'no-effect', 'a table with neither a `then` nor a `points` column does nothing');
  }
  return columns;
}

function readColumn(node: Yaml, taken: Set<string>, { facts, doubts }: Scope): Column {
  const name = readText(node, 'a column');
  if (name === undefined) return { kind: 'wrong', name };
  if (taken.has(name)) {
    reportAt(node, 'duplicate-name', `there is a column "${name}" already`);
    return { kind: 'wrong', name };
  }
  taken.add(name);
  if (EFFECT_COLUMNS.some((column) => column === name)) return { kind: 'effect', name };
  if (facts.has(name)) return { kind: 'fact', name };
  if (doubts.mayInclude('fact', name)) return { kind: 'wrong', name };
  const known = [...facts.keys(), ...EFFECT_COLUMNS];
  const message = `there is no fact "${name}", nor is it one of ${EFFECT_COLUMNS.join(', ')}`;
  reportAt(node, 'unknown-fact', message, didYouMean(name, known));
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
  scope: Scope,
): Rule | undefined {
  const cells = readItems(node, 'a row');
  if (!cells) return undefined;
  if (cells.length !== width) {
    reportAt(node, 'row-length', `${count(cells.length, 'cell')}; the table has ${count(width, 'column')}`);
    return undefined;
  }
  const tests = facts.map(({ path, index }) => readCell(path, cells[index] as Yaml, scope));
  const keys = new Map(effects.map(({ key, index }) => [key, { value: cells[index] as Yaml }]));
  const effect = readEffect(keyReader(keys), id, scope);
  checkPoints(effect, keys.get('points')?.value ?? node);
  const of = tests.filter((test) => test !== 'any');
  if (!of.every((test) => test !== undefined)) return undefined;
  const when = withinSize(conjunction(of), node);
  return when && placed({ ...circumstances, ...effect, id, final: false, when }, node, scope);
}

/** What a cell asks of its column's fact; `any` where it asks nothing, undefined where it is wrong. */
function readCell(path: string, node: Yaml, scope: Scope): Condition | 'any' | undefined {
  if (node.kind === 'scalar' && node.value === ANY_CELL) return 'any';
  if (isNull(node)) {
    reportAt(node, 'null-value', `a cell of ${path} without anything in it`, {
      hint: 'write `any` to ask nothing, `{ known: false }` to ask whether the fact is missing',
    });
    return undefined;
  }
  const definition = scope.facts.get(path);
  return definition && readTests(path, definition, node, scope);
}

/** All of them; a row that asks nothing always fires. */
function conjunction(tests: readonly Condition[]): Condition {
  return tests.length === 1 && tests[0] ? tests[0] : { kind: 'all', of: tests };
}
