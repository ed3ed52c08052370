/** Where countries lie: nothing that `countryAt` finds lies outside, and all points of a country are in it. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFormat } from '../../../src/platform/formats/format.ts';
import {
  countriesWithBorders,
  type Degrees,
  longitudesOf,
  pointsOf,
} from '../../../src/platform/formats/geo/borders.ts';
import { WORLD } from '../../../src/platform/formats/geo/world.ts';
import { sampled } from '../../support/sampled.ts';

const WIDTHS = [0, 0.01, 1, 30];

const aLocation = fc.record({
  latitude: fc.integer({ min: -90_000, max: 90_000 }).map((number) => number / 1000),
  longitude: fc.integer({ min: -180_000, max: 180_000 }).map((number) => number / 1000),
  width: fc.constantFrom(...WIDTHS),
});

const EVERYWHERE: readonly [Degrees, Degrees] = [
  [-90, 90],
  [-180, 180],
];

describe('the borders of a country', () => {
  it('contain every location in it', () => {
    let onLand = 0;
    for (const { latitude, longitude, width } of fc.sample(aLocation, sampled(1000, 300_000))) {
      const country = WORLD.countryAt(latitude, longitude);
      if (country === undefined) continue;
      onLand += 1;
      const ranges = longitudesOf(country.toLowerCase(), [latitude - width / 3, latitude + width]);
      const isIn = ranges.some(([west, east]) => west <= longitude && longitude <= east);
      expect(isIn, `${country} ${latitude} ${longitude}`).toBe(true);
    }
    expect(onLand).toBeGreaterThan(500);
  });

  it('have points of each country in them, in ranges too', () => {
    for (const country of countriesWithBorders()) {
      expect(readFormat('country', country)).toMatchObject({ value: country });
      const [first] = pointsOf(country, ...EVERYWHERE);
      if (!first) throw new Error(`no point of ${country}`);
      const [latitude, longitude] = first;
      expect(WORLD.countryAt(latitude, longitude)?.toLowerCase()).toBe(country);
    }
    for (const [latitude, longitude] of pointsOf('us', [40, 41], [-80, -79.5])) {
      expect(latitude > 40 && latitude < 41 && longitude > -80 && longitude < -79.5).toBe(true);
    }
    expect([...pointsOf('us', [40, 41], [-80, -79.5])]).not.toEqual([]);
    expect([...pointsOf('us', [40, 41], [0, 10])]).toEqual([]);
  });
});
