/** The rules that did not fire -> the tests that stopped each of them, with their distances. */

import { type Fact, isMissing, shownValue } from '../../facts/fact.ts';
import { isPersonal } from '../../policy/identities.ts';
import { isActive, type Policy, type Rule } from '../../policy/language.ts';
import { openPoints } from '../../policy/weight.ts';
import { shownArgument } from '../meaning/evidence.ts';
import { factAt, TRUE } from '../meaning/truth.ts';
import type { UndeterminedRule, Verdict } from '../meaning/verdict.ts';
import type { FactState, MissedRule, OpenRule, TurningTest } from './explanation.ts';
import { type EvaluationContext, type FixContext, type Literal, missOf, nearestFix } from './nearest-fix.ts';
import type { Steps } from './steps.ts';

/** The active rules that are false, including shadow rules, nearest first. Rules that can never fire come last. */
export function* findMissedRules(policy: Policy, verdict: Verdict, context: FixContext): Steps<readonly MissedRule[]> {
  const { reasons, undetermined, shadow } = verdict;
  const others = new Set([
    ...reasons.flatMap((reason) => (reason.because === 'fired' ? reason.rule : [])),
    ...undetermined.map(({ rule }) => rule),
    ...shadow.map(({ rule }) => rule),
  ]);
  const missed = policy.rules.filter((rule) => isActive(rule, context.day) && !others.has(rule.id));
  const distance = ({ stoppedBy }: MissedRule) => stoppedBy.length || Number.MAX_SAFE_INTEGER;
  const missedRules: MissedRule[] = [];
  for (const rule of missed) missedRules.push(yield* missedRuleOf(rule, context));
  return missedRules.sort((one, other) => distance(one) - distance(other) || one.miss - other.miss);
}

/** The rules that could not be determined, in the policy's order. */
export function* findOpenRules(
  policy: Policy,
  undetermined: readonly UndeterminedRule[],
  context: FixContext,
): Steps<readonly OpenRule[]> {
  const rules = new Map(policy.rules.map((rule) => [rule.id, rule]));
  const openRules: OpenRule[] = [];
  for (const { rule: id, asks, missing } of undetermined) {
    const rule = rules.get(id);
    if (!rule) continue;
    const { reason: code, then: outcome = null } = rule;
    const points = openPoints(rule);
    const mayAdd = points === undefined ? {} : { points };
    const { tests, stopped } = yield* turningTestsOf(rule, { ...context, ofUnknown: true });
    openRules.push({ rule: id, code, asks, outcome, ...mayAdd, missing, wouldFireWith: tests, ...stopped });
  }
  return openRules;
}

function* missedRuleOf(rule: Rule, context: FixContext): Steps<MissedRule> {
  const { tests, miss, stopped } = yield* turningTestsOf(rule, context);
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
    ...stopped,
  };
}

/** The tests of the nearest fix. */
interface Turning {
  readonly tests: readonly TurningTest[];
  readonly miss: number;
  readonly stopped?: { readonly isSearched: false };
}

function* turningTestsOf({ when }: Rule, context: FixContext): Steps<Turning> {
  yield;
  const fix = yield* nearestFix(when, context);
  if (fix === 'stopped') return { tests: [], miss: 0, stopped: { isSearched: false } };
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

/** The state of a fact as it may be shown: the values of personal facts are hidden. */
export function stateOf(path: string, fact: Fact, { table }: Pick<EvaluationContext, 'table'>): FactState {
  if (isMissing(fact)) return { missing: fact.missing };
  return isPersonal(path, table) ? { hidden: true } : { value: shownValue(fact) };
}
