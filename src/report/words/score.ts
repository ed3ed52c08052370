/** A score and the bands of a policy -> words for text and page. */

import { bandOf, type Score } from '../../decision/meaning/outcome.ts';
import type { Outcome } from '../../policy/language.ts';
import { count } from '../../text.ts';

/** The first points of each band of a policy. */
export interface Bands {
  readonly review?: number | undefined;
  readonly reject?: number | undefined;
}

/** `25 to 40 points`. */
export function scoreWords({ least, most }: Pick<Score, 'least' | 'most'>): string {
  return least === most ? count(least, 'point') : `${least} to ${most} points`;
}

/** The band that a score may reach, beyond the band that it certainly reaches, depending on missing facts. */
export function possibleBand({ most, band }: Score, { review, reject }: Bands): Outcome | undefined {
  const highest = bandOf({ review, reject }, most);
  return highest === null || highest === band ? undefined : highest;
}

/** Follows the band that a score may reach. */
export const DEPENDING = 'depending on missing facts';
