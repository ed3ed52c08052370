/** Latitudes, longitudes and countries -> the states that exclude each other. */

import { countriesWithBorders, type Degrees, longitudesOf } from '../../../platform/formats/geo/borders.ts';
import { inputsOf } from '../../../policy/cells/derivations.ts';
import { MOST_LOCATION_PAIRS } from '../../limits.ts';
import type { Tie, Variable } from '../variable.ts';
import type { Sources } from './sources.ts';
import { type Ranges, rangesByState } from './state-sets.ts';

/** The country of a location, and its latitude and longitude. */
export const IP_COUNTRY = 'ip.country';
export const LOCATION = inputsOf(IP_COUNTRY) as readonly [latitude: string, longitude: string];

/** No country has locations outside its borders. */
export function* locationTies(variables: readonly Variable[], sources: Sources): Generator<Tie> {
  const of = (path: string) => sources.of(path).map(({ variable }) => variable);
  for (const latitude of of(LOCATION[0])) {
    for (const longitude of of(LOCATION[1])) {
      const [bands, slices] = [rangesByState(variables[latitude]), rangesByState(variables[longitude])];
      if (bands.length * slices.length > MOST_LOCATION_PAIRS) continue;
      for (const country of of(IP_COUNTRY)) yield* tiesOf(country, [latitude, bands], [longitude, slices], sources);
    }
  }
}

type Lines = readonly [variable: number, byState: readonly Ranges[]];

function* tiesOf(country: number, [latitude, bands]: Lines, [longitude, slices]: Lines, sources: Sources) {
  for (const [state, isKnown] of sources.statesWhere(country, () => true).entries()) {
    if (!isKnown) continue;
    const codes = countriesWithBorders().filter((value) => sources.canBe(country, state, { value }));
    const rows = Map.groupBy(bands.keys(), (at): string => {
      const reached = bands[at]?.flatMap((band) => codes.flatMap((code) => longitudesOf(code, band)));
      const isOutside = (own: Ranges) => own && reached && !own.some((each) => reached.some(overlaps(each)));
      return slices.map((own) => (isOutside(own) ? 'x' : '')).join();
    });
    for (const [row, states] of rows) {
      const isOf = new Set(states);
      yield [
        [country, sources.statesWhere(country, (each) => each === state)],
        [latitude, bands.map((_, at) => isOf.has(at))],
        [longitude, row.split(',').map((each) => each === 'x')],
      ] satisfies Tie;
    }
  }
}

function overlaps([least, most]: Degrees): (other: Degrees) => boolean {
  return ([from, to]) => from <= most && to >= least;
}
