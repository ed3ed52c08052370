/**
 * The truth of every rule -> the outcome. This is the only place where outcomes are ranked:
 *
 * 1. The first final rule that fires decides alone. The search ends at a final rule that is undetermined and
 *    asks for review.
 * 2. If none decides, every rule asks: a rule that fired for its `then`; an undetermined one for review, if its
 *    `then` is review or reject and `whenUnknown` is not `ignore`.
 * 3. The score asks for the band that its lower end reaches. If its upper end reaches a stricter band, it asks
 *    for review.
 * 4. If neither a rule that fired nor a band asks for anything, the policy's default does.
 * 5. The outcome is the strictest that is asked for: reject, review, accept.
 *
 * A rule fires if its condition is true, and is undetermined if its condition is unknown (truth.ts). Points of
 * a rule that fired count at both ends of the score. Points of an undetermined rule widen it: negative ones
 * lower the lower end, positive ones raise the upper end, and with `ignore` they do not count.
 */

import {
  asksWhenUnknown,
  OUTCOMES,
  type Outcome,
  type Policy,
  type Rule,
  type ScoreBands,
} from '../../policy/language.ts';
import { FALSE, TRUE, type Truth } from './truth.ts';

/** The score: a range if rules with points are undetermined, and the band that its lower end reaches. */
export interface Score {
  readonly least: number;
  readonly most: number;
  readonly band: Outcome | null;
}

/** A verdict without its reasons. */
export interface OutcomeAndScore {
  readonly outcome: Outcome;
  readonly score: Score;
}

/** The outcome, and what asked for it. */
export interface Settlement extends OutcomeAndScore {
  /** The final rule that decided alone. */
  readonly decidedBy: Rule | undefined;
  /** The stricter band that only the upper end of the score reaches. */
  readonly bandAbove: Outcome | undefined;
  /** Whether the policy's default was asked for. */
  readonly isDefaultAsked: boolean;
  /** Whether anything but the default was asked for. */
  readonly isOtherAsked: boolean;
}

/** The strictness of "nothing is asked for": milder than every outcome. */
const NOTHING = -1;

/** How strict an outcome is: accept 0, review 1, reject 2; -1 for none. */
export function strictness(outcome: Outcome | null | undefined): number {
  return outcome === null || outcome === undefined ? NOTHING : OUTCOMES.indexOf(outcome);
}

/** What a rule contributes to the outcome. */
export interface Weight {
  readonly rule: Rule;
  /** The strictness of what it asks for when it fired, and when it is undetermined; -1 for nothing. */
  readonly fired: number;
  readonly undetermined: number;
  readonly isFinal: boolean;
  readonly points: number;
  /** Whether its points do not count while it is undetermined. */
  readonly isIgnored: boolean;
}

/** Reads from a rule what it contributes. */
export function weigh(rule: Rule): Weight {
  return {
    rule,
    fired: strictness(rule.then),
    undetermined: strictness(asksWhenUnknown(rule)),
    isFinal: rule.final,
    points: rule.points ?? 0,
    isIgnored: rule.whenUnknown === 'ignore',
  };
}

/** Adds up rules, one after the other, to an outcome. Reusable: `reset` begins anew without an allocation. */
export class OutcomeTally {
  readonly #policy: Policy;
  #decidedBy: Rule | undefined;
  /** Whether the search for a final rule that decides has ended. */
  #hasSearchEnded = false;
  /** The strictest outcome that rules which fired ask for. */
  #certain = NOTHING;
  /** The strictest outcome that undetermined rules ask for. */
  #uncertain = NOTHING;
  #least = 0;
  #most = 0;

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  reset(): void {
    this.#decidedBy = undefined;
    this.#hasSearchEnded = false;
    this.#certain = NOTHING;
    this.#uncertain = NOTHING;
    this.#least = 0;
    this.#most = 0;
  }

  /** Adds a rule that fired or is undetermined. INVARIANT: rules come in the policy's order, without shadow rules. */
  add({ rule, fired, undetermined, isFinal, points, isIgnored }: Weight, isFired: boolean): void {
    if (isFinal && !this.#hasSearchEnded) {
      if (isFired) this.#decidedBy = rule;
      this.#hasSearchEnded = isFired || undetermined !== NOTHING;
    }
    if (isFired) {
      if (fired > this.#certain) this.#certain = fired;
      this.#least += points;
      this.#most += points;
    } else {
      if (undetermined > this.#uncertain) this.#uncertain = undetermined;
      if (isIgnored) return;
      if (points < 0) this.#least += points;
      else this.#most += points;
    }
  }

  /** The outcome of all rules added, and what asked for it. */
  settle(): Settlement {
    const { outcome, score } = this.answer();
    const certain = Math.max(this.#certain, strictness(score.band));
    const bandAbove = this.#bandAbove(score.band);
    return {
      outcome,
      decidedBy: this.#decidedBy,
      score,
      bandAbove,
      isDefaultAsked: this.#decidedBy === undefined && certain === NOTHING,
      isOtherAsked: certain !== NOTHING || bandAbove !== undefined || this.#uncertain !== NOTHING,
    };
  }

  /** The outcome and the score of all rules added. */
  answer(): OutcomeAndScore {
    const { score: bands, default: fallback } = this.#policy;
    const band = bandOf(bands, this.#least);
    const score = { least: this.#least, most: this.#most, band };
    if (this.#decidedBy?.then !== undefined) return { outcome: this.#decidedBy.then, score };
    const certain = Math.max(this.#certain, strictness(band));
    const byDefault = certain === NOTHING ? strictness(fallback) : NOTHING;
    const byBandAbove = this.#bandAbove(band) === undefined ? NOTHING : strictness('review');
    // INVARIANT: something is asked for, if only by default.
    return { outcome: OUTCOMES[Math.max(certain, this.#uncertain, byBandAbove, byDefault)] ?? fallback, score };
  }

  #bandAbove(band: Outcome | null): Outcome | undefined {
    if (this.#least === this.#most) return undefined;
    const most = bandOf(this.#policy.score, this.#most);
    return most !== null && strictness(most) > strictness(band) ? most : undefined;
  }
}

/** Settles the outcome from the truth of rules, given in the policy's order and without shadow rules. */
export function settle(policy: Policy, rules: readonly { readonly rule: Rule; readonly truth: Truth }[]): Settlement {
  const tally = new OutcomeTally(policy);
  for (const { rule, truth } of rules) if (truth !== FALSE) tally.add(weigh(rule), truth === TRUE);
  return tally.settle();
}

/** The band that a number of points reaches; null for none. */
export function bandOf({ review, reject }: ScoreBands, points: number): Outcome | null {
  if (reject !== undefined && points >= reject) return 'reject';
  return review !== undefined && points >= review ? 'review' : null;
}
