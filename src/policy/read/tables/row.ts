/** The cells of one row of a table -> the row's rule. */

import { reportAt } from '../../../platform/files/source.ts';
import type { Yaml } from '../../../platform/yaml.ts';
import { isNull, readItems } from '../../../platform/yaml-fields.ts';
import { count } from '../../../text.ts';
import { ANY_CELL, type Condition, NONE_CELL, OUTCOMES, type Rule } from '../../language.ts';
import { conjunction, noteSpan, readTests, type Scope, withinSize } from '../condition.ts';
import { type KeyTable, oneOfKey, readValues } from '../key.ts';
import { type Circumstances, checkPoints, EFFECT_KEYS, effectOf, type RuleContext } from '../rule.ts';
import type { Layout } from './columns.ts';

/** The keys that the cells of a row can give. */
const CELL_KEYS = {
  ...EFFECT_KEYS,
  // biome-ignore lint/suspicious/noThenProperty: the word of the language; the table is never awaited
  then: oneOfKey('What the row asks for when it fires; none if it only adds points.', [...OUTCOMES, NONE_CELL]),
} satisfies KeyTable<RuleContext>;

/** What holds for every row. */
export type Lent = Circumstances & Pick<Rule, 'final'>;

/** Reads a row; undefined, with diagnostics, where anything in it is wrong. */
export function readRow(
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
