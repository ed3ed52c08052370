/** Outcomes that are asked for and that nobody gets, and bands in which nobody's score lies -> a warning each. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import type { OutcomeAndScore } from '../../decision/meaning/outcome.ts';
import type { Facts } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import type { Check } from '../../policy/check/context.ts';
import { bandNode } from '../../policy/check/score/bands.ts';
import { type Band, OUTCOMES, type Outcome, type Policy, rulesInEffect } from '../../policy/language.ts';
import { findApplicant } from '../reasoning/find-applicant.ts';
import type { Reasoner, Time } from '../reasoning/reasoner.ts';
import { asked, outcomeFormulas } from '../solver/encode.ts';
import { and, FALSE, type Formula, not, sumAtLeast } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import type { DayFindings, Kind } from './nobody.ts';
import { IDLE_CODES, wasReported } from './was-reported.ts';

const BANDS: readonly Band[] = ['review', 'reject'];

const NOBODY: Readonly<Record<Outcome, string>> = {
  accept: 'nobody is accepted',
  review: 'nobody is reviewed',
  reject: 'nobody is rejected',
};

/** The outcomes that the default or a rule asks for: a policy may well do without one. */
export function outcomesOf(check: Check): Kind<Outcome, true> {
  const isAsked = (outcome: Outcome, day: string) => askingFor(outcome, day, check) !== undefined;
  return {
    itemsOn: (day) => OUTCOMES.filter((outcome) => isAsked(outcome, day)),
    ask(reasoner, outcomes, time) {
      const formulas = outcomeFormulas(reasoner.space.sides[0] as Side, reasoner.encoding);
      const gets = (outcome: Outcome) => ({
        formula: formulas[outcome],
        isRight: (decided: OutcomeAndScore) => decided.outcome === outcome,
      });
      return findUnreached(outcomes, gets, reasoner, time);
    },
  };
}

/** What asks for an outcome on a day, in words; rules that were reported as idle are left out. */
function askingFor(outcome: Outcome, day: string, { policy, nodes }: Check): string | undefined {
  if (policy.default === outcome) return 'the default';
  const isLive = rulesInEffect(policy, day).find(
    (rule) => rule.then === outcome && !wasReported(nodes.get(rule), IDLE_CODES),
  );
  return isLive && `"${isLive.id}"`;
}

/** Reports an outcome, unless all that asks for it was reported. */
export function warnOfOutcome(outcome: Outcome, days: readonly string[], check: Check): void {
  const by = days.map((day) => askingFor(outcome, day, check)).find((each) => each !== undefined);
  if (by === undefined) return;
  const { keys, warn } = check;
  const message = `${NOBODY[outcome]}, though ${by} asks for it: other rules decide about every applicant`;
  warn((keys.get('default') ?? keys.get('policy'))?.value, 'never-reached', message, 'narrow the other rules');
}

/** The bands of the score that no ordinary check has reported. */
export function bandsOf(check: Check): Kind<Band, true> {
  const { policy } = check;
  const isOpen = (band: Band) => {
    const at = bandNode(band, check);
    return at !== undefined && !wasReported(at, ['band-never-reached']);
  };
  const bands = BANDS.filter(isOpen);
  return {
    itemsOn: (day) => (rulesInEffect(policy, day).some(({ points }) => points) ? bands : []),
    ask(reasoner, among, time) {
      const { least } = asked(reasoner.space.sides[0]?.rules ?? [], reasoner.encoding);
      const reaches = (limit: number | undefined) => (limit === undefined ? FALSE : sumAtLeast(limit, least));
      const above = { review: reaches(policy.score.reject), reject: FALSE };
      const liesIn = (band: Band) => ({
        formula: and([reaches(policy.score[band]), not(above[band])]),
        isRight: ({ score }: OutcomeAndScore) => score.band === band,
      });
      return findUnreached(among, liesIn, reasoner, time);
    },
  };
}

/** Reports a band. */
export function warnOfBand(band: Band, check: Check): void {
  const { review, reject } = check.policy.score;
  const where =
    band === 'review' && reject !== undefined
      ? `lies between review from ${review} and reject from ${reject}`
      : `reaches ${band} from ${check.policy.score[band]}`;
  const message = `no score ${where}: the rules that would add up to it exclude each other`;
  check.warn(bandNode(band, check), 'never-reached', message, 'move the band, or change the points of rules');
}

/** Whether somebody is in a place: a formula, and what confirms it by the decision. */
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
  const policy = sides[0]?.policy as Policy;
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
