/** A number of a column lies in the same segment as a single one, however many limits there are. */

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
  fc.constantFrom(1e-9, 1e9, 123456.789, 0.1 + 0.2),
);

it('numbers of a column lie in the segments in which single ones do', () => {
  fc.assert(
    fc.property(fc.uniqueArray(aLimit, { minLength: 1, maxLength: 40 }), (limits) => {
      const rules = limits.map(
        (limit, i) => `  - { id: r${i}, when: { context.n: { atLeast: ${limit} } }, points: 1 }`,
      );
      const facts = 'facts: { context.n: { type: number } }\nscore: { reject: 100000 }\n';
      const matcher = matcherOf(policyOf(`${HEAD}${facts}rules:\n${rules.join('\n')}\n`));
      const near = limits.flatMap((limit) => [limit, limit + 1e-12 * Math.max(1, Math.abs(limit)), limit - 1e-7]);
      const numbers = [...near, 0, -1e300, 1e300, Number.NaN, Number.POSITIVE_INFINITY];
      const columns = new Map([['context.n', { numbers: Float64Array.from(numbers) }]]);
      const { least, most } = matcher.batch({ rows: numbers.length, columns }, DAY);
      const single = numbers.map((value) => matcher.outcome(new Map([['context.n', { value }]]), DAY).score);
      expect([...least]).toEqual(single.map((score) => score.least));
      expect([...most]).toEqual(single.map((score) => score.most));
    }),
    { numRuns: sampled(50, 5000) },
  );
});
