/** The folding of strings: what a fact's text and a policy's literals are reduced to before they are compared. */

import { trimWhiteSpace } from '../text.ts';

/**
 * Folds a text: NFC, white space at the ends removed (Unicode White_Space and U+FEFF), each code point in lower case by
 * itself, NFC again. A policy's literals, list entries and string facts go through this once each.
 */
export function fold(text: string): string {
  if (isAscii(text)) return trimWhiteSpace(text).toLowerCase();
  const trimmed = trimWhiteSpace(text.normalize('NFC'));
  let lower = '';
  // Code point by code point: lower-casing a whole text would let a final sigma depend on its neighbours.
  for (const codePoint of trimmed) lower += codePoint.toLowerCase();
  return lower.normalize('NFC');
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
