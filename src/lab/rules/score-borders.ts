/** Rules with points -> applicants whose score reaches a band, or does not, because of them: no proof, but fast. */

import type { Facts } from '../../facts/fact.ts';
import type { Rule } from '../../policy/language.ts';
import { findFacts } from '../reasoning/find-facts.ts';
import type { Reasoner } from '../reasoning/reasoner.ts';
import { asked, isStrict } from '../solver/encode.ts';
import { isKept, not, or, sumAtLeast } from '../solver/formula.ts';
import { createWalk, type Walk } from '../solver/seek.ts';
import type { Side } from '../space/space.ts';

/** How many states are tried for each rule that is still open, in one round after the other. */
const TRIES = [1000, 4000, 16_000];

/** Rules that make the difference at one border of the score, and the walk that seeks applicants there. */
interface Border {
  readonly rules: readonly Rule[];
  readonly walk: Walk;
}

/** Applicants for whom one of the rules that are still open fires, and decides with its points. */
export function* seekAtBorders(
  reasoner: Pick<Reasoner, 'space' | 'encoding'>,
  rules: readonly Rule[],
  isOpen: (rule: Rule) => boolean,
  endsAt: number,
): Generator<Facts> {
  const { space, encoding } = reasoner;
  const borders = bordersOf(reasoner, rules.filter(isOpen));
  for (const tries of TRIES) {
    for (const { rules: own, walk } of borders) {
      for (const rule of own) {
        if (!isOpen(rule) || performance.now() > endsAt) continue;
        // The walk goes on from the applicant whom it found for the rule before.
        const states = walk.seek(tries, endsAt, encoding.truth(rule.when).certain);
        const found = states && findFacts(space, states, endsAt);
        if (found && 'facts' in found) yield found.facts;
      }
    }
  }
}

function bordersOf({ space, encoding }: Pick<Reasoner, 'space' | 'encoding'>, rules: readonly Rule[]): Border[] {
  const [{ policy, rules: live }] = space.sides as readonly [Side];
  const { fired, finalFired, strict, least, most } = asked(live, encoding);
  const ties = space.ties.map(isKept);
  const start = space.variables.map(({ states }) => Math.min(1, states.length - 1));
  // Rules matter more often at the stricter band: fewer are left to be sought at the other.
  return (['reject', 'review'] as const).flatMap((band) => {
    const limit = policy.score[band];
    const [isAsked, asks, end] =
      band === 'reject' ? [(rule: Rule) => rule.then === 'reject', fired.reject, least] : [isStrict, strict, most];
    const own = rules.filter((rule) => !isAsked(rule) && !rule.final && !rule.shadow);
    return [1, -1].flatMap((sign) => {
      const ofSign = own.filter(({ points = 0 }) => Math.sign(points) === sign);
      if (limit === undefined || ofSign.length === 0) return [];
      // Between these two, each of the rules makes the difference.
      const width = Math.min(...ofSign.map(({ points = 0 }) => Math.abs(points)));
      const from = sign > 0 ? limit : limit - width;
      const isAt = [sumAtLeast(from, least), not(sumAtLeast(from + width, end)), not(asks)];
      const formulas = [...ties, ...isAt, not(or(Object.values(finalFired)))];
      const goals = ofSign.map(({ when }) => encoding.truth(when).certain);
      return { rules: ofSign, walk: createWalk(formulas, start, goals) };
    });
  });
}
