/** The YAML of one decision table -> a rule for each of its rows; every row that matches fires. */

import { didYouMean } from '../diagnostics.ts';
import { type KeySet, readFields, readItems, readText } from '../facts/fields.ts';
import { type MapEntry, reportAt, type ScalarNode, type Yaml } from '../yaml.ts';
import { placed, readTests, type Scope } from './condition.ts';
import type { Condition, Rule } from './language.ts';
import {
  type Circumstances,
  checkEffect,
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

/** A column: what it is called, and where. */
interface Column {
  readonly name: string;
  readonly node: ScalarNode;
  readonly isFact: boolean;
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
  if (id === undefined || !columns || !rows) return undefined;
  const rules = rows.flatMap((row, i) => readRow(row, `${id}/${i + 1}`, columns, circumstances, context.scope) ?? []);
  const facts = columns.filter((column) => column.isFact).map((column) => column.name);
  return { id, node, facts, rows: rules };
}

function readColumns(node: Yaml, { facts, doubts }: Scope): readonly Column[] | undefined {
  const items = readItems(node, '`columns`');
  const columns: Column[] = [];
  for (const item of items ?? []) {
    const name = readText(item, 'a column');
    if (name === undefined || item.kind !== 'scalar') continue;
    const isEffect = EFFECT_COLUMNS.some((column) => column === name);
    if (columns.some((column) => column.name === name)) {
      reportAt(item, 'duplicate-name', `there is a column "${name}" already`);
    } else if (isEffect || facts.has(name)) {
      columns.push({ name, node: item, isFact: !isEffect });
    } else if (!doubts.cover('fact', name)) {
      const hint = didYouMean(name, [...facts.keys(), ...EFFECT_COLUMNS]);
      reportAt(item, 'unknown-fact', `there is no fact "${name}", nor is it one of ${EFFECT_COLUMNS.join(', ')}`, hint);
    }
  }
  return items && columns.length === items.length ? columns : undefined;
}

function readRow(
  node: Yaml,
  id: string,
  columns: readonly Column[],
  circumstances: Circumstances,
  scope: Scope,
): Rule | undefined {
  const cells = readItems(node, 'a row');
  if (!cells) return undefined;
  if (cells.length !== columns.length) {
    reportAt(node, 'row-length', `${cells.length} cells; the table has ${columns.length} columns`);
    return undefined;
  }
  const row = new Row(columns.map((column, i) => [column.name, { key: column.node, value: cells[i] as Yaml }]));
  const facts = columns.filter(({ isFact }) => isFact).map(({ name }) => name);
  // In the order of the keys of a map, which the fact columns are.
  const tests = facts.sort().map((path) => readCell(path, row.get(path) as MapEntry, scope));
  const effect = readEffect(keyReader(row), id, scope);
  checkEffect(effect, row, node);
  const of = tests.filter((test) => test !== 'any');
  if (!of.every((test) => test !== undefined)) return undefined;
  return placed({ ...circumstances, ...effect, id, final: false, when: conjunction(of) }, node, scope);
}

/** The cells of a row by the names of their columns. */
class Row extends Map<string, MapEntry> {
  isMeant(name: string): boolean {
    return this.has(name);
  }
}

/** What a cell asks of its column's fact; `any` where it asks nothing, undefined where it is wrong. */
function readCell(path: string, { value }: MapEntry, scope: Scope): Condition | 'any' | undefined {
  if (value.kind === 'scalar' && value.value === ANY_CELL) return 'any';
  const definition = scope.facts.get(path);
  return definition && readTests(path, definition, value, scope);
}

/** All of them; a row that asks nothing always fires. */
function conjunction(tests: readonly Condition[]): Condition {
  return tests.length === 1 && tests[0] ? tests[0] : { kind: 'all', of: tests };
}
