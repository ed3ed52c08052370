/** Outcomes and bands of the score -> those that nobody gets on the reasoner's day, with proof. */

import { matcherOf } from '../../../decision/matcher/matcher.ts';
import type { OutcomeAndScore } from '../../../decision/meaning/outcome.ts';
import type { Facts } from '../../../facts/fact.ts';
import { readFacts } from '../../../facts/read.ts';
import type { Band, Outcome } from '../../../policy/language.ts';
import { findApplicant } from '../../question/find-applicant.ts';
import type { Reasoner, Time } from '../../question/reasoner.ts';
import { asked, outcomeFormulas } from '../../solver/encode.ts';
import { and, FALSE, type Formula, not, sumAtLeast } from '../../solver/formula.ts';
import type { Side } from '../../space/space.ts';
import type { DayFindings } from './nobody.ts';

/** The outcomes that the reasoner's first policy decides for nobody. */
export function findUnreachedOutcomes(
  reasoner: Reasoner,
  outcomes: readonly Outcome[],
  time: Time,
): Promise<DayFindings<Outcome, true>> {
  const [side] = reasoner.space.sides as readonly [Side];
  const formulas = outcomeFormulas(side, reasoner.encoding);
  const isGiven = (outcome: Outcome): Place => ({
    formula: formulas[outcome],
    isRight: (decided) => decided.outcome === outcome,
  });
  return findUnreached(outcomes, isGiven, reasoner, time);
}

/** The bands in which no score lies. */
export function findUnreachedBands(
  reasoner: Reasoner,
  bands: readonly Band[],
  time: Time,
): Promise<DayFindings<Band, true>> {
  const [{ policy, rules }] = reasoner.space.sides as readonly [Side];
  const { least } = asked(rules, reasoner.encoding);
  const reaches = (limit: number | undefined) => (limit === undefined ? FALSE : sumAtLeast(limit, least));
  const above = { review: reaches(policy.score.reject), reject: FALSE };
  const isIn = (band: Band): Place => ({
    formula: and([reaches(policy.score[band]), not(above[band])]),
    isRight: ({ score }) => score.band === band,
  });
  return findUnreached(bands, isIn, reasoner, time);
}

/** What holds of somebody there, and what confirms it by the decision. */
interface Place {
  readonly formula: Formula;
  isRight(decided: OutcomeAndScore): boolean;
}

async function findUnreached<Item>(
  items: readonly Item[],
  placeOf: (item: Item) => Place,
  reasoner: Reasoner,
  time: Time,
): Promise<DayFindings<Item, true>> {
  const { day, sides } = reasoner.space;
  const [{ policy }] = sides as readonly [Side];
  const never = new Map<Item, true>();
  const undecided: Item[] = [];
  for (const item of items) {
    const { formula, isRight } = placeOf(item);
    const isThere = (given: Facts) => isRight(matcherOf(policy).outcome(readFacts(given, policy.facts, day), day));
    const found = await findApplicant(reasoner, [formula], isThere, time, 1 / items.length);
    if (found === 'none') never.set(item, true);
    if (found === undefined) undecided.push(item);
  }
  return { never, undecided };
}
