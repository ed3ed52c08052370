/** A box, and a case in it in which the outcome changes in one way: a region before regions are joined. */

import type { Outcome } from '../../policy/language.ts';
import type { Formula } from '../solver/formula.ts';
import type { Box } from '../space/truths.ts';

/** A change of the outcome. */
export interface Change {
  readonly from: Outcome;
  readonly to: Outcome;
}

/** What has to hold of an applicant of a box besides, so that the outcome changes. */
export interface ChangeCase {
  readonly change: Change;
  readonly formula: Formula;
  /** Equal for cases with the same change and formula. */
  readonly key: string;
  /** The formula for people; undefined if it holds in the whole box. */
  readonly words: string | undefined;
  /** Whether the formula holds in a state of each variable. */
  holds(states: readonly number[]): boolean;
}

export interface Part {
  readonly box: Box;
  readonly changeCase: ChangeCase;
}
