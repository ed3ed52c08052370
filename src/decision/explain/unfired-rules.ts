/** The rules that did not fire -> the tests that stopped each of them, and by how much. */

import { type Fact, isMissing, shownValue } from '../../facts/fact.ts';
import { isActive, type Policy, type Rule } from '../../policy/language.ts';
import { factAt, TRUE } from '../meaning/truth.ts';
import type { UndeterminedRule, Verdict } from '../meaning/verdict.ts';
import type { FactState, MissedRule, OpenRule, TurningTest } from './explanation.ts';
import { type EvaluationContext, type Literal, missIn, nearestFix } from './nearest-fix.ts';

/** The active rules that are false, shadow rules among them, nearest first; those that can never fire come last. */
export function missedRules(policy: Policy, verdict: Verdict, world: EvaluationContext): readonly MissedRule[] {
  const { reasons, undetermined, shadow } = verdict;
  const others = new Set([
    ...reasons.flatMap((reason) => (reason.because === 'fired' ? reason.rule : [])),
    ...undetermined.map(({ rule }) => rule),
    ...shadow.map(({ rule }) => rule),
  ]);
  const missed = policy.rules.filter((rule) => isActive(rule, world.day) && !others.has(rule.id));
  const distance = ({ stoppedBy }: MissedRule) =>
    stoppedBy.length === 0 ? Number.POSITIVE_INFINITY : stoppedBy.length;
  return missed
    .map((rule) => missedRule(rule, world))
    .sort(
      (one, other) =>
        Number(distance(one) > distance(other)) - Number(distance(one) < distance(other)) || one.miss - other.miss,
    );
}

/** The rules that could not be decided, in the policy's order. */
export function openRules(
  policy: Policy,
  undetermined: readonly UndeterminedRule[],
  world: EvaluationContext,
): readonly OpenRule[] {
  return undetermined.flatMap(({ rule: id, asks, missing }) => {
    const rule = policy.rules.find((each) => each.id === id);
    if (!rule) return [];
    const { reason: code, then: outcome = null, points, whenUnknown } = rule;
    const mayAdd = points === undefined || whenUnknown === 'ignore' ? {} : { points };
    return [{ rule: id, code, asks, outcome, ...mayAdd, missing, wouldFireWith: turningTests(rule, world).tests }];
  });
}

function missedRule(rule: Rule, world: EvaluationContext): MissedRule {
  const { tests, miss } = turningTests(rule, world);
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

function turningTests(
  { when }: Rule,
  world: EvaluationContext,
): { readonly tests: readonly TurningTest[]; readonly miss: number } {
  const way = nearestFix(when, world);
  if (!way) return { tests: [], miss: 0 };
  const turning = way.literals.filter(({ truth }) => truth !== TRUE);
  return { tests: turning.map((literal) => turningTest(literal, world)), miss: way.miss };
}

function turningTest({ test, isNegated }: Literal, world: EvaluationContext): TurningTest {
  const { fact: path, operator, expected, other: otherPath } = test;
  const { facts } = world;
  const distance = missIn(test, isNegated, world)?.distance;
  return {
    fact: path,
    operator,
    expected,
    ...(isNegated ? { negated: true } : {}),
    is: stateOf(path, factAt(facts, path), world),
    ...(otherPath === undefined
      ? {}
      : { other: { fact: otherPath, is: stateOf(otherPath, factAt(facts, otherPath), world) } }),
    ...(distance ? { missedBy: distance } : {}),
  };
}

/** What a fact is, as people may see it. */
export function stateOf(path: string, fact: Fact, { table }: Pick<EvaluationContext, 'table'>): FactState {
  if (isMissing(fact)) return { missing: fact.missing };
  return table.get(path)?.origin === 'applicant' ? { hidden: true } : { value: shownValue(fact) };
}
