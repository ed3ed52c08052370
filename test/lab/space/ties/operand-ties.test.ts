/** Facts that a policy computes: what their operands rule out is no difference, and no applicant is excluded. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GivenFact } from '../../../../src/facts/fact.ts';
import { readFacts } from '../../../../src/facts/read.ts';
import { diffPolicies } from '../../../../src/lab/diff/diff.ts';
import { createSpace } from '../../../../src/lab/space/space.ts';
import { HEAD, policyOf } from '../../../support/policy/policy.ts';
import { sampled } from '../../../support/sampled.ts';

const DAY = '2026-11-20';
const COMPUTED = {
  sum: '{ sum: [context.one, context.two] }',
  gap: '{ difference: [context.one, context.two] }',
  product: '{ product: [context.one, context.two, -2] }',
  least: '{ minimum: [context.one, context.two] }',
  most: '{ maximum: [7, context.one, context.two] }',
  share: '{ ratio: [context.one, context.two] }',
  double: '{ sum: [context.one, context.one] }',
  half: '{ ratio: [context.one, 2] }',
};
const GIVEN = ['one', 'two'];
const FACTS = `facts:
${GIVEN.map((name) => `  context.${name}: { type: number, description: given }`).join('\n')}
${Object.entries(COMPUTED)
  .map(([name, compute]) => `  context.${name}: { type: number, description: computed, compute: ${compute} }`)
  .join('\n')}
`;

const policyWith = (...conditions: readonly string[]) =>
  policyOf(
    `${HEAD}${FACTS}rules:
  - { id: first, when: { phone.status: active }, then: review }
${conditions.map((when, i) => `  - { id: r${i}, when: ${when}, then: review, whenUnknown: ignore }\n`).join('')}`,
  );

describe('computed facts', () => {
  it.each([
    ['context.sum: { below: 5 }, context.one: { above: 3 }, context.two: { above: 2 }', 'same'],
    ['context.sum: { below: 7 }, context.one: { above: 3 }, context.two: { above: 2 }', 'different'],
    ['context.gap: { above: 10 }, context.one: { atMost: 0 }, context.two: { atLeast: -10 }', 'same'],
    ['context.product: { above: 0 }, context.one: { above: 1 }, context.two: { above: 1 }', 'same'],
    ['context.least: { above: 3 }, context.two: { atMost: 3 }', 'same'],
    ['context.most: { below: 7 }', 'same'],
    ['context.share: { above: 1 }, context.one: { between: [0, 5] }, context.two: { above: 5 }', 'same'],
    ['context.share: { above: 1 }, context.one: { between: [0, 5] }, context.two: { atLeast: -1 }', 'different'],
    ['context.double: { above: 8 }, context.one: { atMost: 4 }', 'same'],
    ['context.half: { atMost: 2 }, context.one: { above: 4 }', 'same'],
  ])('{ %s }: %s', async (conditions, expected) => {
    const { regions, elsewhere } = await diffPolicies(policyWith(), policyWith(`{ ${conditions} }`), { at: DAY });
    expect([regions.map(({ example }) => example !== undefined), elsewhere]).toEqual([
      expected === 'same' ? [] : [true],
      'same',
    ]);
  });

  it('of no applicant break a tie', () => {
    const number = fc.oneof(
      fc.integer({ min: -8, max: 8 }),
      fc.constantFrom(0.1, 0.2, 0.3, -0.1, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 2 ** 53),
    );
    const name = fc.constantFrom(...GIVEN, ...Object.keys(COMPUTED));
    const test = fc
      .tuple(name, fc.constantFrom('above', 'atLeast', 'below', 'atMost'), number)
      .map(([of, operator, limit]) => `{ context.${of}: { ${operator}: ${limit} } }`);
    const one = fc.option(number, { freq: 9, nil: undefined });
    const asked = fc.tuple(
      fc.array(test, { minLength: 2, maxLength: 12 }),
      fc.array(fc.tuple(one, one), { minLength: 80, maxLength: 80 }),
    );
    for (const [tests, applicants] of fc.sample(asked, sampled(14, 5_000))) {
      const policy = policyWith(...tests);
      const { ties, variables } = createSpace([policy], DAY, []);
      for (const values of applicants) {
        const given = values.flatMap((value, i): readonly (readonly [string, GivenFact])[] =>
          value === undefined ? [] : [[`context.${GIVEN[i]}`, { value }]],
        );
        const facts = readFacts(new Map(given), policy.facts, DAY);
        const broken = ties.find((tie) => tie.every(([at, states]) => states[variables[at]?.find(facts) ?? 0]));
        expect(broken, `${tests.join()} of ${values.join()}`).toBeUndefined();
      }
    }
  });
});
