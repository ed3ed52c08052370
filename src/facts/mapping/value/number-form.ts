/** The scales of numbers and the forms in which an answer may write them, without the arithmetic. */

import type { FactDefinition } from '../../catalog.ts';

/** The least and the greatest value of a scale. */
export type Scale = readonly [least: number, most: number];

/** How a number can be written as a text, other than in digits alone. */
export const FORMS = ['fraction', 'percent', 'hemisphere'] as const;
export type Form = (typeof FORMS)[number];

/** Why a fact cannot be written in a form; undefined if it can. */
export function formProblem(form: Form, { range }: Pick<FactDefinition, 'range'>): string | undefined {
  if (form === 'hemisphere') return hemispheresOf(range) ? undefined : 'is for latitudes and longitudes';
  if (form === 'percent' && !range) return undefined;
  return range?.[0] === 0 ? undefined : 'is for facts whose range begins with 0';
}

/** The letters of the hemispheres on a scale of degrees, the positive one first. */
export function hemispheresOf(range: Scale | undefined): readonly [string, string] | undefined {
  return HEMISPHERES.find(({ range: [least, most] }) => range?.[0] === least && range[1] === most)?.letters;
}

const HEMISPHERES = [
  { range: [-90, 90], letters: ['N', 'S'] },
  { range: [-180, 180], letters: ['E', 'W'] },
] as const;
