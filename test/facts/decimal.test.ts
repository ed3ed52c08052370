/** Results of numbers as they are written: what big.js gives, and no less for greater numbers. */

import Big from 'big.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactProduct, exactRatio, exactSum } from '../../src/facts/decimal.ts';

const NUMBER = fc.oneof(
  fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
  fc.integer({ min: -1e9, max: 1e9 }).map((count) => count / 1e7),
  fc.double({ min: -1e12, max: 1e12, noNaN: true }),
);
const ANY = fc.oneof(NUMBER, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger());

test.each([
  [exactSum, 1000.1, 0.2, 1000.3],
  [exactSum, 300.3, -200.2, 100.1],
  [exactSum, 100000000.1, -100000000, 0.1],
  [exactProduct, 19.99, 100, 1999],
  [exactProduct, -1.1, 1.1, -1.21],
  [exactRatio, 300.3, 100.1, 3],
  [exactRatio, -0.3, 0.1, -3],
  [exactRatio, 4.000000000000001, 2, 2.0000000000000004],
])('%o of %d and %d is %d', (compute, one, other, result) => expect(compute(one, other)).toBe(result));

test('is the double nearest to the exact result', () => {
  Big.DP = 400;
  fc.assert(
    fc.property(NUMBER, NUMBER, (one, other) => {
      const [a, b] = [new Big(one).round(21), new Big(other).round(21)];
      expect(exactSum(one, other) + 0).toBe(a.plus(b).toNumber() + 0);
      expect(exactProduct(one, other) + 0).toBe(new Big(one).times(other).toNumber() + 0);
      if (other !== 0) expect(exactRatio(one, other) + 0).toBe(new Big(one).div(other).toNumber() + 0);
    }),
  );
});

test('rises or falls with each number', () => {
  fc.assert(
    fc.property(ANY, ANY, ANY, fc.boolean(), (one, another, fixed, isNext) => {
      const next = one + Math.abs(one) * Number.EPSILON;
      const [low = 0, high = 0] = [one, isNext ? next : another].toSorted((a, b) => a - b);
      expect(exactSum(low, fixed)).toBeLessThanOrEqual(exactSum(high, fixed));
      const factor = Math.abs(fixed);
      expect(exactProduct(low, factor)).toBeLessThanOrEqual(exactProduct(high, factor));
      if (factor > 0) expect(exactRatio(low, factor)).toBeLessThanOrEqual(exactRatio(high, factor));
      if (low > 0) expect(exactRatio(factor, low)).toBeGreaterThanOrEqual(exactRatio(factor, high));
    }),
  );
});
