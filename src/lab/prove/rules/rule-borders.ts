/** Rules -> applicants for whom one of them makes the difference, sought by walks: no proof, but fast. */

import type { Facts } from '../../../facts/fact.ts';
import type { Rule } from '../../../policy/language.ts';
import { isStrict, weigh } from '../../../policy/weight.ts';
import { BORDER_TRIES_FOR_ANY } from '../../limits.ts';
import { findFacts } from '../../question/find-facts.ts';
import type { Reasoner } from '../../question/reasoner.ts';
import { asked, outcomeFormulas } from '../../solver/encode.ts';
import { type Formula, isKept, not, or, sumAtLeast } from '../../solver/formula.ts';
import { createWalk, type Walk } from '../../solver/seek.ts';
import type { Side } from '../../space/space.ts';
import { groupOf } from './effects.ts';

/** Rules that may make the difference among the same applicants, and the walk among these. */
export interface Border {
  readonly rules: readonly Rule[];
  readonly walk: Walk;
}

type Reasoned = Pick<Reasoner, 'space' | 'encoding'>;

/** Applicants for whom one of the rules that are still open fires; about as many `tries` of states for each rule. */
export function* seekAtBorders(
  { space, encoding }: Reasoned,
  borders: readonly Border[],
  isOpen: (rule: Rule) => boolean,
  tries: number,
  endsAt: number,
): Generator<Facts> {
  for (const { rules, walk } of borders) {
    // Where it finds nobody at all, it finds nobody for a rule either.
    if (!rules.some(isOpen) || !walk.seek(BORDER_TRIES_FOR_ANY * tries, endsAt)) continue;
    for (const rule of rules) {
      if (!isOpen(rule) || performance.now() > endsAt) continue;
      // The walk goes on from the applicant whom it found for the rule before.
      const states = walk.seek(tries, endsAt, encoding.truth(rule.when).certain);
      const found = states && findFacts(space, states, endsAt);
      if (found && 'facts' in found) yield found.facts;
    }
  }
}

/** The borders of rules in effect; shadow rules are left out. */
export function bordersOf({ space, encoding }: Reasoned, rules: readonly Rule[]): readonly Border[] {
  const side = space.sides[0] as Side;
  const ties = space.ties.map(isKept);
  const start = space.variables.map(({ states }) => Math.min(1, states.length - 1));
  const certain = ({ when }: Rule) => encoding.truth(when).certain;
  const live = rules.filter(({ shadow }) => !shadow);
  return [...alone(side, live, encoding), ...byScore(side, live, encoding)].map(({ rules: own, formulas }) => ({
    rules: own,
    walk: createWalk([...ties, ...formulas], start, own.map(certain)),
  }));
}

/** Rules, and what holds of those for whom one of them makes the difference if it fires. */
interface Place {
  readonly rules: readonly Rule[];
  readonly formulas: readonly Formula[];
}

/** Where a rule alone explains the outcome. */
function alone(side: Side, rules: readonly Rule[], encoding: Reasoned['encoding']): readonly Place[] {
  const { finalFired } = asked(side.rules, encoding);
  const outcomes = outcomeFormulas(side, encoding);
  const groups = Map.groupBy(side.rules, groupOf);
  return [...Map.groupBy(rules.filter(isStrictRule), groupOf)].map(([group, own]) => {
    const [{ then = 'review', final }] = own as [Rule];
    const fired = groups.get(group)?.map(({ when }) => [1, encoding.truth(when).certain] as const) ?? [];
    const isOverruled = final ? [] : Object.values(finalFired);
    return { rules: own, formulas: [outcomes[then], not(sumAtLeast(2, fired)), not(or(isOverruled))] };
  });
}

function isStrictRule(rule: Rule): boolean {
  return isStrict(weigh(rule).fired);
}

/** Where the score reaches a band, or does not, because of the points of a rule. */
function byScore(
  { policy, rules: live }: Side,
  rules: readonly Rule[],
  encoding: Reasoned['encoding'],
): readonly Place[] {
  const { fired, finalFired, strict, least, most } = asked(live, encoding);
  // Rules matter more often at the stricter band: fewer are left to be sought at the other.
  return (['reject', 'review'] as const).flatMap((band) => {
    const limit = policy.score[band];
    const [isAsked, asks, end] =
      band === 'reject' ? [(rule: Rule) => rule.then === 'reject', fired.reject, least] : [isStrictRule, strict, most];
    const own = rules.filter((rule) => !isAsked(rule) && !rule.final);
    return [1, -1].flatMap((sign) => {
      const ofSign = own.filter(({ points = 0 }) => Math.sign(points) === sign);
      if (limit === undefined || ofSign.length === 0) return [];
      // Between these two, each of the rules makes the difference.
      const width = Math.min(...ofSign.map(({ points = 0 }) => Math.abs(points)));
      const from = sign > 0 ? limit : limit - width;
      const isAt = [sumAtLeast(from, least), not(sumAtLeast(from + width, end)), not(asks)];
      return { rules: ofSign, formulas: [...isAt, not(or(Object.values(finalFired)))] };
    });
  });
}
