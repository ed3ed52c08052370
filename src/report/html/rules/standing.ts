/** A policy, facts and a day -> the standing of each rule: fired, undetermined, not fired, or not active. */

import type { Explanation, TurningTest } from '../../../decision/explain/explanation.ts';
import { type Evidence, gatherEvidence } from '../../../decision/meaning/evidence.ts';
import { TRUE, UNKNOWN } from '../../../decision/meaning/truth.ts';
import type { Verdict } from '../../../decision/meaning/verdict.ts';
import { isActive, type Policy, type Rule } from '../../../policy/language.ts';
import { renderMessage } from '../../../policy/read/message.ts';
import { type EvaluationContext, type TruthTree, truthTree } from './truth-tree.ts';

export type Standing = 'fired' | 'undetermined' | 'notFired' | 'inactive';

export interface RuleStanding {
  /** Its index in the policy, from 0: its anchor on a page is made of it. */
  readonly index: number;
  readonly rule: Rule;
  readonly standing: Standing;
  readonly tree: TruthTree;
  /** The tests that stopped a rule that did not fire; empty if it never can. Undefined if they are not known. */
  readonly turning: readonly TurningTest[] | undefined;
  /** The message of a rule that fired, with the values of its facts, and the tests that made it fire. */
  readonly message: string | undefined;
  readonly evidence: readonly Evidence[];
  /** Whether it led to the outcome. */
  readonly isDecisive: boolean;
}

/** All rules. Those that did not fire come last: nearest first by an explanation, or in the order of the policy. */
export function standings(
  policy: Policy,
  { reasons }: Pick<Verdict, 'reasons'>,
  context: EvaluationContext,
  explanation?: Explanation,
): readonly RuleStanding[] {
  const decisive = new Set(reasons.flatMap((reason) => ('rule' in reason && reason.decisive ? [reason.rule] : [])));
  const nearness = new Map(explanation?.notFired.map(({ rule }, i) => [rule, i]));
  const turning = new Map(
    explanation?.notFired.filter(isSearched).map(({ rule, stoppedBy }) => [rule, stoppedBy] as const),
  );
  const all = policy.rules.map((rule, index) => {
    const tree = truthTree(rule.when, context);
    return {
      index,
      rule,
      standing: standingOf(rule, tree, context.day),
      tree,
      turning: turning.get(rule.id),
      ...foundBy(rule, tree, context),
      isDecisive: decisive.has(rule.id),
    };
  });
  const rank = ({ rule, index }: RuleStanding) => nearness.get(rule.id) ?? nearness.size + index;
  const rest = all.filter(({ standing }) => standing === 'notFired').sort((one, other) => rank(one) - rank(other));
  return [...all.filter(({ standing }) => standing !== 'notFired'), ...rest];
}

/** What a rule that fired found. */
function foundBy(
  { when, message }: Rule,
  { truth }: TruthTree,
  { facts, day }: EvaluationContext,
): Pick<RuleStanding, 'message' | 'evidence'> {
  if (truth !== TRUE) return { message: undefined, evidence: [] };
  return { message: message && renderMessage(message, facts, day), evidence: gatherEvidence(when, facts, day) };
}

function isSearched(rule: { readonly isSearched?: false }): boolean {
  return rule.isSearched !== false;
}

function standingOf(rule: Rule, { truth }: TruthTree, day: string): Standing {
  if (!isActive(rule, day)) return 'inactive';
  return truth === TRUE ? 'fired' : truth === UNKNOWN ? 'undetermined' : 'notFired';
}
