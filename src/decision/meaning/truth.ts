/** A condition and facts -> its truth in Kleene's strong three-valued logic: true, false or unknown. */

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

/** The fact at a path; missing if nobody gave it. */
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
  for (const part of condition.of) {
    const truth = evaluate(part, facts, day);
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
