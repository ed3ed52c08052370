/** Outcomes that are asked for and never given, and bands that no score reaches -> a warning each. */

import type { Check } from '../../../policy/check/context.ts';
import { bandNode } from '../../../policy/check/score-checks.ts';
import { type Band, OUTCOMES, type Outcome, rulesInEffect } from '../../../policy/language.ts';
import { QUESTION_SHARE } from '../../limits.ts';
import type { Reasoner } from '../../question/reasoner.ts';
import { asked } from '../../solver/encode.ts';
import { FALSE, not, sumAtLeast } from '../../solver/formula.ts';
import type { Side } from '../../space/space.ts';
import type { Steps } from '../../steps.ts';
import type { DayFindings, Kind } from '../day-by-day.ts';
import { answer, QUESTIONS, type Question, type Subject, subjectOf } from '../question.ts';
import { INEFFECTIVE_CODES, wasReported } from './reported.ts';

const BANDS: readonly Band[] = ['review', 'reject'];

const NOBODY: Readonly<Record<Outcome, string>> = {
  accept: 'no applicant is accepted',
  review: 'no applicant is reviewed',
  reject: 'no applicant is rejected',
};

/** The outcomes that the default or a rule asks for: a policy may well do without one. */
export function outcomesOf(check: Check): Kind<Outcome, true> {
  return {
    itemsOn: (day) => OUTCOMES.filter((outcome) => askingFor(outcome, day, check) !== undefined),
    ask: findUnreachedOutcomes,
  };
}

/** What asks for an outcome on a day, in words; rules that were reported to have no effect are left out. */
function askingFor(outcome: Outcome, day: string, { policy, nodes }: Check): string | undefined {
  if (policy.default === outcome) return 'the default';
  const asking = rulesInEffect(policy, day).filter(({ then }) => then === outcome);
  const rule = asking.find((each) => !wasReported(nodes.get(each), INEFFECTIVE_CODES));
  return rule && `"${rule.id}"`;
}

/** Reports an outcome, unless all rules that ask for it were reported. */
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
  const bands = BANDS.filter((band) => {
    const at = bandNode(band, check);
    return at !== undefined && !wasReported(at, ['band-never-reached']);
  });
  return {
    itemsOn: (day) => (rulesInEffect(policy, day).some(({ points }) => points) ? bands : []),
    ask: findUnreachedBands,
  };
}

/** Reports a band. */
export function warnOfBand(band: Band, check: Check): void {
  const { review, reject } = check.policy.score;
  const isBetween = band === 'review' && reject !== undefined;
  const where = isBetween
    ? `lies between review from ${review} and reject from ${reject}`
    : `reaches ${band} from ${check.policy.score[band]}`;
  const message = `no score ${where}: the rules that would add up to it exclude each other`;
  check.warn(bandNode(band, check), 'never-reached', message, 'move the band, or change the points of rules');
}

/** The outcomes that the reasoner's first policy never decides. */
export function findUnreachedOutcomes(
  reasoner: Reasoner,
  outcomes: readonly Outcome[],
  steps: Steps,
): Promise<DayFindings<Outcome, true>> {
  return findUnreached(outcomes, QUESTIONS.reachable, reasoner, steps);
}

/** The bands in which no score lies. */
export function findUnreachedBands(
  reasoner: Reasoner,
  bands: readonly Band[],
  steps: Steps,
): Promise<DayFindings<Band, true>> {
  const { encoding, space } = reasoner;
  const [{ policy, rules }] = space.sides as readonly [Side];
  const { least } = asked(rules, encoding);
  const reaches = (limit: number | undefined) => (limit === undefined ? FALSE : sumAtLeast(limit, least));
  const above = { review: reaches(policy.score.reject), reject: FALSE };
  const isIn = ({ decide }: Subject, band: Band): Question => ({
    formulas: [reaches(policy.score[band]), not(above[band])],
    confirm: (given) => (decide(given, space.day).score.band === band ? [given] : undefined),
  });
  return findUnreached(bands, isIn, reasoner, steps);
}

async function findUnreached<Item>(
  items: readonly Item[],
  questionOf: (subject: Subject, item: Item) => Question,
  reasoner: Reasoner,
  steps: Steps,
): Promise<DayFindings<Item, true>> {
  const subject = subjectOf(reasoner);
  const never = new Map<Item, true>();
  const undecided: Item[] = [];
  for (const item of items) {
    const answered = await answer(reasoner, questionOf(subject, item), steps, QUESTION_SHARE);
    if (answered === 'none') never.set(item, true);
    if (answered === undefined) undecided.push(item);
  }
  return { never, undecided };
}
