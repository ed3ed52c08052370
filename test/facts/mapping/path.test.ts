import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compilePath, type Path } from '../../../src/facts/mapping/path.ts';

function placeOf(text: string): Path {
  const place = compilePath(text);
  if ('problem' in place) throw new Error(place.problem);
  return place;
}

const aStep = fc.oneof(
  fc.constantFrom('a', 'b', 'length', '__proto__', 'toString', '日本', '0'),
  fc.constantFrom(0, 1, 2, -1, -2, -3),
);

test('a singular path finds the same as the library', () => {
  const names = fc.constantFrom('a', 'b', 'length', '__proto__', '日本', '0');
  const { answer } = fc.letrec((tie) => ({
    answer: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(null, 1, 'text', true),
      fc.array(tie('answer'), { maxLength: 3 }),
      fc.uniqueArray(fc.tuple(names, tie('answer')), { maxLength: 4, selector: ([name]) => name }).map((entries) => {
        // As JSON.parse makes it: every name is an own property.
        const object = {};
        for (const [name, value] of entries) Object.defineProperty(object, name, { value, enumerable: true });
        return object;
      }),
    ),
  }));
  let found = 0;
  fc.assert(
    fc.property(answer, fc.array(aStep, { maxLength: 4 }), (body, steps) => {
      const place = placeOf(`$${steps.map((step) => `[${JSON.stringify(step)}]`).join('')}`);
      expect(place.singular).toBe(true);
      const values = place.find(body);
      found += values.length;
      expect(values).toEqual(place.locate(body).matches.map(({ value }) => value));
    }),
    { numRuns: 3000 },
  );
  expect(found).toBeGreaterThan(300);
});
