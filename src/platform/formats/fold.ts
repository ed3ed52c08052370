/** A text -> its folded form, in which string facts and the literals of a policy are compared. */

import { trimWhiteSpace } from '../../text.ts';

/** In bytes of UTF-8. No name, address or company is longer; a longer text is an attack or an accident. */
const MAX_TEXT_BYTES = 4096;

/** UAX 15, section 13, "Stream-Safe Text Format". Without a limit, normalising takes quadratic time. */
const MAX_MARKS = 30;

const UTF8 = new TextEncoder();

/** Room for the longest text. */
const room = new Uint8Array(MAX_TEXT_BYTES);

const TOO_MANY_MARKS = new RegExp(String.raw`\p{M}{${MAX_MARKS + 1}}`, 'u');

/**
 * Folds a text: default-ignorable code points removed, NFC, white space at the ends removed (Unicode White_Space and
 * U+FEFF), each code point lower-cased by itself, NFC again. String facts and a policy's literals and list entries are
 * folded once each.
 *
 * Undefined for a text of more than 4 KiB or with more than 30 combining marks in a row. INVARIANT: this is the only
 * place that normalises texts of any length.
 */
export function fold(text: string): string | undefined {
  // UTF-8 has at least one byte for each UTF-16 code unit.
  if (text.length > MAX_TEXT_BYTES) return undefined;
  if (isAscii(text)) return trimWhiteSpace(text).toLowerCase();
  if (UTF8.encodeInto(text, room).read < text.length) return undefined;
  const visible = text.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  if (TOO_MANY_MARKS.test(visible)) return undefined;
  const trimmed = trimWhiteSpace(visible.normalize('NFC'));
  let lower = '';
  // Code point by code point: in a whole text, the lower case of a final sigma depends on its neighbours.
  for (const codePoint of trimmed) lower += codePoint.toLowerCase();
  return lower.normalize('NFC');
}

/** Why `fold` gives undefined, for messages. */
export const UNFOLDABLE = `has more than ${MAX_TEXT_BYTES} bytes, or more than ${MAX_MARKS} combining marks in a row`;

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/**
 * The one form of a text, or the problem with it. INVARIANT: the form is folded, and is its own form.
 *
 * `problem` never repeats the text. `corrected` is the form that was meant; it may contain the text, so it is for the
 * authors of policies alone.
 */
export type FormatReading = { readonly value: string } | { readonly problem: string; readonly corrected?: string };
