/**
 * Two policies -> one space, with the rules that both have and those that only one has, by what they mean; and when the
 * policies decide differently, as formulas.
 */

import { type Matcher, matcherOf } from '../../decision/matcher/matcher.ts';
import { TRUTH_BITS, truthsOf } from '../../decision/meaning/truth.ts';
import type { Condition, Policy, Rule } from '../../policy/language.ts';
import { type Comparison, createConditionKey, OUTCOME } from '../../policy/sameness.ts';
import { createReasoner, type Reasoner } from '../question/reasoner.ts';
import { outcomeFormulas, truthsDiffer } from '../solver/encode.ts';
import { and, FALSE, type Formula, or, TRUE } from '../solver/formula.ts';
import { OLD_NAME, withOwnComputations } from '../space/own-computations.ts';
import type { Space } from '../space/space.ts';
import { type Box, truthsIn } from '../space/truths.ts';
import type { Change } from './parts.ts';

/** The rules of both policies that mean the same, and those of each that the other has not. */
interface RuleSets {
  readonly common: readonly Rule[];
  /** By side: the old policy first. */
  readonly own: readonly [old: readonly Rule[], now: readonly Rule[]];
  /** Equal for conditions that are written with tests of the same truths. */
  conditionKey(condition: Condition): string;
}

/** The tools of one comparison. */
export interface Search extends Reasoner, RuleSets {
  readonly comparison: Comparison;
  readonly policies: readonly [old: Policy, now: Policy];
  readonly matchers: readonly [old: Matcher, now: Matcher];
  /** By side: the rules in effect. */
  readonly rules: readonly [old: readonly Rule[], now: readonly Rule[]];
  /** The applicants that are compared: those for whom a condition is certainly true, or all. */
  readonly compared: {
    readonly conditions: readonly Condition[];
    readonly formula: Formula;
    hasAll(box: Box): boolean;
  };
}

/**
 * Prepares the comparison of two policies, perhaps only of applicants for whom a condition of the new one is true.
 * Throws as `createReasoner` does.
 */
export async function createSearch(
  old: Policy,
  now: Policy,
  day: string,
  where?: Condition,
  comparison: Comparison = OUTCOME,
): Promise<Search> {
  const conditions = where ? [where] : [];
  const reasoner = await createReasoner([withOwnComputations(old, now, OLD_NAME), now], day, conditions);
  const { space, encoding } = reasoner;
  const [before, after] = space.sides.map(({ rules }) => rules);
  return {
    ...reasoner,
    ...splitRules(space, comparison),
    comparison,
    policies: [old, now],
    matchers: [matcherOf(old), matcherOf(now)],
    rules: [before ?? [], after ?? []],
    compared: {
      conditions,
      formula: where ? encoding.truth(where).certain : TRUE,
      hasAll: (box) => conditions.every((condition) => truthsOf(condition, truthsIn(box, space)) === TRUTH_BITS.true),
    },
  };
}

/** Pairs the rules of two policies that mean the same, whatever they are called and wherever they stand. */
export function splitRules(space: Space, { effectOf }: Comparison = OUTCOME): RuleSets {
  const conditionKey = createConditionKey({
    test: (test) => {
      const { variable, isTrue, isUnknown } = space.statesOf(test);
      return [variable, ...[isTrue, isUnknown].map((states) => states.map(Number).join(''))].join(' ');
    },
  });
  const meaningOf = (rule: Rule) => `${conditionKey(rule.when)} ${effectOf(rule)}`;
  const [old, now] = space.sides;
  const unpaired = new Map<string, Rule[]>();
  for (const rule of now?.rules ?? []) {
    const key = meaningOf(rule);
    unpaired.set(key, [...(unpaired.get(key) ?? []), rule]);
  }
  const common: Rule[] = [];
  const removed: Rule[] = [];
  for (const rule of old?.rules ?? []) (unpaired.get(meaningOf(rule))?.pop() ? common : removed).push(rule);
  const added = new Set([...unpaired.values()].flat());
  return { common, own: [removed, (now?.rules ?? []).filter((rule) => added.has(rule))], conditionKey };
}

/** Gives the formula that holds for those whose outcome changes in a way. */
export function changeFormulas({ space, encoding }: Search): (change: Change) => Formula {
  const [before, after] = space.sides.map((side) => outcomeFormulas(side, encoding));
  return ({ from, to }) => and([before?.[from] ?? FALSE, after?.[to] ?? FALSE]);
}

/**
 * When the own rules of both policies ask for different things. Rules of one effect are compared with each other, so
 * that an edited condition counts only where its truth differs. It says nothing of the common rules, which makes it far
 * easier to answer than what both policies decide.
 */
export function ownRulesDiffer({ policies, own: [old, now], comparison, encoding }: Search): Formula {
  const { effectOf, settingsOf } = comparison;
  const [before, after] = policies.map(settingsOf);
  if (before !== after) return TRUE;
  const unpaired = [...now];
  const differences = old.map((rule) => {
    const at = unpaired.findIndex((each) => effectOf(each) === effectOf(rule));
    const one = encoding.truth(rule.when);
    const [other] = at < 0 ? [] : unpaired.splice(at, 1);
    return other ? truthsDiffer(one, encoding.truth(other.when)) : one.possible;
  });
  return or([...differences, ...unpaired.map(({ when }) => encoding.truth(when).possible)]);
}
