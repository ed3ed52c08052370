/** A condition and facts -> its truth in Kleene's three-valued logic, or the set of truths that it can have. */

import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { countNeeded } from '../../policy/fold.ts';
import type { Condition, Test } from '../../policy/language.ts';
import { operatorRow } from '../../policy/operators.ts';

/** A truth value. With these numbers `all` is the minimum of its parts, `any` the maximum, and `not` the negative. */
export type Truth = 1 | 0 | -1;

export const TRUE = 1;
export const UNKNOWN = 0;
export const FALSE = -1;

const NOT_GIVEN: Fact = { missing: 'notGiven' };

/** The fact at a path; missing if it was not given. */
export function factAt(facts: Facts, path: string): Fact {
  return facts.get(path) ?? NOT_GIVEN;
}

/** Evaluates a condition on a day, yyyy-MM-dd. */
export function evaluate(condition: Condition, facts: Facts, day: string): Truth {
  if (condition.kind === 'test') {
    const other = condition.other === undefined ? undefined : factAt(facts, condition.other);
    return evaluateTest(condition, factAt(facts, condition.fact), other, day);
  }
  let certain = 0;
  let possible = 0;
  // By index, as the policy is frozen (platform/freeze.ts).
  for (let i = 0; i < condition.of.length; i++) {
    const truth = evaluate(condition.of[i] as Condition, facts, day);
    if (truth === TRUE) certain += 1;
    if (truth !== FALSE) possible += 1;
  }
  const needed = countNeeded(condition);
  const truth = certain >= needed ? TRUE : possible < needed ? FALSE : UNKNOWN;
  return condition.kind === 'not' ? negate(truth) : truth;
}

/** Evaluates a test: unknown if a fact is missing or evaluation fails. Only `known` is never unknown. */
export function evaluateTest(test: Test, fact: Fact, other: Fact | undefined, day: string): Truth {
  if (isMissing(fact)) {
    if (test.operator !== 'known') return UNKNOWN;
    return test.argument === false ? TRUE : FALSE;
  }
  const argument = other === undefined ? test.argument : isMissing(other) ? undefined : other.value;
  if (argument === undefined) return UNKNOWN;
  try {
    return operatorRow(test.operator).holds(fact.value, argument, { type: test.type, day }) ? TRUE : FALSE;
  } catch {
    return UNKNOWN;
  }
}

/** The truth of `not`. */
export function negate(truth: Truth): Truth {
  return truth === TRUE ? FALSE : truth === FALSE ? TRUE : UNKNOWN;
}

/** The truths that a condition or rule can have, as bits. */
export const TRUTH_BITS = { false: 1, unknown: 2, true: 4 } as const;

/** Some of `TRUTH_BITS`, at least one. */
export type TruthSet = number;

/** All of `TRUTH_BITS`. */
export const EVERY_TRUTH: TruthSet = TRUTH_BITS.false | TRUTH_BITS.unknown | TRUTH_BITS.true;

const { false: IS_FALSE, unknown: IS_UNKNOWN, true: IS_TRUE } = TRUTH_BITS;

/** The set of one truth. */
export function bitOf(truth: Truth): TruthSet {
  return truth === TRUE ? IS_TRUE : truth === FALSE ? IS_FALSE : IS_UNKNOWN;
}

/**
 * The truths that a condition can have. Never too few; too many where its parts depend on each other, since they count
 * as independent. If each of its tests has one truth, so has the condition.
 */
export function truthsOf(condition: Condition, truthsOfTest: (test: Test) => TruthSet): TruthSet {
  if (condition.kind === 'test') return truthsOfTest(condition);
  if (condition.kind === 'not') return negateAll(truthsOf(condition.of[0], truthsOfTest));
  const needed = countNeeded(condition);
  let leastTrue = 0;
  let mostTrue = 0;
  let leastPossible = 0;
  let mostPossible = 0;
  let canBeOpen = false;
  for (const part of condition.of) {
    const truths = truthsOf(part, truthsOfTest);
    if (truths === IS_TRUE) leastTrue += 1;
    if (truths & IS_TRUE) mostTrue += 1;
    if (!(truths & IS_FALSE)) leastPossible += 1;
    if (truths !== IS_FALSE) mostPossible += 1;
    if (truths & IS_UNKNOWN) canBeOpen = true;
  }
  return (
    (mostTrue >= needed ? IS_TRUE : 0) |
    (leastPossible < needed ? IS_FALSE : 0) |
    (canBeOpen && leastTrue < needed && mostPossible >= needed ? IS_UNKNOWN : 0)
  );
}

function negateAll(truths: TruthSet): TruthSet {
  return (truths & IS_UNKNOWN) | (truths & IS_FALSE ? IS_TRUE : 0) | (truths & IS_TRUE ? IS_FALSE : 0);
}
