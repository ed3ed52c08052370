import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CATALOG_TABLE, type FactDefinition } from '../../../src/facts/catalog.ts';
import { isMissing } from '../../../src/facts/fact.ts';
import { change, GONE, pathsIn } from '../../support/facts/mutate.ts';
import { factsOf, give, readSample, TODAY } from '../../support/facts/shape-1.ts';
import { isSound } from '../../support/facts/sound.ts';
import { sampled } from '../../support/sampled.ts';

const HOSTILE = [
  '',
  ' ',
  'N/A',
  'never',
  '2024-02-30',
  '9999-12-31',
  '2025-11-21',
  '-0',
  '1e400',
  'NaN',
  '\uD800',
  'constructor',
  -0,
  0,
  -1,
  2 ** 53,
  Number.MAX_VALUE,
  Number.POSITIVE_INFINITY,
  Number.NaN,
  [],
  {},
  [[]],
  [null],
  JSON.parse('{"__proto__":{"length":3},"length":-1}'),
  JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  'x'.repeat(5_000_000),
];

describe('of a mutated answer', () => {
  const body = readSample('shape-1');
  const paths = pathsIn(body);
  const mutations = fc.array(
    fc.record({
      path: fc.constantFrom(...paths),
      // By index: fast-check prints what it chose, and some of these cannot be printed.
      value: fc.oneof(
        fc.record({ hostile: fc.nat(HOSTILE.length - 1) }),
        fc.record({ other: fc.oneof(fc.constant(GONE), fc.jsonValue(), fc.string({ unit: 'binary' })) }),
      ),
    }),
    { minLength: 1, maxLength: 4 },
  );

  test('each fact is valid or missing with a cause, and nothing throws', () => {
    fc.assert(
      fc.property(mutations, (changes) => {
        const mutated = changes.reduce<unknown>(
          (answer, { path, value }) => change(answer, path, 'hostile' in value ? HOSTILE[value.hostile] : value.other),
          body,
        );
        for (const [path, given] of give(mutated)) {
          const definition = CATALOG_TABLE.get(path) as FactDefinition;
          if (!isSound(given, definition, undefined)) throw new Error(`${path} as given`);
        }
        for (const [path, fact] of factsOf(mutated)) {
          const definition = CATALOG_TABLE.get(path) as FactDefinition;
          if (!isSound(fact, definition, TODAY)) throw new Error(`${path} as read`);
        }
      }),
      { numRuns: sampled(90, 2000) },
    );
  });

  test('any JSON instead of an answer gives no facts, and nothing throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (answer) => {
        for (const [path, fact] of give(answer)) expect(fact, path).toHaveProperty('missing');
      }),
      { numRuns: 300 },
    );
    for (const answer of [...HOSTILE, null, undefined]) {
      for (const [path, fact] of give(answer)) expect(fact, path).toHaveProperty('missing');
    }
  });

  // The history is excluded because it is counted: an entry removed from it is a move that did not happen.
  const COUNTED = ['phone.porting.portCount', 'phone.porting.previousPort'];

  test.each([
    ['taken away', GONE],
    ['null', null],
    ['of another type', { not: 'this' }],
    ['a text that means nothing', 'zzz'],
  ])('a single place that is %s gives no fact another value', (_, value) => {
    const before = give(body);
    for (const path of paths) {
      for (const [name, fact] of give(change(body, path, value))) {
        if (COUNTED.includes(name) && path.includes('portingHistory')) continue;
        // Operators and ISPs are any text, so another text is another valid value.
        if (value === 'zzz' && CATALOG_TABLE.get(name)?.type === 'string') continue;
        if (!isMissing(fact)) expect(fact, `${name} after ${path.join('.')}`).toEqual(before.get(name));
      }
    }
  });
});
