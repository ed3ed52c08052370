/** A text, number or boolean of an answer or a mapping -> the key under which its spellings are one. */

import { reportAt, type Yaml } from '../../../platform/yaml.ts';
import { isNull, readList } from '../../../platform/yaml-fields.ts';
import { fold } from '../../fold.ts';

/** A value that is no list, no map and not null. */
export type Scalar = string | number | boolean;

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** No name is longer; what is would take long to fold, and is its own key. */
const MAX_LENGTH = 1000;

/**
 * `Very High`, `VERY_HIGH` and `veryHigh` have one key: case counts for nothing, nor do white space, `_` and `-` between
 * letters. Elsewhere they do: -1 is not 1.
 */
export function spellingKey(name: Scalar): string {
  const text = String(name);
  if (text.length > MAX_LENGTH) return text;
  return fold(text).replace(/(?<=[\p{L}\p{M}])[\s_-]+(?=\p{L})/gu, '');
}

/** Texts, numbers and booleans, by `nameKey`; null may be named, since it always stands for no value. */
export function readPlaceholders(node: Yaml, what: string): ReadonlySet<string> {
  const items = readList(node, what) ?? [];
  return readNames(
    items.filter((item) => !isNull(item)),
    what,
  );
}

/** Scalars of a list, by `nameKey`. */
export function readNames(items: readonly Yaml[], what: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const item of items) {
    if (item.kind === 'scalar' && item.value !== null) names.add(spellingKey(item.value));
    else reportAt(item, isNull(item) ? 'null-value' : 'wrong-type', `${what} are texts, numbers or booleans`);
  }
  return names;
}
