/** States of latitude, longitude and country -> locations in all three. */

import { isMissing } from '../../facts/fact.ts';
import { type Location, pointsOf } from '../../formats/geo/borders.ts';
import type { Space } from '../space/space.ts';
import { IP_COUNTRY, LOCATION, rangesOf } from '../space/ties/locations.ts';

/** The most countries of a state in which locations are sought, and the most locations. */
const MOST_COUNTRIES = 40;
const MOST_LOCATIONS = 20;

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
