/** Two policies -> one space, with the rules that both have and those that only one has. */

import { type Matcher, matcherOf } from '../../decision/matcher/matcher.ts';
import { TRUTH_BITS } from '../../decision/meaning/outcome-range.ts';
import type { Condition, Policy, Rule } from '../../policy/language.ts';
import { createReasoner, type Reasoner } from '../question/reasoner.ts';
import { type Formula, TRUE } from '../solver/formula.ts';
import { OLD_NAME, withOwnComputations } from '../space/own-computations.ts';
import { type Box, truthsIn } from '../space/truths.ts';
import { type Aspect, type Edits, editsBetween, OUTCOME } from './aspects.ts';

/** The tools of one comparison. */
export interface Search extends Reasoner, Edits {
  readonly aspect: Aspect;
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
  aspect = OUTCOME,
): Promise<Search> {
  const conditions = where ? [where] : [];
  const reasoner = await createReasoner([withOwnComputations(old, now, OLD_NAME), now], day, conditions);
  const { space, encoding } = reasoner;
  const [before, after] = space.sides.map(({ rules }) => rules);
  return {
    ...reasoner,
    ...editsBetween(space, aspect),
    aspect,
    policies: [old, now],
    matchers: [matcherOf(old), matcherOf(now)],
    rules: [before ?? [], after ?? []],
    compared: {
      conditions,
      formula: where ? encoding.truth(where).certain : TRUE,
      hasAll: (box) => conditions.every((condition) => truthsIn(condition, box, space) === TRUTH_BITS.true),
    },
  };
}
