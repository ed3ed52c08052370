/** The header of a table -> its columns; the cells of a row -> the rule of the row. */

import type { FactDefinition } from '../../../facts/catalog.ts';
import type { JsonSchema } from '../../../facts/json-schema.ts';
import { type DiagnosticDetails, reportAt } from '../../../platform/files/source.ts';
import { cellsMeantBy } from '../../../platform/syntax/shapes.ts';
import type { ScalarNode, Yaml } from '../../../platform/yaml.ts';
import { isNull, readItems, readText } from '../../../platform/yaml-fields.ts';
import { count, findMeant } from '../../../text.ts';
import { ANY_CELL, type Condition, NONE_CELL, OUTCOMES, type Rule } from '../../language.ts';
import { readTests, withinSize } from '../conditions/condition.ts';
import { conjunction, noteSpan, type Scope } from '../conditions/scope.ts';
import { NAMED_PATH } from '../form.ts';
import { type KeyTable, oneOfKey, readValues, type SchemaNames } from '../key.ts';
import { unknownFact } from '../mistakes/facts.ts';
import { COLUMN_SYNONYMS } from '../mistakes/keys.ts';
import { OUTCOME_SYNONYMS } from '../mistakes/values.ts';
import { type Circumstances, checkPoints, EFFECT_KEYS, effectOf, type RuleContext } from '../rule.ts';

/** The columns that are keys of the row's rule; every other column is a fact. */
const EFFECT_COLUMNS = Object.keys(EFFECT_KEYS);

/** No person reads a wider table. */
const MAX_COLUMNS = 200;

/** The columns with an effect; a table needs one of them. */
export const NEEDED_COLUMNS = ['then', 'points'];

/** A column. The `name` of a wrong one, which is reported, is the nearest known name; undefined if it has no name. */
export type Column =
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

/** The schema of `columns`. */
export function columnsSchema({ facts, own }: SchemaNames): JsonSchema {
  const column = { type: 'string', enum: [...facts.keys(), ...EFFECT_COLUMNS] };
  return {
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: own ? column : { anyOf: [column, NAMED_PATH.schema] },
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

function readColumn(node: Yaml, taken: Set<string>, { facts, conditions, unresolved }: Scope): Column {
  const name = readText(node, 'a column');
  if (name === undefined) return { kind: 'wrong', name };
  if (taken.has(name)) {
    const hint = 'one cell may have several tests: `{ atLeast: …, below: … }`';
    reportAt(node, 'duplicate-name', `the column "${name}" occurs twice`, { hint });
    return { kind: 'wrong', name };
  }
  taken.add(name);
  if (EFFECT_COLUMNS.includes(name)) return { kind: 'effect', name };
  if (facts.has(name)) return { kind: 'fact', name };
  if (unresolved.mayInclude('fact', name)) return { kind: 'wrong', name };
  const message = `there is no fact "${name}"; a column must be a fact or one of ${EFFECT_COLUMNS.join(', ')}`;
  const answer = conditions.has(name)
    ? { hint: `${name} is a named condition: write a column for each fact that it tests` }
    : unknownFact(name, facts, EFFECT_COLUMNS, COLUMN_SYNONYMS);
  reportAt(node, 'unknown-fact', message, answer);
  return { kind: 'wrong', name: findMeant(name, EFFECT_COLUMNS, { synonyms: COLUMN_SYNONYMS })?.word ?? name };
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

/** The keys that the cells of a row can give. */
const CELL_KEYS = {
  ...EFFECT_KEYS,
  then: oneOfKey(
    'What the row asks for when it fires; none if it only adds points.',
    [...OUTCOMES, NONE_CELL],
    OUTCOME_SYNONYMS,
  ),
} satisfies KeyTable<RuleContext>;

/** What holds for every row. */
type Lent = Circumstances & Pick<Rule, 'final'>;

/** Reads a row; undefined, with diagnostics, where anything in it is wrong. */
export function readRow(
  node: Yaml,
  id: string,
  { width, facts, effects, leavesOut, isChecked }: Layout,
  lent: Lent,
  context: RuleContext,
): Rule | undefined {
  const order = { hint: 'write the cells alone, in the order of the columns: `[ …, … ]`' };
  const cells = readItems(node, 'a row', node.kind === 'map' ? order : undefined);
  if (!cells) return undefined;
  if (cells.length !== width) {
    const message = `found ${count(cells.length, 'cell')}; the table has ${count(width, 'column')}`;
    const hint =
      cells.length < width
        ? `write \`${ANY_CELL}\` for a fact that a row does not test, \`${NONE_CELL}\` for a key that it lacks`
        : undefined;
    return reportAt(node, 'row-length', message, cellsMeantBy(cells, width) ?? { hint });
  }
  const tests = facts.map(({ path, index }) => readCell(path, cells[index] as Yaml, context.scope));
  const given = effects.map(({ key, index }) => [key, { value: cells[index] as Yaml }] as const);
  const keys = new Map(given.filter(([key, { value }]) => isGiven(key, value, leavesOut)));
  const values = readValues(keys, CELL_KEYS, context);
  const asked = values.then;
  const effect = effectOf(values, id, asked === NONE_CELL ? undefined : asked);
  checkPoints(effect, keys.get('points')?.value ?? node, context);
  const isAskingNothing = !keys.has('then') || asked === NONE_CELL;
  if (isChecked && isAskingNothing) checkAlone(keys.get('then')?.value ?? node, keys.has('points'), lent);
  const condition = conjunction(tests.filter((test) => test !== 'any'));
  const when = condition && withinSize(condition, node, context.scope);
  return when && noteSpan({ ...lent, ...effect, id, when }, node, context.scope);
}

/** What a diagnostic says in addition to its message. */
type Answer = Pick<DiagnosticDetails, 'hint' | 'fix'>;

/** Whether a cell gives a key of the row; reports one that is neither a value nor left out by `none`. */
function isGiven(key: string, node: Yaml, leavesOut: boolean): boolean {
  if (isNull(node) && leavesOut) return false;
  if (key === 'then' || node.kind !== 'scalar') return true;
  if (node.value === NONE_CELL) return false;
  if (!isNull(node) && !SAYS_NOTHING.test(String(node.value))) return true;
  const hint = `write \`${NONE_CELL}\` for a row without \`${key}\``;
  reportNothing(node, `\`${key}\``, { hint, fix: { value: NONE_CELL } });
  return false;
}

/** What people write in a cell that should say nothing. */
const SAYS_NOTHING = /^\s*(any|none|n\/a|[-–—*])?\s*$/i;

function reportNothing(node: ScalarNode, what: string, answer: Answer): undefined {
  const text = node.value === null ? '' : String(node.value).trim();
  if (text !== '') return reportAt(node, 'wrong-value', `found "${text}" in a cell of ${what}`, answer);
  return reportAt(node, isNull(node) ? 'null-value' : 'empty', `found an empty cell of ${what}`, answer);
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
  const definition = scope.facts.get(path);
  if (node.kind === 'scalar' && (isNull(node) || isNoValue(node.value, definition))) {
    const hint = `write \`${ANY_CELL}\` to test nothing`;
    // An empty cell may also have been forgotten.
    if (node.value !== null && node.value !== '') return reportNothing(node, path, { hint, fix: { value: ANY_CELL } });
    return reportNothing(node, path, { hint: `${hint}, \`{ known: false }\` to test whether the fact is missing` });
  }
  return definition && readTests(path, definition, node, scope);
}

function isNoValue(value: ScalarNode['value'], definition: FactDefinition | undefined): boolean {
  return typeof value === 'string' && SAYS_NOTHING.test(value) && !definition?.values?.includes(value);
}
