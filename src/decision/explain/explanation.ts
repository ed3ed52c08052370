/** The shape of an explanation: plain JSON data. */

import type { Cause, FactValue } from '../../facts/fact.ts';
import type { Outcome } from '../../policy/language.ts';
import type { MissingEvidence } from '../meaning/evidence.ts';
import type { Score } from '../meaning/outcome.ts';
import type { Reason, ShadowResult } from '../meaning/verdict.ts';
import type { Distance } from './distance.ts';

/** The state of a fact. The values of personal facts are hidden. */
export type FactState = { readonly value: FactValue } | { readonly missing: Cause } | { readonly hidden: true };

/** A test whose truth would have to change for a rule to fire. */
export interface TurningTest {
  readonly fact: string;
  readonly operator: string;
  /**
   * The argument as written in the policy; `{ fact }` for a test against another fact. Phone numbers, emails and IP
   * addresses are hidden, as most belong to people other than the applicant: `{ listed: 2 }` gives only their number.
   */
  readonly expected: unknown;
  /** The test is true or unknown and would have to be false. */
  readonly negated?: true;
  readonly is: FactState;
  /** The other fact of a test against a fact. */
  readonly other?: { readonly fact: string; readonly is: FactState };
  /** The distance to a value that changes the test; absent if values have no distance, or a fact is missing. */
  readonly missedBy?: Distance;
}

/** An active rule that was determined and did not fire. */
export interface MissedRule {
  readonly rule: string;
  readonly code: string;
  /** The outcome it would have asked for; null for a rule that only adds points. */
  readonly outcome: Outcome | null;
  readonly points?: number;
  readonly final?: true;
  readonly shadow?: true;
  /** The tests that would have to change in the nearest fix; empty if the rule can never fire. */
  readonly stoppedBy: readonly TurningTest[];
  /** Set if the search for the nearest fix was stopped; `stoppedBy` is then empty. */
  readonly isSearched?: false;
  /**
   * How far these tests are from changing, in steps between the policy's borders: see `docs/cli/explain.md`. It ranks
   * rules with equally many tests.
   */
  readonly miss: number;
}

/** An active rule that could not be determined. */
export interface OpenRule {
  readonly rule: string;
  readonly code: string;
  readonly asks: 'review' | null;
  /** The outcome it would have asked for if it had fired; null for a rule that only adds points. */
  readonly outcome: Outcome | null;
  /** The points it may add to the score; absent if it adds none while it is undetermined. */
  readonly points?: number;
  readonly missing: readonly MissingEvidence[];
  /** The tests that would have to change for it to fire, in the nearest fix. */
  readonly wouldFireWith: readonly TurningTest[];
  /** Set if the search for the nearest fix was stopped; `wouldFireWith` is then empty. */
  readonly isSearched?: false;
}

/** A shadow rule that fires or is undetermined. */
export interface ExplainedShadow extends ShadowResult {
  /** The outcome if this rule were live, and no other shadow rule. */
  readonly wouldBe: Outcome;
}

/** Facts that settle the outcome. */
export interface StandsOn {
  /** Together they force the outcome for any combination of all other facts, known or missing. */
  readonly facts: readonly { readonly fact: string; readonly is: FactState }[];
  /**
   * Whether none of them can be left out: without any one of them, another outcome is possible. False if
   * that could not be shown for all of them within the limits of the search.
   */
  readonly isIrreducible: boolean;
}

/**
 * How a fact could get the value that it needs.
 * - `askAgain`: its signal was not requested or not returned, or its source failed.
 * - `give`: the caller did not supply it.
 * - `mapping`: the mapping does not cover it, or cannot read the value.
 * - `otherwise`: it is known and would have to be different.
 * - `wait`: it is counted, and was not counted for long enough, or nothing like it was seen.
 * - `another`: it follows from the applicant's own phone number or email, so another one would be needed.
 */
export type Remedy = 'askAgain' | 'give' | 'mapping' | 'otherwise' | 'another' | 'wait';

/** A fact that would have to change. */
export interface NeededFact {
  readonly fact: string;
  readonly is: FactState;
  /** The values that lead to the outcome while the other facts of the set have theirs, in words; or `any value`. */
  readonly needs: string;
  /** One such value. */
  readonly example: FactValue;
  readonly remedy: Remedy;
  /** The source that brings it together with other facts, which are one change: see `FailedSource`. */
  readonly source?: string;
}

/** What would lead to another outcome: counterfactuals. */
export interface Changes {
  readonly to: Outcome;
  /**
   * - `there`: it is already the outcome.
   * - `found`: `sets` lead to it.
   * - `moreThanThree`: no set of up to three changes leads to it.
   * - `never`: no values of any facts lead to it, for the same applicant.
   * - `stopped`: no set was found, but not every set of up to three changes could be checked.
   */
  readonly result: 'there' | 'found' | 'moreThanThree' | 'never' | 'stopped';
  /**
   * The number of changes in each set; 0 without sets. All facts that are missing because one source failed, or was
   * not asked, are one change.
   */
  readonly size: number;
  /** At most ten sets of the smallest size, fewest known facts first. Each was decided again with its examples. */
  readonly sets: readonly (readonly NeededFact[])[];
  /** How many more sets of that size there are. */
  readonly more: number;
  /** Whether every set of this size or smaller was checked: none was left out because its examples did not fit. */
  readonly isExact: boolean;
}

/** The outcomes to which asking again may lead, while all other facts stay as they are. */
export interface Retry {
  /** The outcomes that answers lead to, the mildest first. Each was decided again with an example. */
  readonly outcomes: readonly Outcome[];
  /** Whether no answer leads to another outcome. */
  readonly isComplete: boolean;
  /** The values that lead to the mildest outcome; empty if any do. */
  readonly needs: readonly NeededFact[];
}

/** A source of the service that did not answer. */
export interface FailedSource {
  /** Its name in the mapping; without a mapping, the beginning of its facts' paths: `email`. The whole: `service`. */
  readonly source: string;
  /** Set if other facts of it were answered. */
  readonly isPart?: true;
  /** The facts that rules read and that are missing because of it. */
  readonly facts: readonly string[];
  /** The outcomes if it is asked again and answers with all of them. */
  readonly retry: Retry;
}

/** The part of an explanation that is about failed sources. */
export interface Failures {
  /** The sources that did not answer, in the order of the policy's facts. */
  readonly failedSources: readonly FailedSource[];
  /** The outcomes if all of them are asked again and answer; absent if none failed. */
  readonly retry?: Retry;
}

/** Why a decision has its outcome, why other rules did not fire, and what would change the outcome. */
export interface Explanation extends Failures {
  readonly policy: { readonly name: string; readonly version: string; readonly digest: string };
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
  readonly outcome: Outcome;
  /** The final rules that decided alone; absent if none did. */
  readonly decidedBy?: readonly string[];
  /** The reasons of the verdict, decisive ones first. */
  readonly reasons: readonly Reason[];
  readonly score: Score;
  /** The points at which the review band and the reject band begin. */
  readonly bands: { readonly review?: number; readonly reject?: number };
  readonly undetermined: readonly OpenRule[];
  readonly shadow: readonly ExplainedShadow[];
  /** Nearest first: by the number of tests that would have to change, then by `miss`, then in the policy's order. */
  readonly notFired: readonly MissedRule[];
  readonly standsOn: StandsOn;
  readonly changes: Changes;
}
