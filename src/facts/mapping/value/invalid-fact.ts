/** A value that cannot be read as its fact's type -> a missing fact with cause `invalid` that keeps what was found. */

import type { MissingFact } from '../../fact.ts';

/** Enough to see what is wrong, without keeping more of what may be personal data. */
const RAW_LENGTH = 200;

/** `raw` holds a text as it is, an object or list as JSON, and anything else as `String` prints it. */
export function invalidFact(found: unknown): MissingFact {
  const text = textOf(found);
  return text === undefined ? { missing: 'invalid' } : { missing: 'invalid', raw: cut(text) };
}

function textOf(found: unknown): string | undefined {
  if (typeof found === 'string') return found;
  try {
    return typeof found !== 'object' || found === null ? String(found) : JSON.stringify(found);
  } catch {
    return undefined; // circular, nested deeper than the stack allows, or with a function that throws
  }
}

/** At most 200 UTF-16 code units, never half a surrogate pair, which canonical JSON, the form of records, forbids. */
function cut(text: string): string {
  if (text.length <= RAW_LENGTH) return text.toWellFormed();
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(RAW_LENGTH - 1));
  return text.slice(0, isHalf ? RAW_LENGTH - 1 : RAW_LENGTH).toWellFormed();
}
