/** Cells of two axes of one text: a text never lies in cells that are said to share none. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { cellsAcross } from '../../../src/policy/cells/across.ts';
import { type Axis, Cells } from '../../../src/policy/cells/cells.ts';
import { testsIn } from '../../../src/policy/check/context.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const DAY = '2026-11-20';

/** Every text of up to four of a few characters. */
const TEXTS = (function texts(length: number): readonly string[] {
  return length === 0 ? [''] : ['', ...[...'ab.'].flatMap((first) => texts(length - 1).map((rest) => first + rest))];
})(4).filter((text) => text !== '');

const aText = fc.string({ unit: fc.constantFrom(...'ab.'), minLength: 1, maxLength: 3 });
const quoted = (text: string) => JSON.stringify(text);
const aTest = fc.oneof(
  fc
    .tuple(fc.constantFrom('startsWith', 'endsWith', 'contains', 'is', 'isNot'), aText)
    .map(([operator, text]) => `${operator}: ${quoted(text)}`),
  fc.constantFrom('matches: "^a*$"', 'matches: "b"'),
  fc
    .tuple(fc.constantFrom('inList', 'notInList', 'inDomainList'), fc.constantFrom('one', 'two', 'ending'))
    .map(([operator, list]) => `${operator}: ${list}`),
);
const aPolicy = fc
  .record({
    tests: fc.uniqueArray(aTest, { minLength: 2, maxLength: 6 }),
    lists: fc.array(fc.uniqueArray(aText, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 3 }),
  })
  .map(({ tests, lists }) => {
    const [one, two, ending = []] = lists.map((entries) => entries.map(quoted));
    const ends = ending.map((entry, i) => (i === 0 ? `{ value: ${entry}, until: ${DAY} }` : entry));
    return (
      `${HEAD}facts: { context.text: { type: string } }\nlists: { one: [${one}], two: [${two}], ending: [${ends}] }\n` +
      `rules:\n  - { id: one, then: review, when: { any: [${tests.map((test) => `{ context.text: { ${test} } }`)}] } }\n`
    );
  });

it('a text lies in one of the cells that are left of every other axis', () => {
  let narrowed = 0;
  fc.assert(
    fc.property(aPolicy, (text) => {
      const policy = policyOf(text);
      const { axes } = new Cells(testsIn(policy), policy.facts);
      const cellOf = (axis: Axis, value: string) => axis.find({ value }, undefined, DAY) as number;
      for (const from of axes) {
        for (const to of axes.filter((axis) => axis !== from)) {
          const left = from.cells.map((_, cell) => cellsAcross(from, 1n << BigInt(cell), to));
          const isLeft = (value: string) =>
            (((left[cellOf(from, value)] ?? 0n) >> BigInt(cellOf(to, value))) & 1n) === 1n;
          expect(TEXTS.filter((value) => !isLeft(value))).toEqual([]);
          narrowed += left.filter((set) => set !== to.within(7)).length;
        }
      }
    }),
    { numRuns: sampled(15, 300) },
  );
  expect(narrowed).toBeGreaterThan(60);
});
