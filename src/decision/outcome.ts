/** The truth of every rule -> the outcome; the only place where outcomes are ranked (policy language, "The outcome"). */

import {
  asksWhenUnknown,
  OUTCOMES,
  type Outcome,
  type Policy,
  type Rule,
  type ScoreBands,
} from '../policy/language.ts';
import { FALSE, TRUE, type Truth, UNKNOWN } from './truth.ts';

/** The score: a range where rules are undetermined, and the band that its lower end reaches. */
export interface Score {
  readonly least: number;
  readonly most: number;
  readonly band: Outcome | null;
}

/** What the rules' truths come to. */
export interface Settlement {
  readonly outcome: Outcome;
  /** The final rule that decided alone. */
  readonly decidedBy: Rule | undefined;
  readonly score: Score;
  /** The band that only the upper end of the score reaches. */
  readonly bandAbove: Outcome | undefined;
  /** Whether the policy's default was asked for. */
  readonly isDefaultAsked: boolean;
  /** Whether anything but the default was asked for. */
  readonly isOtherAsked: boolean;
}

/** Where an outcome stands: accept 0, review 1, reject 2. */
export function strictness(outcome: Outcome): number {
  return OUTCOMES.indexOf(outcome);
}

/** Settles what `rules` with these truths, in the policy's order, come to. */
export function settle(policy: Policy, rules: readonly Rule[], truths: readonly Truth[]): Settlement {
  const fired = rules.filter((_, i) => truths[i] === TRUE);
  const undetermined = rules.filter((_, i) => truths[i] === UNKNOWN);
  const decidedBy = walkFinalRules(rules, truths);
  const score = addUp(policy.score, fired, undetermined);
  const most = bandOf(policy.score, score.most);
  const bandAbove = most !== null && rank(most) > rank(score.band) ? most : undefined;

  const certain = [...fired.map((rule) => rule.then), score.band ?? undefined].filter((asked) => asked !== undefined);
  const uncertain = undetermined.map(asksWhenUnknown).filter((asked) => asked !== null);
  if (bandAbove !== undefined) uncertain.push('review');
  const isDefaultAsked = decidedBy === undefined && certain.length === 0;
  const asked: Outcome[] = [...certain, ...uncertain, ...(isDefaultAsked ? [policy.default] : [])];
  return {
    outcome: decidedBy?.then ?? strictest(asked),
    decidedBy,
    score,
    bandAbove,
    isDefaultAsked,
    isOtherAsked: certain.length + uncertain.length > 0,
  };
}

/** The first final rule that fires; none once one that asks for review or reject could not be checked. */
function walkFinalRules(rules: readonly Rule[], truths: readonly Truth[]): Rule | undefined {
  for (const [i, rule] of rules.entries()) {
    if (!rule.final || truths[i] === FALSE) continue;
    if (truths[i] === TRUE) return rule;
    if (asksWhenUnknown(rule)) return undefined;
  }
  return undefined;
}

function addUp(bands: ScoreBands, fired: readonly Rule[], undetermined: readonly Rule[]): Score {
  const sum = (points: readonly number[]) => points.reduce((total, each) => total + each, 0);
  const certain = sum(fired.map((rule) => rule.points ?? 0));
  const open = undetermined.filter((rule) => rule.whenUnknown !== 'ignore').map((rule) => rule.points ?? 0);
  const least = certain + sum(open.filter((points) => points < 0));
  const most = certain + sum(open.filter((points) => points > 0));
  return { least, most, band: bandOf(bands, least) };
}

/** The band that this many points reach. */
export function bandOf({ review, reject }: ScoreBands, points: number): Outcome | null {
  if (reject !== undefined && points >= reject) return 'reject';
  return review !== undefined && points >= review ? 'review' : null;
}

function rank(band: Outcome | null): number {
  return band === null ? -1 : strictness(band);
}

/** INVARIANT: something is asked for, if only the default. */
function strictest(asked: readonly Outcome[]): Outcome {
  return asked.reduce((strict, each) => (strictness(each) > strictness(strict) ? each : strict));
}
