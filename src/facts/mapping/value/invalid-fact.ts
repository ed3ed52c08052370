/** A value that cannot be read as its fact's type -> the missing fact that keeps what was found, for people to look at. */

import type { MissingFact } from '../../fact.ts';

/** Enough to see what is wrong, and no more of what may be personal. */
const RAW_LENGTH = 200;

/** `invalid`, with the value found: a text as it is, an object or list as JSON, anything else as it prints. */
export function invalidFact(found: unknown): MissingFact {
  const text = textOf(found);
  return text === undefined ? { missing: 'invalid' } : { missing: 'invalid', raw: cut(text) };
}

function textOf(found: unknown): string | undefined {
  if (typeof found === 'string') return found;
  if (typeof found !== 'object' || found === null) return String(found);
  try {
    return JSON.stringify(found);
  } catch {
    return undefined; // a circle, or nested deeper than the stack
  }
}

/** At most 200 UTF-16 code units, never half a character: raw values are stored as canonical JSON, which has no such. */
function cut(text: string): string {
  if (text.length <= RAW_LENGTH) return text.toWellFormed();
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(RAW_LENGTH - 1));
  return text.slice(0, isHalf ? RAW_LENGTH - 1 : RAW_LENGTH).toWellFormed();
}
