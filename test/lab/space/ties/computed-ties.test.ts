/** Facts that are computed from one number: they exclude no applicant, and all states that nobody has. */

import { expect, it } from 'vitest';
import { readFacts } from '../../../../src/facts/read.ts';
import { createSpace } from '../../../../src/lab/space/space.ts';
import { nextUp } from '../../../../src/policy/cells/segments.ts';
import { HEAD, policyOf } from '../../../support/policy/policy.ts';

const DAY = '2026-11-20';

/** Where the computed facts of the test enter another state, or are no longer finite. */
const PLACES = [-1000, -100, -3, -0.5, 0, 0.25, 1, 32, 33.4, 40, 50, 66.7, 100, 200, 1e300, 1e305, 1.7e308];
const NUMBERS = [...PLACES, Number.MAX_VALUE].flatMap((at) => [at, -at, nextUp(at), -nextUp(at), at + 1, at - 1]);
const INTEGERS = Array.from({ length: 900 }, (_, i) => i - 450);

const EXTREMES = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 52, -(2 ** 52), 2 ** 51, 3e15, -3e15];

/** How two facts are computed, and of which type; and of the 9 pairs of known states how many nobody has. */
it.each<readonly [string, string, type: string, excluded: number]>([
  ['{ product: [context.x, 2] }', '{ product: [3, context.x] }', 'number', 4],
  ['{ product: [context.x, -2] }', '{ sum: [context.x, 1, 30.5] }', 'number', 4],
  ['{ product: [context.x, 1000] }', '{ difference: [50, context.x] }', 'number', 4],
  ['{ ratio: [context.x, 0.25] }', '{ minimum: [context.x, 60] }', 'number', 5],
  ['{ ratio: [100, context.x] }', '{ maximum: [context.x, 60] }', 'number', 3],
  ['{ product: [context.x, 3] }', '{ sum: [context.x, 66] }', 'integer', 5],
  ['{ sum: [context.x, 1] }', '{ product: [context.x, -3] }', 'integer', 4],
])('%s and %s of a fact of type %s', (one, other, type, excluded) => {
  const rules = ['one', 'other'].flatMap((name) =>
    [-100, 100].map((least) => {
      const id = `${name}${least < 0 ? 'low' : 'high'}`;
      return `  - { id: ${id}, when: { context.${name}: { atLeast: ${least} } }, then: review }\n`;
    }),
  );
  const policy = policyOf(`${HEAD}facts:
  context.x: { type: ${type} }
  context.one: { type: ${type}, compute: ${one} }
  context.other: { type: ${type}, compute: ${other} }
rules:
${rules.join('')}`);
  const { variables, ties } = createSpace([policy], DAY);
  const isExcluded = (states: readonly number[]) =>
    ties.some((tie) => tie.every(([variable, of]) => of[states[variable] as number]));
  for (const value of type === 'integer' ? [...INTEGERS, ...EXTREMES] : NUMBERS) {
    const facts = readFacts(new Map([['context.x', { value }]]), policy.facts, DAY);
    const states = variables.map(({ find }) => find(facts));
    expect(isExcluded(states), `${value}`).toBe(false);
  }
  const pairs = [1, 2, 3].flatMap((a) => [1, 2, 3].map((b) => [a, b]));
  expect(pairs.filter(isExcluded)).toHaveLength(excluded);
});
