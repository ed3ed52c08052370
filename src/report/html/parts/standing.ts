/** A policy, facts and a day -> where each rule stands: fired, undetermined, not fired, or not active; nearest first. */

import type { Explanation, TurningTest } from '../../../decision/explain/explanation.ts';
import { TRUE, UNKNOWN } from '../../../decision/meaning/truth.ts';
import { isActive, type Policy, type Rule } from '../../../policy/language.ts';
import { type EvaluationContext, type TruthTree, truthTree } from './truth-tree.ts';

/** Where a rule stands. */
export type Standing = 'fired' | 'undetermined' | 'notFired' | 'inactive';

/** A rule with what became of it. */
export interface RuleStanding {
  /** Its place in the policy, from 0: what its anchor on a page is made of. */
  readonly place: number;
  readonly rule: Rule;
  readonly standing: Standing;
  readonly tree: TruthTree;
  /** The tests that would have to turn for it to fire; none where it never can. Undefined where no explanation tells. */
  readonly turning: readonly TurningTest[] | undefined;
}

/** All rules of a policy; those that did not fire as near as an explanation has them, else in the policy's order. */
export function standings(
  policy: Policy,
  world: EvaluationContext,
  explanation?: Explanation,
): readonly RuleStanding[] {
  const nearness = new Map(explanation?.notFired.map(({ rule }, i) => [rule, i]));
  const turning = new Map([
    ...(explanation?.notFired.map(({ rule, stoppedBy }) => [rule, stoppedBy] as const) ?? []),
    ...(explanation?.undetermined.map(({ rule, wouldFireWith }) => [rule, wouldFireWith] as const) ?? []),
  ]);
  const all = policy.rules.map((rule, place) => {
    const tree = truthTree(rule.when, world);
    return { place, rule, standing: standingOf(rule, tree, world.day), tree, turning: turning.get(rule.id) };
  });
  const rank = ({ rule, place }: RuleStanding) => nearness.get(rule.id) ?? nearness.size + place;
  const rest = all.filter(({ standing }) => standing === 'notFired').sort((one, other) => rank(one) - rank(other));
  return [...all.filter(({ standing }) => standing !== 'notFired'), ...rest];
}

function standingOf(rule: Rule, { truth }: TruthTree, day: string): Standing {
  if (!isActive(rule, day)) return 'inactive';
  return truth === TRUE ? 'fired' : truth === UNKNOWN ? 'undetermined' : 'notFired';
}

/** The anchor of a rule on a page. Not made of its id, which may be any text where a policy was not checked. */
export function anchorOf(place: number): string {
  return `rule-${place + 1}`;
}
