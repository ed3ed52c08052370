/** A source of random numbers -> hostile texts and numbers: spellings, marks, markup, code, and long runs of them. */

import { pick, type Random } from '../facts/mutate.ts';

/** The most often that a case repeats a part. A larger number finds quadratic time, and makes all cases slower. */
const MOST_TIMES = 1000;

/** A whole number from 0 to the limit, more often a small one. */
export function times(random: Random, most = MOST_TIMES): number {
  return Math.floor(random() ** 4 * (most + 1));
}

/** Parts of texts that are dangerous to some reader. */
const PIECES: readonly string[] = [
  // Unicode: invisible, bidirectional, combining, of two spellings, of other widths, half a character.
  ...['\u200b', '\u200d', '\u2060', '\u00ad', '\ufeff', '\u202e', '\u2066', '\u034f', '\ufe0f', '\u180e', '\u{e0041}'],
  ...['\u0301\u0327', 'e\u0301', '\u00e9', '\u00df', '\u0130', '\u017f', '\u212a', '\ufb01', '\u1e9e', '\u03c2'],
  ...['\uff41', '\uff0e', '\u3002', '\u24d8', '\u0430', '\u0661', '\u{1f600}', '\ud800', '\udc00', '\uffff'],
  // Controls and line ends of several readers.
  ...['\0', '\b', '\t', '\n', '\r', '\r\n', '\v', '\f', '\x1b[31m', '\x7f', '\x85', '\x9b31m', '\u2028', '\u2029'],
  // Quotes, comments and code of YAML, JSON, CSV, SQL, shells, HTML, patterns and messages.
  ...["'", '"', '\\', '`', '$$', '--', '/*', '*/', ';', '#', ' #', ': ', '- ', '? ', '&a ', '*a', '!!', '<<', '|', '>'],
  ...['%', '_', '{', '}', '{{', '{phone.score}', '$(x)', '=1+1', '@', ',', '::error::', '<script>', ']]>', '&lt;'],
  ...['(a|b|c){50}', '(?i)', '[', '(', '.*', '^', '$', '\\b', '\\p{L}', "E'", "');DROP TABLE t;--", '$a$'],
  // Identities and what resembles one.
  ...['+447400123456', '00447400123456', 'tel:+44', 'a@b.example', 'mailto:', '.example.', '*.', '127.0.0.1', '::1'],
  ...['xn--', 'UK', 'GBR', 'veryHigh', 'low', 'never', 'N/A', '-', 'null', 'NaN', '1e999', '-0', '9007199254740993'],
  ...['0001-01-01', '1900-01-01', '1970-01-01', '2024-02-30', '9999-12-31', '__proto__', 'constructor', 'a', ' '],
];

/** A text of one to six pieces, or of one piece many times. */
export function hostileText(random: Random): string {
  // Normalising such a run takes quadratic time.
  if (random() < 0.02) return `e${'\u0301\u0327'.repeat(times(random, 60_000))}`;
  if (random() < 0.1) return `e${pick(PIECES, random).repeat(1 + times(random))}`;
  let text = '';
  for (let i = 1 + Math.floor(random() * 6); i > 0; i--) text += pick(PIECES, random);
  return text;
}

/** A text with a hostile piece inserted somewhere. */
export function withPiece(text: string, random: Random): string {
  const at = Math.floor(random() * (text.length + 1));
  return `${text.slice(0, at)}${random() < 0.8 ? pick(PIECES, random) : hostileText(random)}${text.slice(at)}`;
}
