/** The folding of strings: what a fact's text and a policy's literals are reduced to before they are compared. */

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

/** A text without Unicode White_Space and U+FEFF at its ends. */
export function trimWhiteSpace(text: string): string {
  // `trim` lacks U+0085; a regular expression for the end would be quadratic in a run of spaces inside.
  let start = 0;
  let end = text.length;
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start++;
  while (end > start && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Unicode White_Space (PropList.txt) and U+FEFF; all of them lie in the basic plane. */
function isWhiteSpace(codeUnit: number): boolean {
  return (
    codeUnit === 0x20 ||
    (codeUnit >= 0x09 && codeUnit <= 0x0d) ||
    codeUnit === 0x85 ||
    codeUnit === 0xa0 ||
    codeUnit === 0x1680 ||
    (codeUnit >= 0x2000 && codeUnit <= 0x200a) ||
    codeUnit === 0x2028 ||
    codeUnit === 0x2029 ||
    codeUnit === 0x202f ||
    codeUnit === 0x205f ||
    codeUnit === 0x3000 ||
    codeUnit === 0xfeff
  );
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
