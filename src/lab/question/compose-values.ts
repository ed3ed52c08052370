/** States of the variables of a text, or of a location -> texts with the parts asked for, locations in the country. */

import { isMissing } from '../../facts/fact.ts';
import { type Location, pointsOf } from '../../formats/geo/borders.ts';
import { alternativesIn } from '../../policy/cells/derivations.ts';
import type { TextPart } from '../../policy/cells/text-forms.ts';
import { MOST_COUNTRIES, MOST_LOCATIONS, MOST_TEXT_PARTS, MOST_TEXTS_COMBINED } from '../limits.ts';
import type { Space } from '../space/space.ts';
import { IP_COUNTRY, LOCATION, rangesOf } from '../space/ties/locations.ts';
import type { Variable } from '../space/variable.ts';

/** A variable, and a state of it. */
interface Chosen {
  readonly variable: Variable;
  readonly state: number;
}

/** Between parts, so that a text does not have more parts than it needs: one for words, and one for numbers. */
const FILLERS = ['x', '0'];

/** Texts that may lie in all of these states: they have the parts, and may have others that they should not have. */
export function composeTexts(chosen: readonly Chosen[]): readonly string[] {
  let combinations: readonly (readonly TextPart[])[] = [[]];
  for (const { variable, state } of chosen) {
    for (const [a, axis] of variable.axes.entries()) {
      const forms = alternativesIn(axis, variable.cells[a]?.[state] ?? []) ?? [];
      const parts = forms.flatMap(({ oneOf = [], lacks }) => oneOf.filter((part) => !lacks(part)));
      const wider = combinations.flatMap((before) => parts.slice(0, MOST_TEXT_PARTS).map((part) => [...before, part]));
      if (wider.length > 0 && wider.length <= MOST_TEXTS_COMBINED) combinations = wider;
    }
  }
  return combinations.flatMap(compose);
}

function compose(parts: readonly TextPart[]): readonly string[] {
  const textsOf = (place: TextPart['place']) => parts.flatMap((part) => (part.place === place ? [part.text] : []));
  const whole = textsOf('is');
  if (whole.length > 0) return whole;
  const [start, middle, end] = [textsOf('startsWith'), textsOf('contains'), textsOf('endsWith')];
  return FILLERS.flatMap((filler) => {
    // A text may have a part elsewhere that it should not have at its start or end.
    const before = start.length > 0 ? start : [''];
    const after = end.length > 0 ? end : [''];
    return [
      [...before, ...middle, ...after],
      [...start, ...middle, ...after],
      [...before, ...middle, ...end],
    ].map((each) => each.join(filler));
  });
}

/** Some locations in the states of all three, if the variables are about nothing else. */
export function locationsIn({ variables, samples }: Space, states: readonly number[]): readonly Location[] {
  const at = [...LOCATION, IP_COUNTRY].map((path) => variables.findIndex((each) => each.path === path));
  const [latitude, longitude, country] = at.map((i) => variables[i]);
  const [north, east, state] = at.map((i) => states[i] ?? 0) as [number, number, number];
  if (!latitude || !longitude || !country || state === 0) return [];
  const codes = (samples.get(IP_COUNTRY) ?? []).flatMap((fact) =>
    isMissing(fact) || country.find(new Map([[IP_COUNTRY, fact]])) !== state ? [] : String(fact.value),
  );
  const found: Location[] = [];
  for (const code of codes.slice(0, MOST_COUNTRIES)) {
    for (const band of rangesOf(latitude, north) ?? []) {
      for (const slice of rangesOf(longitude, east) ?? []) {
        if (found.length < MOST_LOCATIONS) found.push(...pointsOf(code, band, slice));
      }
    }
  }
  return found;
}
