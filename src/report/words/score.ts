/** A score and the bands of a policy -> the words that text and page share. */

import { bandOf, type Score } from '../../decision/meaning/outcome.ts';
import type { Outcome } from '../../policy/language.ts';
import { count } from '../../text.ts';

/** Where the bands of a policy begin. */
export interface Bands {
  readonly review?: number | undefined;
  readonly reject?: number | undefined;
}

/** `25 to 40 points`. */
export function scoreWords({ least, most }: Pick<Score, 'least' | 'most'>): string {
  return least === most ? count(least, 'point') : `${least} to ${most} points`;
}

/** The band that a score may reach beyond the one that it reaches for certain, depending on what is not known. */
export function possibleBand({ most, band }: Score, { review, reject }: Bands): Outcome | undefined {
  const highest = bandOf({ review, reject }, most);
  return highest === null || highest === band ? undefined : highest;
}

/** What stands behind the band that a score may reach. */
export const DEPENDING = 'depending on what is not known';
