/** The types of facts -> literals of a policy, and values at and next to its literals. */

import * as fc from 'fast-check';
import { type FactType, LEVELS } from '../../../src/facts/catalog.ts';
import { dayNumber, dayOfNumber, isDay } from '../../../src/facts/day.ts';
import { type FactValue, NEVER } from '../../../src/facts/fact.ts';
import { trimWhiteSpace } from '../../../src/text.ts';
import type { PlainDefinition, PlainEntry } from './plain.ts';

// Texts that YAML, folding or a comparison could misread.
const TEXTS = [
  ...'Acme Mobile|acme mobile| ACME\u00a0|\ufeffvoda|Vodafone|mail.Example|a.mail.example|.|example'.split('|'),
  ...'true|null|~|10|1e3|0x1f|-0|2026-01-01|never|any|yes|a: b|# c|- d|{e}|[f]|<<'.split('|'),
  ...'é|e\u0301|É|Straße|STRASSE|ΣΊΣΥΦΟΣ|σίσυφος|İ|i\u0307|\u212a|ǅ|a\u2028b|x\u0085|😀'.split('|'),
  ...'"|\'|a"b|a\nb|tab\there|\\|%|*x|&x|!x|@|`|constructor|__proto__'.split('|'),
];
const PATTERNS = '^acme [a-f]+$ \\d{2} MOB|voda ß é . ^$ \\.example$ k (?:a|b)*c Σ ^.{3,}$'.split(' ');
const NUMBERS = [0, 1, 2, 3, 10, 50, 99.5, 100, -1, -2.5, 0.1, 0.30000000000000004, 1e21, 5e-324];
const DURATIONS = ['0 days', '1 day', '7 days', '1 week', '14 days', '2 weeks', '30 days', '365 days'];

/** A random item. */
export function oneOf<Item>(items: readonly Item[]): fc.Arbitrary<Item> {
  return fc.constantFrom(...items);
}

/** A text that does not fold to nothing. */
export const aText = fc.oneof(
  { weight: 3, arbitrary: oneOf(TEXTS) },
  fc
    .string({ unit: oneOf([...'aAbB. é\u00a0']), minLength: 1, maxLength: 5 })
    .filter((text) => trimWhiteSpace(text) !== ''),
);

const aNumber = fc.oneof(
  oneOf(NUMBERS),
  fc.integer({ min: -3, max: 12 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

export const aPattern = oneOf(PATTERNS);

export const aDuration = oneOf(DURATIONS);

/** Entries that a list file can contain. */
const aLineOfAFile = aText.filter((text) => !/[#\n]/.test(text));

/** The entries of a list; about half of the lists have entries that end near the day. */
export function entriesNear(day: string): fc.Arbitrary<readonly PlainEntry[]> {
  const ending = fc.record(
    { value: aText, until: aDayBeside(day), note: fc.constant('why') },
    { requiredKeys: ['value'] },
  );
  const lengths = { minLength: 1, maxLength: 4 };
  return fc.oneof(fc.array(aLineOfAFile, lengths), fc.array(fc.oneof(ending, aText), lengths));
}

/** A literal of each type. */
export const LITERALS: Readonly<
  Record<FactType, (definition: PlainDefinition, day: string) => fc.Arbitrary<FactValue>>
> = {
  number: () => aNumber,
  integer: () => fc.oneof(fc.integer({ min: -2, max: 12 }), oneOf([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])),
  level: () => oneOf(LEVELS),
  boolean: () => fc.boolean(),
  enum: ({ values }) => oneOf(values ?? []),
  string: () => aText,
  date: (_, day) => fc.oneof({ weight: 4, arbitrary: aDayNear(day) }, fc.constant(NEVER)),
};

export function aDayNear(day: string): fc.Arbitrary<string> {
  return fc.oneof(fc.integer({ min: -32, max: 3 }), oneOf([-400, -366, -365, 40])).map((days) => shift(day, days));
}

/** A day near the day of the decision. */
export function aDayBeside(day: string): fc.Arbitrary<string> {
  return oneOf([-40, -1, 0, 0, 1, 40]).map((days) => shift(day, days));
}

function shift(day: string, days: number): string {
  return dayOfNumber(dayNumber(day) + days);
}

/** A limit on an integer can be any number. */
export function aLimit({ type }: PlainDefinition): fc.Arbitrary<FactValue> {
  return type === 'level' ? oneOf(LEVELS) : aNumber;
}

export function rank(limit: FactValue): number {
  return typeof limit === 'number' ? limit : (LEVELS as readonly FactValue[]).indexOf(limit);
}

type Neighbours = (literals: readonly unknown[], definition: PlainDefinition, day: string) => FactValue[];

/** Values at, next to and away from literals; literals of other types are skipped. */
export const NEIGHBOURS: Readonly<Record<FactType, Neighbours>> = {
  number: (literals, { range: [least, most] = [-Infinity, Infinity] }) =>
    [0, 1, ...numbersOf(literals).flatMap((n) => [n, n - 1, n + 1, n + 0.5])].filter((n) => n >= least && n <= most),
  integer: (literals, { range: [least, most] = [-Infinity, Infinity] }) =>
    [
      0,
      1,
      ...numbersOf(literals).flatMap((n) => [Math.floor(n), Math.ceil(n), Math.floor(n) - 1, Math.ceil(n) + 1]),
    ].filter((n) => n >= least && n <= most && Number.isSafeInteger(n)),
  level: () => [...LEVELS],
  boolean: () => [true, false],
  enum: (_, { values }) => [...(values ?? [])],
  string: (literals) =>
    textsOf(literals).flatMap((text) => [
      text,
      text.toUpperCase(),
      `${text}x`,
      `x${text}`,
      `x.${text}`,
      ` ${text}\u3000`,
    ]),
  date: (literals, _, day) => {
    const counts = textsOf(literals).flatMap((text) => /^(\d+) (day|week)/.exec(text) ?? []);
    const days = counts.flatMap((_text, i) => {
      const [count, unit] = counts.slice(i + 1);
      return i % 3 === 0 ? [Number(count) * (unit === 'week' ? 7 : 1)] : [];
    });
    const named = textsOf(literals).filter(isDay);
    const centres = [day, ...days.map((n) => shift(day, -n)), ...named];
    return [NEVER, ...centres.flatMap((centre) => [-1, 0, 1].map((n) => shift(centre, n)))];
  },
};

function numbersOf(literals: readonly unknown[]): number[] {
  return literals.filter((literal) => typeof literal === 'number');
}

function textsOf(literals: readonly unknown[]): string[] {
  return literals.filter((literal) => typeof literal === 'string');
}
