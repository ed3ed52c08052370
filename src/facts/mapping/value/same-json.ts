/** A JSON value of an answer and those that a mapping lists -> whether it is one of them. */

import { isScalar, spellingKey } from './spelling-key.ts';

export function isOneOf(value: unknown, expected: readonly unknown[]): boolean {
  return expected.some((one) => isSame(one, value));
}

/** Equal JSON, scalars compared by `spellingKey`. It recurses only as deep as `expected`, which a mapping limits. */
function isSame(expected: unknown, found: unknown): boolean {
  if (isScalar(expected)) return isScalar(found) && spellingKey(expected) === spellingKey(found);
  if (Array.isArray(expected)) {
    const isAsLong = Array.isArray(found) && expected.length === found.length;
    return isAsLong && expected.every((one, i) => isSame(one, found[i]));
  }
  if (!isMap(expected)) return expected === found;
  const names = Object.keys(expected);
  if (!isMap(found) || names.length !== Object.keys(found).length) return false;
  return names.every((name) => Object.hasOwn(found, name) && isSame(expected[name], found[name]));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
