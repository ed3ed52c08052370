/** The facts so far, and which facts are to come -> whether any of those could change the outcome. */

import { type Facts, isMissing } from '../../facts/fact.ts';
import type { Condition, Policy, Rule, Test } from '../../policy/language.ts';
import { weigh } from '../../policy/weight.ts';

import { OutcomeRange } from '../meaning/outcome-range.ts';
import { evaluateTest, FALSE, factAt, TRUE } from '../meaning/truth.ts';
import { TRUTH_BITS } from '../meaning/truth-sets.ts';

/** What is known between two calls to the service. */
export interface PartialFacts {
  readonly facts: Facts;
  /** Whether a fact is still to come. It may turn out to have any value, or to be missing. */
  isToCome(path: string): boolean;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
}

/** The truths that a condition can have, as bits of `TRUTH_BITS`: never none, perhaps too many. */
type Truths = number;

/**
 * Whether the outcome is the same for every value, and for the absence, of all facts to come. Tests count as
 * independent of each other, so that a yes is right and a no may be wrong: a wrong no costs a call, never a
 * decision.
 */
export function isOutcomeDecided(policy: Policy, rules: readonly Rule[], known: PartialFacts): boolean {
  const range = new OutcomeRange(policy);
  for (const rule of rules) if (!rule.shadow) range.add(weigh(rule), possibleTruths(rule.when, known));
  const outcomes = range.outcomes();
  return (outcomes & (outcomes - 1)) === 0;
}

function possibleTruths(condition: Condition, known: PartialFacts): Truths {
  if (condition.kind === 'test') return truthsOfTest(condition, known);
  const parts = condition.of.map((part) => possibleTruths(part, known));
  switch (condition.kind) {
    case 'all':
      return truthsOfCount(parts, parts.length);
    case 'any':
      return truthsOfCount(parts, 1);
    case 'atLeastOf':
      return truthsOfCount(parts, condition.count);
    case 'not':
      return truthsIf(
        canBe(parts[0], TRUTH_BITS.false),
        canBe(parts[0], TRUTH_BITS.unknown),
        canBe(parts[0], TRUTH_BITS.true),
      );
    case 'named':
      return parts[0] ?? truthsIf(true, true, true);
  }
}

function truthsOfTest(test: Test, { facts, isToCome, day }: PartialFacts): Truths {
  const paths = test.other === undefined ? [test.fact] : [test.fact, test.other];
  if (!paths.some(isToCome)) {
    const other = test.other === undefined ? undefined : factAt(facts, test.other);
    const truth = evaluateTest(test, factAt(facts, test.fact), other, day);
    return truth === TRUE ? TRUTH_BITS.true : truth === FALSE ? TRUTH_BITS.false : TRUTH_BITS.unknown;
  }
  // `known` is always true or false.
  if (test.operator === 'known') return truthsIf(true, false, true);
  // A test against a fact that is missing for good stays unknown.
  const isUnknown = paths.some((path) => !isToCome(path) && isMissing(factAt(facts, path)));
  return isUnknown ? TRUTH_BITS.unknown : truthsIf(true, true, true);
}

/** The truths of "at least `count` of these parts": `all` is every part, `any` is one. */
function truthsOfCount(parts: readonly Truths[], count: number): Truths {
  const countIf = (holds: (part: Truths) => boolean) => parts.filter(holds).length;
  const leastTrue = countIf((part) => part === TRUTH_BITS.true);
  const mostTrue = countIf((part) => canBe(part, TRUTH_BITS.true));
  const leastPossible = countIf((part) => !canBe(part, TRUTH_BITS.false));
  const mostPossible = countIf((part) => part !== TRUTH_BITS.false);
  const isUnknownLeft = parts.some((part) => canBe(part, TRUTH_BITS.unknown));
  return truthsIf(
    mostTrue >= count,
    isUnknownLeft && leastTrue < count && mostPossible >= count,
    leastPossible < count,
  );
}

function canBe(truths: Truths | undefined, truth: number): boolean {
  return truths === undefined || (truths & truth) !== 0;
}

function truthsIf(canBeTrue: boolean, canBeUnknown: boolean, canBeFalse: boolean): Truths {
  return (
    (canBeTrue ? TRUTH_BITS.true : 0) | (canBeUnknown ? TRUTH_BITS.unknown : 0) | (canBeFalse ? TRUTH_BITS.false : 0)
  );
}
