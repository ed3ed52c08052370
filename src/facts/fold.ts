/** A text -> its folded form, in which string facts and a policy's literals are compared. */

import { trimWhiteSpace } from '../text.ts';

/**
 * Folds a text: NFC, white space at the ends removed (Unicode White_Space and U+FEFF), each code point lower-cased by
 * itself, NFC again. String facts and a policy's literals and list entries are folded once each.
 */
export function fold(text: string): string {
  if (isAscii(text)) return trimWhiteSpace(text).toLowerCase();
  const trimmed = trimWhiteSpace(text.normalize('NFC'));
  let lower = '';
  // Code point by code point: in a whole text, the lower case of a final sigma depends on its neighbours.
  for (const codePoint of trimmed) lower += codePoint.toLowerCase();
  return lower.normalize('NFC');
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
