/**
 * The truth of every rule -> the outcome, as ranking.ts defines it: added up for one applicant, without an allocation.
 * A test holds both to each other.
 */

import {
  bandAbove,
  bandOf,
  OUTCOMES,
  type Outcome,
  type Policy,
  type Rule,
  strictness,
} from '../../policy/language.ts';
import { NOTHING, type Weight, weigh } from '../../policy/weight.ts';
import { TRUE, type UNKNOWN } from './truth.ts';

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
  /** The final rules that decided alone; undefined if no final rule fired. */
  readonly decidedBy: ReadonlySet<Rule> | undefined;
  /** The stricter band that only the upper end of the score reaches. */
  readonly bandAbove: Outcome | undefined;
  /** Whether the policy's default was asked for. */
  readonly isDefaultAsked: boolean;
  /** Whether anything but the default was asked for. */
  readonly isOtherAsked: boolean;
}

/** Whether what a rule, the score or the default asks for led to the outcome. */
export function isDecisive({ decidedBy, outcome }: Settlement, asked: Outcome | null, rule?: Rule): boolean {
  return decidedBy ? rule !== undefined && decidedBy.has(rule) : asked === outcome;
}

const REVIEW = strictness('review');

/** A rule that fired or is undetermined. */
export interface RuleTruth {
  readonly rule: Rule;
  readonly truth: typeof TRUE | typeof UNKNOWN;
}

/** What some rules ask for together. Outcomes are given by their strictness; -1 for none. */
export interface Sums {
  /** The strictest outcome of final rules that fired, and of undetermined ones that ask for review. */
  readonly finalFired: number;
  readonly finalUndetermined: number;
  /** The strictest outcome that rules which fired ask for, and that undetermined ones do. */
  readonly certain: number;
  readonly uncertain: number;
  /** The points of the lower and of the upper end of the score. */
  readonly least: number;
  readonly most: number;
}

/**
 * The strictness of what final rules decide alone; -1 if none fired. `fired` is the strictest `then` of those that
 * fired, `undetermined` the strictest of those that are undetermined and ask for review; -1 for none.
 */
export function decideAlone(fired: number, undetermined: number): number {
  return fired !== NOTHING && undetermined > fired ? REVIEW : fired;
}

/**
 * Whether a rule is one of the final rules that decide alone, where one fired: the undetermined rules that are stricter
 * than every one that fired; else the strictest that fired.
 */
function isAmongDeciders(
  { fired, undetermined, isFinal }: Weight,
  isFired: boolean,
  { finalFired, finalUndetermined }: Pick<Sums, 'finalFired' | 'finalUndetermined'>,
): boolean {
  const isOverruled = finalUndetermined > finalFired;
  if (!isFinal || isFired === isOverruled) return false;
  return isFired ? fired === finalFired : undetermined !== NOTHING && fired > finalFired;
}

/** Adds up rules, in any order, to an outcome. Reusable: `reset` clears the sums without an allocation. */
export class OutcomeTally {
  readonly #policy: Policy;
  /** The strictest outcome of final rules that fired, and of undetermined ones that ask. */
  #finalFired = NOTHING;
  #finalUndetermined = NOTHING;
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
    this.#finalFired = NOTHING;
    this.#finalUndetermined = NOTHING;
    this.#certain = NOTHING;
    this.#uncertain = NOTHING;
    this.#least = 0;
    this.#most = 0;
  }

  /** Adds a rule that fired or is undetermined. INVARIANT: no shadow rules. */
  add({ fired, undetermined, isFinal, points, openLeast, openMost }: Weight, isFired: boolean): void {
    if (isFinal) {
      if (isFired) this.#finalFired = Math.max(this.#finalFired, fired);
      else if (undetermined !== NOTHING) this.#finalUndetermined = Math.max(this.#finalUndetermined, fired);
    }
    if (isFired) {
      if (fired > this.#certain) this.#certain = fired;
      this.#least += points;
      this.#most += points;
    } else {
      if (undetermined > this.#uncertain) this.#uncertain = undetermined;
      this.#least += openLeast;
      this.#most += openMost;
    }
  }

  /** Adds rules by their sums. */
  addSums({ finalFired, finalUndetermined, certain, uncertain, least, most }: Sums): void {
    this.#finalFired = Math.max(this.#finalFired, finalFired);
    this.#finalUndetermined = Math.max(this.#finalUndetermined, finalUndetermined);
    this.#certain = Math.max(this.#certain, certain);
    this.#uncertain = Math.max(this.#uncertain, uncertain);
    this.#least += least;
    this.#most += most;
  }

  /** The sums of all rules added. */
  sums(): Sums {
    return {
      finalFired: this.#finalFired,
      finalUndetermined: this.#finalUndetermined,
      certain: this.#certain,
      uncertain: this.#uncertain,
      least: this.#least,
      most: this.#most,
    };
  }

  /** The outcome, and what asked for it. `truths` are the rules added. */
  settle(truths: readonly RuleTruth[]): Settlement {
    const { outcome, score } = this.answer();
    const certain = Math.max(this.#certain, strictness(score.band));
    const bandAbove = this.#bandAbove();
    return {
      outcome,
      decidedBy: this.#finalFired === NOTHING ? undefined : this.#decidersAmong(truths),
      score,
      bandAbove,
      isDefaultAsked: this.#finalFired === NOTHING && certain === NOTHING,
      isOtherAsked: certain !== NOTHING || bandAbove !== undefined || this.#uncertain !== NOTHING,
    };
  }

  /** The outcome and the score of all rules added. */
  answer(): OutcomeAndScore {
    const band = bandOf(this.#policy.score, this.#least);
    return { outcome: this.#outcomeWith(band), score: { least: this.#least, most: this.#most, band } };
  }

  /** The outcome of all rules added. */
  outcome(): Outcome {
    return this.#outcomeWith(bandOf(this.#policy.score, this.#least));
  }

  #outcomeWith(band: Outcome | null): Outcome {
    const { default: fallback } = this.#policy;
    const alone = decideAlone(this.#finalFired, this.#finalUndetermined);
    // The comparison comes first: an index of -1 is looked up as a name, which takes longer than all the rest.
    const aloneOutcome = alone === NOTHING ? undefined : OUTCOMES[alone];
    if (aloneOutcome !== undefined) return aloneOutcome;
    const certain = Math.max(this.#certain, strictness(band));
    const byDefault = certain === NOTHING ? strictness(fallback) : NOTHING;
    const byBandAbove = this.#bandAbove() === undefined ? NOTHING : strictness('review');
    // INVARIANT: something is asked for, if only by default.
    return OUTCOMES[Math.max(certain, this.#uncertain, byBandAbove, byDefault)] ?? fallback;
  }

  #decidersAmong(truths: readonly RuleTruth[]): ReadonlySet<Rule> {
    const sums = this.sums();
    const deciders = truths.filter(({ rule, truth }) => isAmongDeciders(weigh(rule), truth === TRUE, sums));
    return new Set(deciders.map(({ rule }) => rule));
  }

  #bandAbove(): Outcome | undefined {
    if (this.#least === this.#most) return undefined;
    return bandAbove(this.#policy.score, this.#least, this.#most);
  }
}

/** Settles the outcome from the rules that fired or are undetermined, without shadow rules. */
export function settle(policy: Policy, truths: readonly RuleTruth[]): Settlement {
  const tally = new OutcomeTally(policy);
  for (const { rule, truth } of truths) tally.add(weigh(rule), truth === TRUE);
  return tally.settle(truths);
}
