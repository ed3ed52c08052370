/** A number of a column reaches the limits that are at most as great, however many and however far apart they are. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const DAY = '2026-11-20';

/** A limit as a policy may have it, and its neighbours. */
const aLimit = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.integer({ min: -50, max: 50 }).map((n) => n / 10),
  fc.constantFrom(1e-9, 1e9, 123456.789, 0.1 + 0.2, 2 ** 53),
  fc.constantFrom(Number.MIN_VALUE, -Number.MIN_VALUE, 2 ** -1022, 1e308, -1e308, Number.MAX_VALUE),
);

it('numbers of a column reach the limits that are at most as great', () => {
  fc.assert(
    fc.property(fc.uniqueArray(aLimit, { minLength: 1, maxLength: 40 }), (limits) => {
      const rules = limits.map(
        (limit, i) => `  - { id: r${i}, when: { context.n: { atLeast: ${limit} } }, points: 1 }`,
      );
      const facts = 'facts: { context.n: { type: number } }\nscore: { reject: 100000 }\n';
      const matcher = matcherOf(policyOf(`${HEAD}${facts}rules:\n${rules.join('\n')}\n`));
      const near = limits.flatMap((limit) => [limit, limit + 1e-12 * Math.max(1, Math.abs(limit)), limit - 1e-7]);
      const numbers = [...near, 0, -0, Number.MIN_VALUE, -1e300, 1e300, Number.MAX_VALUE, Number.NaN];
      const columns = new Map([['context.n', { numbers: Float64Array.from(numbers) }]]);
      const { least, most } = matcher.batch({ rows: numbers.length, columns }, DAY);
      const known = numbers.map(Number.isFinite);
      const reached = numbers.map((number) => limits.filter((limit) => number >= limit).length);
      expect([...least]).toEqual(reached.map((count, i) => (known[i] ? count : 0)));
      expect([...most]).toEqual(reached.map((count, i) => (known[i] ? count : limits.length)));
    }),
    { numRuns: sampled(17, 5000) },
  );
});
