/** The types of facts -> literals of a policy, and values at and next to its literals. */

import * as fc from 'fast-check';
import { type FactType, LEVELS } from '../../../src/facts/catalog.ts';
import { dayNumber, dayOfNumber, isDay } from '../../../src/facts/day.ts';
import { type FactValue, NEVER } from '../../../src/facts/fact.ts';
import type { Format } from '../../../src/platform/formats/format.ts';
import { trimWhiteSpace } from '../../../src/text.ts';
import type { PlainDefinition, PlainEntry } from './plain.ts';

// Texts that YAML, folding or a comparison could misread.
const TEXTS = [
  ...'Acme Mobile|acme mobile| ACME\u00a0|\ufeffvoda|Vodafone|mail.Example|a.mail.example|.|example'.split('|'),
  ...'true|null|~|10|1e3|0x1f|-0|2026-01-01|never|any|yes|a: b|# c|- d|{e}|[f]|<<'.split('|'),
  ...'é|e\u0301|É|Straße|STRASSE|ΣΊΣΥΦΟΣ|σίσυφος|İ|i\u0307|\u212a|ǅ|a\u2028b|x\u0085|😀'.split('|'),
  ...'"|\'|a"b|a\nb|tab\there|\\|%|*x|&x|!x|@|`|constructor|__proto__|$|$$|$p0'.split('|'),
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

/** Spellings of a few values of each format. */
const SPELLINGS: Readonly<Record<Format, readonly string[]>> = {
  phone: ['447400123456', '+44 7400 123456', '0044 (7400) 123-456', '+1 202.555.0143', '12025550143', '9991234567'],
  email: ['jo@mail.example', 'Jo@MAIL.example', 'jo@mail.example.', 'a.b+c@Bücher.example', 'jo@xn--bcher-kva.example'],
  domain: ['mail.example', 'MAIL.example.', 'a.mail.example', 'example', 'bücher.example', 'a.xn--bcher-kva.example'],
  ip: ['203.0.113.7', '::ffff:203.0.113.7', '203.0.113.128', '203.0.112.255', '198.18.0.1', '8.8.8.8'],
  country: ['GB', 'gb', 'Us', 'XK', 'de'],
};

/** Texts that no spelling of a value is. */
const MISSPELLINGS: Readonly<Record<Format, readonly string[]>> = {
  phone: ['07400123456', '+44 7400 12345x', '447'],
  email: ['jo', '@mail.example', 'jo@mail.example,', 'jo@@mail.example'],
  domain: ['@mail.example', '*.mail.example', 'a..example', '10.1'],
  ip: ['10.0.0.1', '203.0.113.07', '::1', '203.0.113', '203.0.113.0/24'],
  country: ['UK', 'GBR', 'Germany'],
};

/** Blocks around the addresses: some in others, one of a single address, one of all. */
const BLOCKS =
  '203.0.113.0/24 203.0.113.0/25 203.0.112.0/23 203.0.113.7/32 198.18.0.0/15 8.0.0.0/6 0.0.0.0/0 203.0.113.6/31'.split(
    ' ',
  );

/** Parts that a value of the format may begin or end with, or contain. */
const PARTS: Readonly<Record<Format, readonly string[]>> = {
  phone: ['44', '7400', '123456', '2'],
  email: ['jo', 'a', 'MAIL.example', 'xn--bcher-kva.example', 'jo@mail.example'],
  domain: ['mail', 'example', 'A', 'mail.example', 'xn--bcher-kva.example'],
  ip: ['203', '7', '203.0.113.7', '8', '1'],
  country: ['g', 'B', 'gb', 'x'],
};

/** A text that a fact of a format, or of none, can be compared with. */
function aLiteral(format: Format | undefined): fc.Arbitrary<string> {
  return format === undefined ? aText : oneOf(SPELLINGS[format]);
}

/** An element of `in`, or an entry of a list. */
export function aMember(format: Format | undefined): fc.Arbitrary<string> {
  return format === 'ip' ? oneOf([...SPELLINGS.ip, ...BLOCKS]) : aLiteral(format);
}

/** A part of a text. */
export function aPart(format: Format | undefined): fc.Arbitrary<string> {
  return format === undefined ? aText : oneOf(PARTS[format]);
}

/** A text that a caller gives as a fact of a format; some are not of it. */
export function aGivenText(format: Format): fc.Arbitrary<string> {
  const spaced = oneOf(SPELLINGS[format]).map((text) => ` ${text}\u3000`);
  return fc.oneof({ weight: 6, arbitrary: oneOf(SPELLINGS[format]) }, spaced, oneOf(MISSPELLINGS[format]));
}

/** The entries of a list; about half of the lists have entries that end near the day. */
export function entriesNear(day: string, format?: Format): fc.Arbitrary<readonly PlainEntry[]> {
  const text = aMember(format);
  const ending = fc.record(
    { value: text, until: aDayBeside(day), note: fc.constant('why') },
    { requiredKeys: ['value'] },
  );
  const lengths = { minLength: 1, maxLength: 4 };
  const line = format === undefined ? aLineOfAFile : text;
  return fc.oneof(fc.array(line, lengths), fc.array(fc.oneof(ending, text), lengths));
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
  string: ({ format }) => aLiteral(format),
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

/** The same day some years before, or 28 February in place of the 29th. */
function yearsBefore(day: string, years: number): string {
  const then = `${Number(day.slice(0, 4)) - years}${day.slice(4)}`;
  return isDay(then) ? then : then.replace(/29$/, '28');
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
    const years = numbersOf(literals).filter((n) => Number.isInteger(n) && Math.abs(n) <= 30);
    const centres = [day, ...days.map((n) => shift(day, -n)), ...years.map((n) => yearsBefore(day, n)), ...named];
    return [NEVER, ...centres.flatMap((centre) => [-1, 0, 1].map((n) => shift(centre, n)))];
  },
};

function numbersOf(literals: readonly unknown[]): number[] {
  return literals.filter((literal) => typeof literal === 'number');
}

function textsOf(literals: readonly unknown[]): string[] {
  return literals.filter((literal) => typeof literal === 'string');
}
