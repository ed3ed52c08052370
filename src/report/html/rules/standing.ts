/** A policy, facts and a day -> the standing of each rule: fired, undetermined, not fired, or not active. */

import type { Explanation, TurningTest } from '../../../decision/explain/explanation.ts';
import { TRUE, UNKNOWN } from '../../../decision/meaning/truth.ts';
import { isActive, type Policy, type Rule } from '../../../policy/language.ts';
import { type EvaluationContext, type TruthTree, truthTree } from './truth-tree.ts';

export type Standing = 'fired' | 'undetermined' | 'notFired' | 'inactive';

export interface RuleStanding {
  /** Its index in the policy, from 0: its anchor on a page is made of it. */
  readonly index: number;
  readonly rule: Rule;
  readonly standing: Standing;
  readonly tree: TruthTree;
  /** The tests that would have to turn for it to fire; empty if it never can. Undefined if they are not known. */
  readonly turning: readonly TurningTest[] | undefined;
}

/** All rules. Those that did not fire come last: nearest first by an explanation, or in the order of the policy. */
export function standings(
  policy: Policy,
  context: EvaluationContext,
  explanation?: Explanation,
): readonly RuleStanding[] {
  const nearness = new Map(explanation?.notFired.map(({ rule }, i) => [rule, i]));
  const turning = new Map([
    ...(explanation?.notFired.filter(isSearched).map(({ rule, stoppedBy }) => [rule, stoppedBy] as const) ?? []),
    ...(explanation?.undetermined.filter(isSearched).map(({ rule, wouldFireWith }) => [rule, wouldFireWith] as const) ??
      []),
  ]);
  const all = policy.rules.map((rule, index) => {
    const tree = truthTree(rule.when, context);
    return { index, rule, standing: standingOf(rule, tree, context.day), tree, turning: turning.get(rule.id) };
  });
  const rank = ({ rule, index }: RuleStanding) => nearness.get(rule.id) ?? nearness.size + index;
  const rest = all.filter(({ standing }) => standing === 'notFired').sort((one, other) => rank(one) - rank(other));
  return [...all.filter(({ standing }) => standing !== 'notFired'), ...rest];
}

function isSearched(rule: { readonly isSearched?: false }): boolean {
  return rule.isSearched !== false;
}

function standingOf(rule: Rule, { truth }: TruthTree, day: string): Standing {
  if (!isActive(rule, day)) return 'inactive';
  return truth === TRUE ? 'fired' : truth === UNKNOWN ? 'undetermined' : 'notFired';
}

/** The anchor of a rule on a page. Not made of its id, which may be any text if the policy was not checked. */
export function anchorOf(index: number): string {
  return `rule-${index + 1}`;
}
