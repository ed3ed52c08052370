/** The header of a table -> its columns, and where the cells of a row are. */

import type { JsonSchema } from '../../../facts/json-schema.ts';
import { reportAt } from '../../../platform/files/source.ts';
import type { Yaml } from '../../../platform/yaml.ts';
import { readItems, readText } from '../../../platform/yaml-fields.ts';
import { count, findMeant } from '../../../text.ts';
import type { Scope } from '../conditions/scope.ts';
import { OWN_PATH } from '../form.ts';
import type { SchemaNames } from '../key.ts';
import { EFFECT_KEYS } from '../rule.ts';
import { unknownFact } from '../slips/facts.ts';
import { COLUMN_SLIPS } from '../slips/keys.ts';

/** The columns that are keys of the row's rule; every other column is a fact. */
const EFFECT_COLUMNS = Object.keys(EFFECT_KEYS);

/** No person reads a wider table. */
const MAX_COLUMNS = 200;

/** The columns of which a table needs one, to have an effect. */
export const NEEDED_COLUMNS = ['then', 'points'];

/** A column. The `name` of a wrong one, which is reported, is the nearest known name; undefined if it has no name. */
export type Column =
  | { readonly kind: 'fact' | 'effect'; readonly name: string }
  | { readonly kind: 'wrong'; readonly name: string | undefined };

/** The columns of a table, with the index of the cell that each has in a row. */
export interface Layout {
  readonly width: number;
  /** Sorted by path, as the keys of a condition's map are. */
  readonly facts: readonly { readonly path: string; readonly index: number }[];
  readonly effects: readonly { readonly key: string; readonly index: number }[];
  /** Whether cells of keys can be left out. */
  readonly leavesOut: boolean;
  /** Whether the columns are right, and with them what a row lacks. */
  readonly isChecked: boolean;
}

/** The schema of `columns`. */
export function columnsSchema({ facts, own }: SchemaNames): JsonSchema {
  const column = { type: 'string', enum: [...facts.keys(), ...EFFECT_COLUMNS] };
  return {
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: own ? column : { anyOf: [column, OWN_PATH.schema] },
    anyOf: NEEDED_COLUMNS.map((name) => ({ contains: { const: name } })),
  };
}

/** Reads the columns of a table or of its file. */
export function readColumns(node: Yaml, scope: Scope): readonly Column[] | undefined {
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
  const message = `there is no fact "${name}"; a column must be a fact or one of ${EFFECT_COLUMNS.join(', ')}`;
  const answer = unknownFact(name, facts, EFFECT_COLUMNS, COLUMN_SLIPS);
  reportAt(node, 'unknown-fact', message, answer);
  return { kind: 'wrong', name: findMeant(name, EFFECT_COLUMNS, { slips: COLUMN_SLIPS })?.word ?? name };
}

/** Lays out columns; `leavesOut`: whether cells of keys can be left out. */
export function layOut(columns: readonly Column[], leavesOut: boolean, isFinal: boolean): Layout {
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
