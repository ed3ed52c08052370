/** The smallest set that has an element of each of some sets: what trying every set finds. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hittingSet } from '../../../src/decision/explain/hitting-set.ts';

const ELEMENTS = 9;
const aFamily = fc.array(fc.uniqueArray(fc.nat(ELEMENTS - 1), { minLength: 1, maxLength: 5 }), { maxLength: 14 });

/** The size of the smallest, by trying all sets of elements. */
function leastSize(family: readonly (readonly number[])[]): number {
  const sizes = Array.from({ length: 2 ** ELEMENTS }, (_, bits) => {
    const isIn = (element: number) => (bits & (1 << element)) !== 0;
    const hits = family.every((set) => set.some(isIn));
    return hits ? Array.from({ length: ELEMENTS }, (_each, element) => element).filter(isIn).length : ELEMENTS + 1;
  });
  return Math.min(...sizes);
}

describe('a smallest set that has an element of each', () => {
  test('has an element of each, and no smaller set does', () => {
    fc.assert(
      fc.property(aFamily, (family) => {
        const { elements, isSmallest } = hittingSet(family, 100_000);
        expect(family.every((set) => set.some((element) => elements.has(element)))).toBe(true);
        expect(isSmallest).toBe(true);
        expect(elements.size).toBe(leastSize(family));
      }),
      { numRuns: 300 },
    );
  });

  test('is only called the smallest where the search came to its end', () => {
    const family = Array.from({ length: 60 }, (_, i) => [i % 17, (i * 7 + 3) % 17, (i * 5 + 1) % 17]);
    const { elements, isSmallest } = hittingSet(family, 3);
    expect(isSmallest).toBe(false);
    expect(family.every((set) => set.some((element) => elements.has(element)))).toBe(true);
  });
});
