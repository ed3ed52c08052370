/** Values of an answer or a mapping -> one key for all spellings of a name; whether two JSON values are the same. */

import { reportAt } from '../../../platform/files/source.ts';
import { fold } from '../../../platform/formats/fold.ts';
import { isObject } from '../../../platform/json.ts';
import type { Yaml } from '../../../platform/yaml.ts';
import { isNull, readList } from '../../../platform/yaml-fields.ts';

/** A value that is not a list, a map or null. */
export type Scalar = string | number | boolean;

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/**
 * `Very High`, `VERY_HIGH` and `veryHigh` share one key: case is ignored, and so are white space, `_` and `-` between
 * letters. Elsewhere these characters count: -1 is not 1. A text that cannot be folded is its own key.
 */
export function spellingKey(name: Scalar): string {
  const text = String(name);
  const folded = fold(text);
  if (folded === undefined) return text;
  // Most names have nothing to leave out, and the look-behind is slow.
  return /[\s_-]/.test(folded) ? folded.replace(/(?<=[\p{L}\p{M}])[\s_-]+(?=\p{L})/gu, '') : folded;
}

/** The names in a list, by `spellingKey`. Null may be listed, but adds nothing: it always means "no value". */
export function readPlaceholders(node: Yaml, what: string): ReadonlySet<string> {
  const items = readList(node, what) ?? [];
  return readNames(
    items.filter((item) => !isNull(item)),
    what,
  );
}

/** The texts, numbers and booleans among the items, by `spellingKey`; other items are reported. */
function readNames(items: readonly Yaml[], what: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const item of items) {
    if (item.kind === 'scalar' && item.value !== null) names.add(spellingKey(item.value));
    else reportAt(item, isNull(item) ? 'null-value' : 'wrong-type', `${what} are texts, numbers or booleans`);
  }
  return names;
}

export function isOneOf(value: unknown, expected: readonly unknown[]): boolean {
  return expected.some((one) => isSame(one, value));
}

/** Equal JSON, scalars compared by `spellingKey`. It recurses only as deep as `expected`, which a mapping limits. */
function isSame(expected: unknown, value: unknown): boolean {
  if (isScalar(expected)) return isScalar(value) && spellingKey(expected) === spellingKey(value);
  if (Array.isArray(expected)) {
    const isAsLong = Array.isArray(value) && expected.length === value.length;
    return isAsLong && expected.every((one, i) => isSame(one, value[i]));
  }
  if (!isObject(expected)) return expected === value;
  const names = Object.keys(expected);
  if (!isObject(value) || names.length !== Object.keys(value).length) return false;
  return names.every((name) => Object.hasOwn(value, name) && isSame(expected[name], value[name]));
}
