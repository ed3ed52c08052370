/** The truth of every rule -> the outcome; the only place where outcomes are ranked (policy language, "The outcome"). */

import {
  asksWhenUnknown,
  OUTCOMES,
  type Outcome,
  type Policy,
  type Rule,
  type ScoreBands,
} from '../../policy/language.ts';
import { FALSE, TRUE, type Truth } from './truth.ts';

/** The score: a range where rules are undetermined, and the band that its lower end reaches. */
export interface Score {
  readonly least: number;
  readonly most: number;
  readonly band: Outcome | null;
}

/** A policy's answer without its reasons. */
export interface OutcomeAndScore {
  readonly outcome: Outcome;
  readonly score: Score;
}

/** What the rules' truths come to. */
export interface Settlement extends OutcomeAndScore {
  /** The final rule that decided alone. */
  readonly decidedBy: Rule | undefined;
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

/** No outcome, milder than all. */
const NOTHING = -1;

/** What counts of a rule. */
export interface Weight {
  readonly rule: Rule;
  /** How strict an outcome it asks for where it fired, and where it is undetermined; -1 for none. */
  readonly fired: number;
  readonly undetermined: number;
  readonly isFinal: boolean;
  readonly points: number;
  /** Whether its points count for nothing where it is undetermined. */
  readonly isIgnored: boolean;
}

/** What counts of a rule. */
export function weigh(rule: Rule): Weight {
  const asks = asksWhenUnknown(rule);
  return {
    rule,
    fired: rule.then === undefined ? NOTHING : strictness(rule.then),
    undetermined: asks === null ? NOTHING : strictness(asks),
    isFinal: rule.final,
    points: rule.points ?? 0,
    isIgnored: rule.whenUnknown === 'ignore',
  };
}

/** Adds up what rules with their truths come to, one after the other. It can be used again and again. */
export class OutcomeTally {
  readonly #policy: Policy;
  #decidedBy: Rule | undefined;
  /** Whether a final rule decided, or none can any more. */
  #isWalkOver = false;
  /** The strictest outcome that rules which fired ask for, and that undetermined ones do. */
  #certain = NOTHING;
  #uncertain = NOTHING;
  #least = 0;
  #most = 0;

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** Begins anew. */
  reset(): void {
    this.#decidedBy = undefined;
    this.#isWalkOver = false;
    this.#certain = NOTHING;
    this.#uncertain = NOTHING;
    this.#least = 0;
    this.#most = 0;
  }

  /** One more rule that fired or is undetermined. INVARIANT: rules come in the policy's order, and no shadow rule does. */
  add({ rule, fired, undetermined, isFinal, points, isIgnored }: Weight, isFired: boolean): void {
    if (isFinal && !this.#isWalkOver) {
      // The first that fires decides; none does once one that asks could not be checked.
      if (isFired) this.#decidedBy = rule;
      this.#isWalkOver = isFired || undetermined !== NOTHING;
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

  /** What all of them come to. */
  settle(): Settlement {
    const { outcome, score } = this.answer();
    const certain = Math.max(this.#certain, rank(score.band));
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

  /** The outcome and the score of all of them. */
  answer(): OutcomeAndScore {
    const { score: bands, default: fallback } = this.#policy;
    const band = bandOf(bands, this.#least);
    const score = { least: this.#least, most: this.#most, band };
    if (this.#decidedBy?.then !== undefined) return { outcome: this.#decidedBy.then, score };
    const certain = Math.max(this.#certain, rank(band));
    const asked = Math.max(
      certain,
      this.#uncertain,
      this.#bandAbove(band) === undefined ? NOTHING : strictness('review'),
    );
    // INVARIANT: something is asked for, if only the default.
    const strictest = certain === NOTHING ? Math.max(asked, strictness(fallback)) : asked;
    return { outcome: OUTCOMES[strictest] ?? fallback, score };
  }

  /** The band that only the upper end of the score reaches. */
  #bandAbove(band: Outcome | null): Outcome | undefined {
    if (this.#least === this.#most) return undefined;
    const most = bandOf(this.#policy.score, this.#most);
    return most !== null && rank(most) > rank(band) ? most : undefined;
  }
}

/** Settles what rules that fired or are undetermined, in the policy's order and without shadow rules, come to. */
export function settle(policy: Policy, found: readonly { readonly rule: Rule; readonly truth: Truth }[]): Settlement {
  const tally = new OutcomeTally(policy);
  for (const { rule, truth } of found) if (truth !== FALSE) tally.add(weigh(rule), truth === TRUE);
  return tally.settle();
}

/** The band that this many points reach. */
export function bandOf({ review, reject }: ScoreBands, points: number): Outcome | null {
  if (reject !== undefined && points >= reject) return 'reject';
  return review !== undefined && points >= review ? 'review' : null;
}

function rank(band: Outcome | null): number {
  return band === null ? NOTHING : strictness(band);
}
