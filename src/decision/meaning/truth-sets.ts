/** A condition, and the truths that its tests can have -> the truths that it can have, as bits. */

import { countNeeded } from '../../policy/fold.ts';
import type { Condition, Test } from '../../policy/language.ts';
import { FALSE, TRUE, type Truth } from './truth.ts';

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
