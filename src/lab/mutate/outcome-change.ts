/** A change of a policy -> when it changes the outcome, as formulas that share their parts for many changes. */

import type { Rule } from '../../policy/language.ts';
import { OUTCOME } from '../../policy/sameness.ts';
import { casesOf, createBeside, NO_POINTS, outcomesDiffer } from '../prove/rules/beside.ts';
import type { Reasoner } from '../question/reasoner.ts';
import { outcomeFormulas } from '../solver/encode.ts';
import { and, type Formula, or } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';

/** A rule before and after a change, as far as it is in effect. */
export type RuleChange = readonly [old: Rule | undefined, now: Rule | undefined];

/**
 * Gives when the reasoner's policy and a changed one decide differently. For a change of one rule, little is written
 * anew: the sums of the rules stay as they are, and only their limits move.
 */
export function createOutcomeChange({
  space,
  encoding,
}: Pick<Reasoner, 'space' | 'encoding'>): (changed: Side, rules: readonly RuleChange[]) => Formula {
  const [side] = space.sides as readonly [Side];
  const { policy } = side;
  const beside = createBeside(side, encoding);
  const everything = beside.without(undefined);
  const before = beside.decide(policy, everything, NO_POINTS);

  const oneRule = ([old, now]: RuleChange, changed: Side): Formula => {
    const others = beside.without(old);
    const isSameSettings = OUTCOME.settingsOf(policy) === OUTCOME.settingsOf(changed.policy);
    const after = casesOf(now, encoding, others);
    const isSameCondition = old?.when === now?.when;
    const differences = casesOf(old, encoding, others).flatMap((one, truth) => {
      const decided = beside.decide(policy, one.asks, NO_POINTS);
      const unlike = after.filter(
        ({ effect }, truthThen) =>
          (effect !== one.effect || !isSameSettings) && (truthThen === truth || !isSameCondition),
      );
      return unlike.map((other) => {
        const more = {
          least: other.points.least - one.points.least,
          most: other.points.most - one.points.most,
        };
        const decidedThen = beside.decide(changed.policy, other.asks, more);
        return and([one.when, other.when, outcomesDiffer(decided, decidedThen)]);
      });
    });
    return or(differences);
  };

  return (changed, [only, ...more]) => {
    if (!only) return outcomesDiffer(before, beside.decide(changed.policy, everything, NO_POINTS));
    if (more.length === 0) return oneRule(only, changed);
    return outcomesDiffer(before, outcomeFormulas(changed, encoding));
  };
}
