/** Latitudes, longitudes and countries -> the states that exclude each other. */

import { countriesWithBorders, longitudesOf } from '../../../platform/formats/geo/borders.ts';
import { inputsOf } from '../../../policy/cells/derivations.ts';
import type { Tie } from '../variable.ts';
import { apart } from './apart.ts';
import { lies, overlapsAny, type Range, type Sources } from './sources.ts';

/** The country of a location, and its latitude and longitude. */
export const IP_COUNTRY = 'ip.country';
export const LOCATION = inputsOf(IP_COUNTRY) as readonly [latitude: string, longitude: string];

/** No country has locations outside its borders. */
export function* locationTies(sources: Sources): Generator<Tie> {
  const [latitudes, longitudes] = [sources.numbers(LOCATION[0]), sources.numbers(LOCATION[1])];
  for (const country of sources.of(IP_COUNTRY)) {
    for (const only of sources.variables[country.variable]?.states.keys() ?? []) {
      // A state at a time: with ties of several countries at once, diffs of 300 rules have fewer examples.
      const codes = sources.read(country, (variable, state) => {
        return state === only ? countriesWithBorders().filter((value) => lies(variable, state, { value })) : undefined;
      });
      for (const latitude of latitudes) {
        for (const longitude of longitudes) yield* apart([codes, latitude, longitude], isWithin);
      }
    }
  }
}

const isWithin = (codes: readonly string[]) => (bands: readonly Range[]) => {
  const reached = bands.flatMap((band) => codes.flatMap((code) => longitudesOf(code, band)));
  return (slices: readonly Range[]) => slices.some(overlapsAny(reached));
};
