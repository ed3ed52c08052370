/** The facts so far, and which facts are to come -> whether any of those could change the outcome. */

import { type Facts, isMissing } from '../../facts/fact.ts';
import type { Policy, Rule, Test } from '../../policy/language.ts';
import { weigh } from '../../policy/weight.ts';

import { OutcomeRange } from '../meaning/outcome-range.ts';
import { evaluateTest, factAt } from '../meaning/truth.ts';
import { bitOf, EVERY_TRUTH, TRUTH_BITS, type TruthSet, truthsOf } from '../meaning/truth-sets.ts';

/** What is known between two calls to the service. */
export interface PartialFacts {
  readonly facts: Facts;
  /** Whether a fact is still to come. It may turn out to have any value, or to be missing. */
  isToCome(path: string): boolean;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
}

/**
 * Whether the outcome is the same for every value, and for the absence, of all facts to come. Tests count as
 * independent of each other, so that a yes is right and a no may be wrong: a wrong no costs a call, never a
 * decision.
 */
export function isOutcomeDecided(policy: Policy, rules: readonly Rule[], known: PartialFacts): boolean {
  const range = new OutcomeRange(policy);
  for (const rule of rules)
    if (!rule.shadow)
      range.add(
        weigh(rule),
        truthsOf(rule.when, (test) => truthsOfTest(test, known)),
      );
  const outcomes = range.outcomes();
  return (outcomes & (outcomes - 1)) === 0;
}

function truthsOfTest(test: Test, { facts, isToCome, day }: PartialFacts): TruthSet {
  const paths = test.other === undefined ? [test.fact] : [test.fact, test.other];
  if (!paths.some(isToCome)) {
    const other = test.other === undefined ? undefined : factAt(facts, test.other);
    return bitOf(evaluateTest(test, factAt(facts, test.fact), other, day));
  }
  // `known` is always true or false.
  if (test.operator === 'known') return TRUTH_BITS.true | TRUTH_BITS.false;
  // A test against a fact that is missing for good stays unknown.
  const isUnknown = paths.some((path) => !isToCome(path) && isMissing(factAt(facts, path)));
  return isUnknown ? TRUTH_BITS.unknown : EVERY_TRUTH;
}
