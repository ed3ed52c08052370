/** A score and the bands of a policy -> words for text and page. */

import type { Score } from '../../decision/meaning/outcome.ts';
import { bandAbove, type Outcome } from '../../policy/language.ts';
import { count } from '../../text.ts';

/** The first points of each band of a policy. */
export type Bands = { readonly [Band in 'review' | 'reject']?: number | undefined };

/** The bands that a policy has, each with its first points. */
export function bandsOf({ review, reject }: Bands): readonly (readonly [band: keyof Bands, begin: number])[] {
  return [
    ...(review === undefined ? [] : [['review', review] as const]),
    ...(reject === undefined ? [] : [['reject', reject] as const]),
  ];
}

/** `25 to 40 points`. */
export function scoreWords({ least, most }: Pick<Score, 'least' | 'most'>): string {
  return least === most ? count(least, 'point') : `${least} to ${most} points`;
}

/** The band that a score may reach, beyond the band that it certainly reaches, depending on missing facts. */
export function possibleBand({ least, most }: Score, { review, reject }: Bands): Outcome | undefined {
  return bandAbove({ review, reject }, least, most);
}

/** Follows the band that a score may reach. */
export const DEPENDING = 'depending on missing facts';
