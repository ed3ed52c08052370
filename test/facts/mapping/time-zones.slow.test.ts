import { describe, expect, test } from 'vitest';
import { factsInZones, ZONES } from '../../support/facts/zones.ts';

/** A sample; `node test/soak/mutations.ts` tries fifty thousand. */
const SAMPLE = 5000;

describe('the dates of an answer', () => {
  const zones = factsInZones(SAMPLE);

  test('give the same facts in every time zone', () => {
    expect(zones.map(({ zone }) => zone)).toEqual(ZONES);
    expect(new Set(zones.map(({ digest }) => digest)).size).toBe(1);
  });

  test('are read in processes in these zones, and many of them are invalid', () => {
    expect(new Set(zones.map(({ offset }) => offset)).size).toBe(ZONES.length);
    const [{ valid = 0, invalid = 0 } = {}] = zones;
    expect(valid + invalid).toBe(SAMPLE);
    expect(valid).toBeGreaterThan(SAMPLE / 2);
    expect(invalid).toBeGreaterThan(SAMPLE / 10);
  });
});
