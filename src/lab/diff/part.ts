/** A box, and a case in it in which a decision changes in one way: a region before regions are joined. */

import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import type { Formula } from '../solver/formula.ts';
import type { Box } from '../space/truths.ts';

/** A change of the outcome. */
export interface Change {
  readonly from: Outcome;
  readonly to: Outcome;
}

/** All changes of the outcome. */
export const CHANGES: readonly Change[] = OUTCOMES.flatMap((from) =>
  OUTCOMES.flatMap((to) => (from === to ? [] : { from, to })),
);

/** What has to hold of an applicant of a box besides, so that the decision changes. */
export interface ChangeCase<How = Change> {
  readonly change: How;
  readonly formula: Formula;
  /** Equal for cases with the same change and formula. */
  readonly key: string;
  /** The formula for people; none if it holds in the whole box. */
  readonly words: readonly string[];
  /** Whether the formula holds in a state of each variable. */
  holds(states: readonly number[]): boolean;
}

export interface Part<How = Change> {
  readonly box: Box;
  /** The states of the box in which it was found; the case may be another one there. */
  readonly states: readonly number[];
  /** A box in it whose applicants do not belong to the part; absent for none. */
  readonly without?: Box;
  readonly changeCase: ChangeCase<How>;
}

/** Some parts; `none` if there is proof that there are no more, `unknown` if that is not known in this time. */
type Next<How> = (timeoutMs: number) => Promise<readonly Part<How>[] | 'none' | 'unknown'>;

/** Finds parts of a difference, disjoint, until there are no more. */
export interface PartSource<How = Change> {
  readonly next: Next<How>;
  /** The kinds of differences, if they are few: `next` finds parts among which is one of the kind. */
  readonly kinds?: readonly { readonly how: How; readonly next: Next<How> }[];
}
