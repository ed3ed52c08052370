/** Data and the shape of an object in the log -> its keys in order, or what is wrong with it. */

import { isDay } from '../../facts/day.ts';
import { cached } from '../../platform/cached.ts';
import { isObject } from '../../platform/json.ts';

/** What a value has to be: in words, and as a check. */
export interface Type {
  readonly expected: string;
  is(value: unknown): boolean;
  /** The type for readers that do not judge the writer. Default: this type. */
  readonly loose?: Type;
}

/** The keys of an object, in order; one that ends in `?` is optional. */
export interface Shape {
  readonly [name: string]: Type | Shape;
}

type Json = Readonly<Record<string, unknown>>;

/** The data with its keys in the shape's order, or why it does not match; the problem repeats nothing of the data. */
export type Arranged = { readonly value: Record<string, unknown> } | { readonly problem: string };

/** A key of a shape, parsed once. */
interface Key {
  readonly name: string;
  readonly optional: boolean;
  readonly type?: Type;
  readonly shape?: Shape;
}

const keysOf = cached((shape: Shape): readonly Key[] =>
  Object.entries(shape).map(([given, type]): Key => {
    const optional = given.endsWith('?');
    const name = optional ? given.slice(0, -1) : given;
    return isType(type) ? { name, optional, type } : { name, optional, shape: type };
  }),
);

function isType(found: Type | Shape): found is Type {
  return typeof found['is'] === 'function';
}

/** Puts the keys of an object and its inner objects in order. A key whose value is undefined counts as absent. */
export function arrange(data: unknown, shape: Shape): Arranged {
  return isOfShape(data, shape) ? { value: inOrder(data as Json, shape) } : { problem: problemOf(data, shape) };
}

/** Whether an object matches a shape; its keys may be in any order. */
export function isOfShape(data: unknown, shape: Shape): boolean {
  if (!isObject(data)) return false;
  let found = 0;
  for (const { name, optional, type, shape: inner } of keysOf(shape)) {
    const one = Object.hasOwn(data, name) ? data[name] : undefined;
    if (one === undefined) {
      if (optional) continue;
      return false;
    }
    found += 1;
    if (type ? !type.is(one) : inner && !isOfShape(one, inner)) return false;
  }
  let given = 0;
  for (const name of Object.keys(data)) if (data[name] !== undefined) given += 1;
  return given === found;
}

/** What is wrong with an object that does not match a shape. */
function problemOf(data: unknown, shape: Shape, path = ''): string {
  if (!isObject(data)) return `expected ${path || 'the line'} to be an object`;
  const at = (name: string) => (path ? `${path}.${name}` : name);
  for (const { name, optional, type, shape: inner } of keysOf(shape)) {
    const one = Object.hasOwn(data, name) ? data[name] : undefined;
    if (one === undefined && !optional) return `found no ${at(name)}, expected one`;
    if (one === undefined) continue;
    if (type && !type.is(one)) return `expected ${at(name)} to be ${type.expected}`;
    if (inner && !isOfShape(one, inner)) return problemOf(one, inner, at(name));
  }
  return `found an unknown key in ${path || 'the line'}`;
}

function inOrder(data: Json, shape: Shape): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const { name, shape: inner } of keysOf(shape)) {
    if (!Object.hasOwn(data, name) || data[name] === undefined) continue;
    value[name] = inner ? inOrder(data[name] as Json, inner) : data[name];
  }
  return value;
}

/** The shape for readers that do not judge the writer: texts of any form, lists in any order. */
export function loosen(shape: Shape): Shape {
  return Object.fromEntries(
    Object.entries(shape).map(([name, type]) => [name, isType(type) ? (type.loose ?? type) : loosen(type)]),
  );
}

/** A text of a certain form. */
export function textLike(expected: string, pattern: RegExp): Type {
  return textThat(expected, (text) => pattern.test(text));
}

function textThat(expected: string, test: (text: string) => boolean, loose: Type = TEXT): Type {
  return { expected, is: (value) => typeof value === 'string' && test(value), loose };
}

function listOf(type: Type, expected: string): Type {
  const list: Type = { expected, is: (value) => Array.isArray(value) && value.every(type.is) };
  return type.loose ? { ...list, loose: listOf(type.loose, expected) } : list;
}

/** Throws for bytes that are not UTF-8; a byte order mark is part of the text. */
export const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const isBefore = (a: unknown, b: unknown) => typeof a === 'string' && typeof b === 'string' && a < b;

/** The source of a regular expression for a UUID, version 7, in lower case (RFC 9562, section 5.7). */
export const UUID_V7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

export const TEXT: Type = { expected: 'a text', is: (value) => typeof value === 'string' };
export const TEXTS = listOf(TEXT, 'a list of texts');
export const SORTED: Type = {
  expected: 'a sorted list of texts without repetition',
  // By UTF-16 code units, as `sort()` sorts.
  is: (value) =>
    TEXTS.is(value) && (value as readonly string[]).every((one, i, all) => i === 0 || isBefore(all[i - 1], one)),
  loose: TEXTS,
};
export const ID = textLike('a UUID, version 7, in lower case', new RegExp(`^${UUID_V7}$`));
export const IDS = listOf(ID, 'a list of UUIDs, version 7');
export const DAY = textThat('a day like 2026-11-20', isDay);
export const HASH = textLike('64 hexadecimal digits', /^[0-9a-f]{64}$/);
export const DIGEST = textLike('sha256: and 64 hexadecimal digits', /^sha256:[0-9a-f]{64}$/);
export const DIGESTS = listOf(DIGEST, 'a list of digests');
/** The number of the index key, without leading zeros, and the HMAC. */
export const SUBJECT = textLike('a number, a colon and 64 hexadecimal digits', /^[1-9]\d*:[0-9a-f]{64}$/);
export const HASHES: Type = {
  expected: 'keyed hashes by name, sorted by name',
  is: (value) => isObject(value) && SORTED.is(Object.keys(value)) && Object.values(value).every(SUBJECT.is),
  loose: { expected: 'an object', is: isObject },
};
export const SUBJECTS = listOf(SUBJECT, 'a list of subjects');
export const KEY_NAME = textLike(
  'the name of a data key',
  new RegExp(`^${UUID_V7}\\.[1-9]\\d*\\.[1-9]\\d*:(?:0|[1-9]\\d*)$`),
);
/** For people who read entries without keys. */
export const CODE = textLike(
  'a code like recheck: a letter, then up to 40 letters, digits, dots, hyphens and underscores',
  /^[a-z][\w.-]{0,40}$/i,
);
export const COUNT: Type = {
  expected: 'a count from 0',
  is: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};
export const NUMBER: Type = { expected: 'a number from 1', is: (value) => COUNT.is(value) && value !== 0 };
export const OBJECT: Type = { expected: 'an object', is: isObject };
export const INSTANT = textThat(
  'an instant like 2026-11-20T12:00:00.000Z',
  (text) => /^\d{4}-/.test(text) && isOwnIso(text),
  textThat('an instant', (text) => !Number.isNaN(Date.parse(text))),
);
/** An instant that nothing is computed from, so that fast readers accept any text. */
export const STAMP: Type = { ...INSTANT, loose: TEXT };
export const SEALED = textThat('base64 of 28 bytes or more', (text) => text.length >= 40 && isBase64(text));
export const KEY_ID = textLike('16 hexadecimal digits', /^[0-9a-f]{16}$/);

export function oneOf(...values: readonly unknown[]): Type {
  return { expected: values.join(', '), is: (value) => values.includes(value) };
}

function isOwnIso(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text;
}

/** Whether a text is canonical base64: decoding skips what is not base64, so encoding again must give the same text. */
export function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
}

/** The version of a file's format, as its `format` field has it. */
export const FORMAT = oneOf(1);

/** The bytes of such a file. */
export function formatExactFile(data: object): Buffer {
  return Buffer.from(`${JSON.stringify(data)}\n`);
}

/** Undefined unless the bytes are those that `formatExactFile` writes for an object of this shape, keys in order. */
export function readExactFile(bytes: Uint8Array, shape: Shape): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = UTF8.decode(bytes);
    const arranged = arrange(JSON.parse(text), shape);
    return 'value' in arranged && `${JSON.stringify(arranged.value)}\n` === text ? arranged.value : undefined;
  } catch {
    return undefined;
  }
}
