/** The rules that did not fire -> the tests that stopped each of them, with their distances. */

import { type Fact, isMissing, shownValue } from '../../facts/fact.ts';
import { identityOf } from '../../policy/identities.ts';
import { isActive, type Policy, type Rule } from '../../policy/language.ts';
import { shownArgument } from '../meaning/listed.ts';
import { factAt, TRUE } from '../meaning/truth.ts';
import type { UndeterminedRule, Verdict } from '../meaning/verdict.ts';
import type { FactState, MissedRule, OpenRule, TurningTest } from './explanation.ts';
import { type EvaluationContext, type Literal, missOf, nearestFix } from './nearest-fix.ts';

/** The active rules that are false, including shadow rules, nearest first. Rules that can never fire come last. */
export function findMissedRules(policy: Policy, verdict: Verdict, context: EvaluationContext): readonly MissedRule[] {
  const { reasons, undetermined, shadow } = verdict;
  const others = new Set([
    ...reasons.flatMap((reason) => (reason.because === 'fired' ? reason.rule : [])),
    ...undetermined.map(({ rule }) => rule),
    ...shadow.map(({ rule }) => rule),
  ]);
  const missed = policy.rules.filter((rule) => isActive(rule, context.day) && !others.has(rule.id));
  const distance = ({ stoppedBy }: MissedRule) => stoppedBy.length || Number.MAX_SAFE_INTEGER;
  return missed
    .map((rule) => missedRuleOf(rule, context))
    .sort((one, other) => distance(one) - distance(other) || one.miss - other.miss);
}

/** The rules that could not be determined, in the policy's order. */
export function findOpenRules(
  policy: Policy,
  undetermined: readonly UndeterminedRule[],
  context: EvaluationContext,
): readonly OpenRule[] {
  return undetermined.flatMap(({ rule: id, asks, missing }) => {
    const rule = policy.rules.find((each) => each.id === id);
    if (!rule) return [];
    const { reason: code, then: outcome = null, points, whenUnknown } = rule;
    const mayAdd = points === undefined || whenUnknown === 'ignore' ? {} : { points };
    return [{ rule: id, code, asks, outcome, ...mayAdd, missing, wouldFireWith: turningTestsOf(rule, context).tests }];
  });
}

function missedRuleOf(rule: Rule, context: EvaluationContext): MissedRule {
  const { tests, miss } = turningTestsOf(rule, context);
  const { id, reason: code, then: outcome = null, points, final, shadow } = rule;
  return {
    rule: id,
    code,
    outcome,
    ...(points === undefined ? {} : { points }),
    ...(final ? { final } : {}),
    ...(shadow ? { shadow } : {}),
    stoppedBy: tests,
    miss,
  };
}

function turningTestsOf(
  { when }: Rule,
  context: EvaluationContext,
): { readonly tests: readonly TurningTest[]; readonly miss: number } {
  const fix = nearestFix(when, context);
  if (!fix) return { tests: [], miss: 0 };
  const turning = fix.literals.filter(({ truth }) => truth !== TRUE);
  return { tests: turning.map((literal) => turningTestOf(literal, context)), miss: fix.miss };
}

function turningTestOf({ test, isNegated }: Literal, context: EvaluationContext): TurningTest {
  const { fact: path, operator, expected, other: otherPath } = test;
  const { facts } = context;
  const distance = missOf(test, isNegated, context)?.distance;
  return {
    fact: path,
    operator,
    expected: shownArgument({ fact: path, operator, expected }, context.table),
    ...(isNegated ? { negated: true } : {}),
    is: stateOf(path, factAt(facts, path), context),
    ...(otherPath === undefined
      ? {}
      : { other: { fact: otherPath, is: stateOf(otherPath, factAt(facts, otherPath), context) } }),
    ...(distance ? { missedBy: distance } : {}),
  };
}

/** The state of a fact as it may be shown: phone numbers, emails and IP addresses are hidden. */
export function stateOf(path: string, fact: Fact, { table }: Pick<EvaluationContext, 'table'>): FactState {
  if (isMissing(fact)) return { missing: fact.missing };
  return identityOf(path, table) ? { hidden: true } : { value: shownValue(fact) };
}
