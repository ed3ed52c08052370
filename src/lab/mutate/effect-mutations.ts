/** A rule -> the same with another effect, or none at all. */

import { OUTCOMES, type Rule } from '../../policy/language.ts';
import { asksWhenUnknown } from '../../policy/weight.ts';
import type { MutationOperator } from './mutation-operators.ts';

/** A rule in place of another; undefined if it is removed. */
export interface EffectMutation {
  readonly operator: MutationOperator;
  /** Unique among the edits of one rule. */
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly rule: Rule | undefined;
}

/** The edits of what a rule does. No test can expect what a rule in shadow mode does: it can only be made live. */
export function effectMutations(rule: Rule): readonly EffectMutation[] {
  const { id, then, points = 0, final, whenUnknown, shadow } = rule;
  if (shadow) return [edit(rule, 'shadow', 'mode: shadow', 'live', { shadow: false })];
  const removed = id.includes('/') ? 'row' : 'rule';
  const unlikePoints = new Set([points + 1, points - 1, 0]);
  const other = whenUnknown === 'review' ? 'ignore' : 'review';
  return [
    { operator: removed, name: 'removed', before: `${removed} ${id}`, after: 'removed', rule: undefined },
    ...(then === undefined ? [] : OUTCOMES.filter((each) => each !== then)).map((each) =>
      // biome-ignore lint/suspicious/noThenProperty: the word of the language; the rule is never awaited
      edit(rule, 'outcome', `then: ${then}`, `then: ${each}`, { then: each }),
    ),
    ...(points === 0 ? [] : [...unlikePoints]).map((each) =>
      edit(rule, 'points', `points: ${points}`, `points: ${each}`, { points: each }),
    ),
    ...(final ? [edit(rule, 'final', 'final: true', 'removed', { final: false })] : []),
    ...(points !== 0 || asksWhenUnknown({ ...rule, whenUnknown: 'review' }) !== null
      ? [edit(rule, 'unknown', `whenUnknown: ${whenUnknown}`, `whenUnknown: ${other}`, { whenUnknown: other })]
      : []),
  ];
}

function edit(
  rule: Rule,
  operator: MutationOperator,
  before: string,
  after: string,
  by: Partial<Rule>,
): EffectMutation {
  return { operator, name: `${operator} ${after}`, before, after, rule: { ...rule, ...by } };
}
