/** The truth of every rule -> the outcome; the only place where outcomes are ranked (policy language, "The outcome"). */

import {
  asksWhenUnknown,
  OUTCOMES,
  type Outcome,
  type Policy,
  type Rule,
  type ScoreBands,
} from '../policy/language.ts';
import { FALSE, TRUE, type Truth } from './truth.ts';

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

/** No outcome, milder than all. */
const NOTHING = -1;

/** Adds up what rules with their truths come to, one after the other. It can be used again and again. */
export class Tally {
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
  add(rule: Rule, isFired: boolean): void {
    const asks = isFired ? rule.then : (asksWhenUnknown(rule) ?? undefined);
    if (rule.final && !this.#isWalkOver) {
      // The first that fires decides; none does once one that asks could not be checked.
      if (isFired) this.#decidedBy = rule;
      this.#isWalkOver = isFired || asks !== undefined;
    }
    const points = rule.points ?? 0;
    if (isFired) {
      if (asks !== undefined) this.#certain = Math.max(this.#certain, strictness(asks));
      this.#least += points;
      this.#most += points;
    } else {
      if (asks !== undefined) this.#uncertain = strictness(asks);
      if (rule.whenUnknown === 'ignore') return;
      if (points < 0) this.#least += points;
      else this.#most += points;
    }
  }

  /** What all of them come to. */
  settle(): Settlement {
    const { score: bands, default: fallback } = this.#policy;
    const band = bandOf(bands, this.#least);
    const most = bandOf(bands, this.#most);
    const bandAbove = most !== null && rank(most) > rank(band) ? most : undefined;
    const certain = Math.max(this.#certain, rank(band));
    const uncertain = bandAbove === undefined ? this.#uncertain : Math.max(this.#uncertain, strictness('review'));
    const isDefaultAsked = this.#decidedBy === undefined && certain === NOTHING;
    const strictest = Math.max(certain, uncertain, isDefaultAsked ? strictness(fallback) : NOTHING);
    return {
      // INVARIANT: something is asked for, if only the default.
      outcome: this.#decidedBy?.then ?? OUTCOMES[strictest] ?? fallback,
      decidedBy: this.#decidedBy,
      score: { least: this.#least, most: this.#most, band },
      bandAbove,
      isDefaultAsked,
      isOtherAsked: certain !== NOTHING || uncertain !== NOTHING,
    };
  }
}

/** Settles what rules that fired or are undetermined, in the policy's order and without shadow rules, come to. */
export function settle(policy: Policy, found: readonly { readonly rule: Rule; readonly truth: Truth }[]): Settlement {
  const tally = new Tally(policy);
  for (const { rule, truth } of found) if (truth !== FALSE) tally.add(rule, truth === TRUE);
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
