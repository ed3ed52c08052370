/** What an object of the log may hold -> its keys in order, or what is wrong with it. */

/** What a value has to be, in words, and whether it is. */
export interface Type {
  readonly expected: string;
  is(value: unknown): boolean;
}

/** The keys that an object has, in their order; a name that ends in `?` may be left out. */
export interface Shape {
  readonly [name: string]: Type | Shape;
}

type Json = Readonly<Record<string, unknown>>;

/** The same data with its keys in the shape's order; or why it is not of that shape, without a word of its own. */
export type Arranged = { readonly value: Record<string, unknown> } | { readonly problem: string };

/** A key of a shape, taken apart once. */
interface Key {
  readonly name: string;
  readonly optional: boolean;
  readonly type?: Type;
  readonly shape?: Shape;
}

const keysByShape = new WeakMap<Shape, readonly Key[]>();

function keysOf(shape: Shape): readonly Key[] {
  const known = keysByShape.get(shape);
  if (known) return known;
  const keys = Object.entries(shape).map(([given, type]): Key => {
    const optional = given.endsWith('?');
    const name = optional ? given.slice(0, -1) : given;
    return isType(type) ? { name, optional, type } : { name, optional, shape: type };
  });
  keysByShape.set(shape, keys);
  return keys;
}

function isType(found: Type | Shape): found is Type {
  return typeof found['is'] === 'function';
}

/** Puts an object's keys in order, and its inner objects' too. A key whose value is undefined counts as left out. */
export function arrange(data: unknown, shape: Shape, path = ''): Arranged {
  if (!isObject(data)) return { problem: `expected ${path || 'the line'} to be an object` };
  const value: Record<string, unknown> = {};
  let found = 0;
  for (const { name, optional, type, shape: inner } of keysOf(shape)) {
    const at = path ? `${path}.${name}` : name;
    const one = Object.hasOwn(data, name) ? data[name] : undefined;
    if (one === undefined) {
      if (optional) continue;
      return { problem: `expected ${at}, which is not there` };
    }
    found += 1;
    if (type) {
      if (!type.is(one)) return { problem: `expected ${at} to be ${type.expected}` };
      value[name] = one;
    } else if (inner) {
      const arranged = arrange(one, inner, at);
      if ('problem' in arranged) return arranged;
      value[name] = arranged.value;
    }
  }
  const given = Object.values(data).filter((one) => one !== undefined).length;
  if (given > found) return { problem: `found a key in ${path || 'the line'} that has no place there` };
  return { value };
}

function isObject(data: unknown): data is Json {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

function textLike(expected: string, pattern: RegExp): Type {
  return { expected, is: (value) => typeof value === 'string' && pattern.test(value) };
}

function listOf(type: Type, expected: string): Type {
  return { expected, is: (value) => Array.isArray(value) && value.every(type.is) };
}

const isBefore = (a: unknown, b: unknown) => typeof a === 'string' && typeof b === 'string' && a < b;

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';

export const TEXT: Type = { expected: 'a text', is: (value) => typeof value === 'string' };
export const TEXTS = listOf(TEXT, 'a list of texts');
export const SORTED: Type = {
  expected: 'a sorted list of texts, each once',
  // By UTF-16 code units, as `sort()` does it.
  is: (value) =>
    TEXTS.is(value) && (value as readonly string[]).every((one, i, all) => i === 0 || isBefore(all[i - 1], one)),
};
export const ID = textLike('a UUID, version 7, in lower case', new RegExp(`^${UUID}$`));
export const IDS = listOf(ID, 'a list of UUIDs, version 7');
export const HASH = textLike('64 hexadecimal digits', /^[0-9a-f]{64}$/);
export const DIGEST = textLike('sha256: and 64 hexadecimal digits', /^sha256:[0-9a-f]{64}$/);
/** The number of the index key, without zeros in front, and the HMAC. */
export const SUBJECT = textLike('a number, a colon and 64 hexadecimal digits', /^[1-9]\d*:[0-9a-f]{64}$/);
export const SUBJECTS = listOf(SUBJECT, 'a list of subjects');
export const KEY_NAME = textLike(
  'the name of a data key',
  new RegExp(`^${UUID}\\.[1-9]\\d*\\.[1-9]\\d*:(?:0|[1-9]\\d*)$`),
);
export const COUNT: Type = {
  expected: 'a count from 0',
  is: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};
export const NUMBER: Type = { expected: 'a number from 1', is: (value) => COUNT.is(value) && value !== 0 };
export const OBJECT: Type = { expected: 'an object', is: isObject };
export const INSTANT: Type = {
  expected: 'an instant like 2026-11-20T12:00:00.000Z',
  is: (value) => typeof value === 'string' && /^\d{4}-/.test(value) && isOwnIso(value),
};
export const SEALED: Type = {
  expected: 'base64 of 28 bytes or more',
  is: (value) => typeof value === 'string' && value.length >= 40 && isBase64(value),
};

export function oneOf(...values: readonly string[]): Type {
  return { expected: values.join(', '), is: (value) => typeof value === 'string' && values.includes(value) };
}

function isOwnIso(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text;
}

/** Whether a text is base64 as it is written: what is decoded, whatever was left out of it, must give the same again. */
function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
}
