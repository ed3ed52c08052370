/** A country -> the longitudes at which it lies, and points of it. */

import { lazy } from '../../lazy.ts';
import { officialCode } from '../country.ts';
import { coder, countryAt } from './world.ts';

/** A range in degrees; either end may be included. */
export type Degrees = readonly [least: number, most: number];

export type Location = readonly [latitude: number, longitude: number];

/** A closed line of points [longitude, latitude]: the outer border of a part of a country, or that of a hole in it. */
type Ring = readonly (readonly number[])[];

interface Part {
  /** The outer border first. */
  readonly rings: readonly Ring[];
  readonly latitudes: Degrees;
}

/** The parts of each country, by its ISO 3166-1 alpha-2 code in lower case, as facts have it. */
const parts = lazy((): ReadonlyMap<string, readonly Part[]> => {
  const { borders, featuresContaining } = coder();
  const partsByCountry = new Map<string, Part[]>();
  for (const { geometry, properties } of borders.features) {
    if (!geometry) continue;
    // The same country that `countryAt` returns for a point of this part.
    const owner = featuresContaining(properties.id).find(
      ({ properties: { level, iso1A2 } }) => level !== 'subterritory' && iso1A2 !== undefined,
    );
    const code = codeIn(owner?.properties.iso1A2);
    if (code === undefined) continue;
    const ofFeature = geometry.coordinates.map((rings: readonly Ring[]): Part => {
      const latitudes = (rings[0] ?? []).map(([, latitude]) => latitude as number);
      return { rings, latitudes: [Math.min(...latitudes), Math.max(...latitudes)] };
    });
    partsByCountry.set(code, [...(partsByCountry.get(code) ?? []), ...ofFeature]);
  }
  return partsByCountry;
});

function codeIn(code: string | undefined): string | undefined {
  return officialCode(code)?.toLowerCase();
}

/** The codes of the countries that have borders. */
export function countriesWithBorders(): readonly string[] {
  return [...parts().keys()];
}

/** The longitudes at which a country lies between two latitudes: a range for each part of the country. */
export function longitudesOf(country: string, [south, north]: Degrees): readonly Degrees[] {
  return (parts().get(country) ?? []).flatMap(({ rings: [outer = []], latitudes }) => {
    if (latitudes[0] > north || latitudes[1] < south) return [];
    const longitudes = edgesOf(outer).flatMap(([from, to]) => {
      const [low, high] = from[1] < to[1] ? [from, to] : [to, from];
      if (high[1] < south || low[1] > north) return [];
      return low[1] === high[1]
        ? [low[0], high[0]]
        : [Math.max(south, low[1]), Math.min(north, high[1])].map((latitude) => longitudeOn(low, high, latitude));
    });
    return longitudes.length > 0 ? [[Math.min(...longitudes), Math.max(...longitudes)] as const] : [];
  });
}

/** The latitudes at which points are sought in a part of a country, as shares of the way from south to north. */
const SHARES = [1 / 2, 1 / 4, 3 / 4, 1 / 8, 7 / 8, 1 / 16, 15 / 16];

/** Points of a country in a range, with few digits: a sample, which may leave out small parts of it. */
export function* pointsOf(country: string, [south, north]: Degrees, [west, east]: Degrees): Generator<Location> {
  for (const { rings, latitudes } of parts().get(country) ?? []) {
    const [least, most] = [Math.max(south, latitudes[0]), Math.min(north, latitudes[1])];
    if (least >= most) continue;
    for (const share of SHARES) {
      const latitude = shorten(least + (most - least) * share, least, most);
      const crossings = rings
        .flatMap(edgesOf)
        .filter(([from, to]) => from[1] > latitude !== to[1] > latitude)
        .map(([from, to]) => longitudeOn(from, to, latitude))
        .sort((one, other) => one - other);
      for (let i = 0; i + 1 < crossings.length; i += 2) {
        const [from, to] = [Math.max(west, crossings[i] as number), Math.min(east, crossings[i + 1] as number)];
        if (from >= to) continue;
        const longitude = shorten((from + to) / 2, from, to);
        if (codeIn(countryAt(latitude, longitude)) === country) yield [latitude, longitude];
      }
    }
  }
}

type Point = readonly [longitude: number, latitude: number];

function edgesOf(ring: Ring): readonly (readonly [Point, Point])[] {
  return ring.slice(1).map((to, i) => [ring[i] as unknown as Point, to as unknown as Point]);
}

function longitudeOn(from: Point, to: Point, latitude: number): number {
  return from[0] + ((to[0] - from[0]) * (latitude - from[1])) / (to[1] - from[1]);
}

/** Rounds a number to as few digits as possible, strictly between two limits. */
function shorten(number: number, least: number, most: number): number {
  for (let digits = 0; digits < 6; digits++) {
    const short = Number(number.toFixed(digits));
    if (short > least && short < most) return short + 0;
  }
  return number;
}
