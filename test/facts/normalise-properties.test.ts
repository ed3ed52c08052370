import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CATALOG_TABLE, type FactDefinition, LEVELS } from '../../src/facts/catalog.ts';
import { CAUSES, type Fact, type GivenFact, isMissing } from '../../src/facts/fact.ts';
import { fold } from '../../src/facts/fold.ts';
import { factsOf, give, readSample, TODAY } from './shape-1.ts';

type Path = readonly (string | number)[];

/** Every place in a JSON value, the whole of it left out. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  const here = path.length > 0 ? [path] : [];
  if (typeof value !== 'object' || value === null) return here;
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [...here, ...keys.flatMap((key) => pathsIn((value as Record<string | number, unknown>)[key], [...path, key]))];
}

/** Another value at a place or, for undefined, nothing; unchanged where the way there is gone. The original stays as it is. */
function change(body: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (typeof body !== 'object' || body === null || key === undefined || !Object.hasOwn(body, key)) return body;
  const copy = (Array.isArray(body) ? [...body] : { ...body }) as Record<string | number, unknown>;
  if (rest.length > 0) copy[key] = change(copy[key], rest, value);
  else if (value !== undefined) copy[key] = value;
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete copy[key];
  return copy;
}

/** Whether a fact is what the catalog promises; written apart from the code that reads facts. */
function isSound(fact: Fact | GivenFact, { type, range, values }: FactDefinition, isRead: boolean): boolean {
  if (isMissing(fact)) {
    const hasRaw = fact.raw === undefined || (fact.missing === 'invalid' && fact.raw.length <= 200);
    return CAUSES.includes(fact.missing) && hasRaw && (fact.raw?.isWellFormed() ?? true);
  }
  const { value } = fact;
  if (type === 'number' || type === 'integer') {
    const isNumber = typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0);
    return (
      isNumber &&
      (!range || (value >= range[0] && value <= range[1])) &&
      (type === 'number' || Number.isSafeInteger(value))
    );
  }
  if (type === 'boolean') return typeof value === 'boolean';
  if (typeof value !== 'string') return false;
  if (type === 'level') return LEVELS.some((level) => level === value);
  if (type === 'enum') return values?.includes(value) ?? false;
  if (type === 'string') return value.isWellFormed() && fold(value) !== '' && (!isRead || fold(value) === value);
  if (value === 'never') return true;
  const day = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value) && (!isRead || value <= TODAY);
}

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
        fc.record({ other: fc.oneof(fc.constant(undefined), fc.jsonValue(), fc.string({ unit: 'binary' })) }),
      ),
    }),
    { minLength: 1, maxLength: 4 },
  );

  test('each fact is valid or missing with a cause, and nothing throws', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(mutations, (changes) => {
        const mutated = changes.reduce<unknown>(
          (answer, { path, value }) => change(answer, path, 'hostile' in value ? HOSTILE[value.hostile] : value.other),
          body,
        );
        for (const [path, given] of give(mutated)) {
          const definition = CATALOG_TABLE.get(path) as FactDefinition;
          if (!isSound(given, definition, false)) throw new Error(`${path} as given`);
        }
        for (const [path, fact] of factsOf(mutated)) {
          const definition = CATALOG_TABLE.get(path) as FactDefinition;
          if (!isSound(fact, definition, true)) throw new Error(`${path} as read`);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('an answer that is no answer at all gives nothing, and nothing throws', () => {
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

  // The history is counted, and an entry that is taken out of it is a move that did not take place.
  const COUNTED = ['phone.porting.portCount', 'phone.porting.previousPort'];

  test.each([
    ['taken away', undefined],
    ['null', null],
    ['of another type', { not: 'this' }],
    ['a text that means nothing', 'zzz'],
  ])('a single place that is %s gives no fact another value', (_, value) => {
    const before = give(body);
    for (const path of paths) {
      for (const [name, fact] of give(change(body, path, value))) {
        if (COUNTED.includes(name) && path.includes('portingHistory')) continue;
        // Operators and ISPs are any text, so that another text is another value.
        if (value === 'zzz' && CATALOG_TABLE.get(name)?.type === 'string') continue;
        if (!isMissing(fact)) expect(fact, `${name} after ${path.join('.')}`).toEqual(before.get(name));
      }
    }
  });
});
