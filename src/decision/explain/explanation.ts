/** What an explanation says: plain JSON data. */

import type { Cause, FactValue } from '../../facts/fact.ts';
import type { Outcome } from '../../policy/language.ts';
import type { MissingEvidence } from '../meaning/evidence.ts';
import type { Score } from '../meaning/outcome.ts';
import type { Reason, ShadowResult } from '../meaning/verdict.ts';
import type { Distance } from './distance.ts';

/** What a fact is. The applicant's own phone number, email and IP have no value here. */
export type FactState = { readonly value: FactValue } | { readonly missing: Cause } | { readonly hidden: true };

/** A test that is not as it would have to be for a rule to fire. */
export interface TurningTest {
  readonly fact: string;
  readonly operator: string;
  /** The argument as written in the policy; `{ fact }` for a test against another fact. */
  readonly expected: unknown;
  /** The test is true, or unknown, and would have to be false. */
  readonly negated?: true;
  readonly is: FactState;
  /** The other fact of a test against a fact. */
  readonly other?: { readonly fact: string; readonly is: FactState };
  /** By how much the value misses; absent where values have no distance, or one is missing. */
  readonly missedBy?: Distance;
}

/** An active rule that did not fire, though it was decided. */
export interface MissedRule {
  readonly rule: string;
  readonly code: string;
  /** What it would have asked for; null for a rule that only adds points. */
  readonly outcome: Outcome | null;
  readonly points?: number;
  readonly final?: true;
  readonly shadow?: true;
  /** The tests that would have to turn, on the cheapest way to make it fire; none where it can never fire. */
  readonly stoppedBy: readonly TurningTest[];
  /** The sum of what they miss, each from 0 to 1: the closer of two rules with as many tests has less. */
  readonly miss: number;
}

/** An active rule that could not be decided. */
export interface OpenRule {
  readonly rule: string;
  readonly code: string;
  readonly asks: 'review' | null;
  /** What it would have asked for, had it fired; null for a rule that only adds points. */
  readonly outcome: Outcome | null;
  /** What it may add to the score; absent where it adds nothing as long as it is unknown. */
  readonly points?: number;
  readonly missing: readonly MissingEvidence[];
  /** The tests that would have to turn for it to fire, on the cheapest way. */
  readonly wouldFireWith: readonly TurningTest[];
}

/** The facts that the outcome stands on. */
export interface StandsOn {
  /** Together they force the outcome, whatever all others are, missing among it. */
  readonly facts: readonly { readonly fact: string; readonly is: FactState }[];
  /** No set of fewer facts does: as many as these where it is known that there is no smaller set. */
  readonly least: number;
}

/**
 * How a fact could come to be what it would need to be.
 * `askAgain`: a signal that was not asked for or not returned, or whose source failed. `give`: nobody gave it. `mapping`: the
 * mapping has no place for it, or cannot read what stands there. `otherwise`: it is known, and would have to be another.
 * `another`: it follows from the applicant's own phone number or email, so that only another has it.
 */
export type Remedy = 'askAgain' | 'give' | 'mapping' | 'otherwise' | 'another';

/** A fact that would have to be otherwise. */
export interface NeededFact {
  readonly fact: string;
  readonly is: FactState;
  /** What it would have to be, in words, while the others of the set are as they need to be. */
  readonly needs: string;
  /** One such value. */
  readonly example: FactValue;
  readonly remedy: Remedy;
}

/** What would lead to another outcome. */
export interface Changes {
  readonly to: Outcome;
  /**
   * `there`: it is the outcome now. `found`: by `sets`. `moreThanThree`: no set of up to three facts leads to it. `never`: no
   * values of any facts do, while the applicant stays the same. `stopped`: the policy is too large to look at all sets.
   */
  readonly result: 'there' | 'found' | 'moreThanThree' | 'never' | 'stopped';
  /** Sets of the smallest size: those that need only what is missing first. Each was decided again with its examples. */
  readonly sets: readonly (readonly NeededFact[])[];
  /** How many more of that size there are. */
  readonly more: number;
  /** Whether no set is missing of which no facts could be built that fit together. */
  readonly isExact: boolean;
}

/** Why a decision came out as it did, why not otherwise, and what would change it. */
export interface Explanation {
  readonly policy: { readonly name: string; readonly version: string; readonly digest: string };
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
  readonly outcome: Outcome;
  /** The final rule that decided alone. */
  readonly decidedBy?: string;
  /** Of the verdict, the decisive ones first. */
  readonly reasons: readonly Reason[];
  readonly score: Score;
  /** The points from which on review and reject are asked for. */
  readonly bands: { readonly review?: number; readonly reject?: number };
  readonly undetermined: readonly OpenRule[];
  readonly shadow: readonly ShadowResult[];
  /** Nearest first: the fewest tests that would have to turn, then the smallest miss, then the policy's order. */
  readonly notFired: readonly MissedRule[];
  readonly standsOn: StandsOn;
  readonly changes: Changes;
}
