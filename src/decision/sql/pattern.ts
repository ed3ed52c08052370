/** A pattern in RE2 syntax -> the part of it that RE2 engines may read differently, if any. */

/**
 * Letters whose case folding an engine's RE2 may not know yet (CaseFolding.txt of Unicode 7.0, 2014, and
 * later), or that releases of RE2 fold differently. Found by matching every cased character against every other
 * with re2js 2.10, DuckDB 1.5 and ClickHouse 26.7.
 */
const NEW_LETTERS: readonly (readonly [first: number, last: number])[] = [
  [0x037f, 0x037f], // Greek yot
  [0x0390, 0x0390], // iota and upsilon with dialytika and tonos, and their doubles
  [0x03b0, 0x03b0],
  [0x1fd3, 0x1fd3],
  [0x1fe3, 0x1fe3],
  [0x0528, 0x052f], // Cyrillic
  [0x10a0, 0x10ff], // Georgian
  [0x1c90, 0x1cbf],
  [0x13a0, 0x13ff], // Cherokee
  [0xab70, 0xabbf],
  [0x1c80, 0x1c8f], // Cyrillic Extended-C
  [0x2c00, 0x2c7f], // Glagolitic, Latin Extended-C
  [0xa640, 0xa7ff], // Cyrillic Extended-B, Latin Extended-D
  [0xab30, 0xab6f], // Latin Extended-E
  [0xfb05, 0xfb06], // the ligatures of long s and t, and of s and t
  [0x1_0400, 0x1_efff], // scripts beyond the basic plane
];

/** The end of Latin Extended-B. No letter up to it is in `NEW_LETTERS`, so a range may end there. */
const LAST_OF_RANGES = 0x024f;

/** A quoted part, an escape, the start of a group in the newer syntax, or a character. */
const TOKEN = /\\Q.*?(?:\\E|$)|\\.|\(\?<|./gsu;

/** Tokens that engines read differently, with the reason. */
const DOUBTFUL_TOKENS: readonly (readonly [form: RegExp, why: string])[] = [
  [/^\\p/i, 'which depends on the version of Unicode'],
  [/^\\[0-9x]/, 'a character by its number: write the character itself'],
  // An escaped letter, except for classes, anchors and control characters.
  [/^\\[A-Za-z](?<!\\[dDsSwWbBAzafnrtvQE])/, 'which not every RE2 knows'],
  [/^\(\?<$/, 'which older engines do not know: name the group with (?P<name>'],
];

/** Describes the first part that engines may read differently; undefined if they all read the pattern alike. */
export function findAmbiguity(pattern: string): string | undefined {
  const tokens = pattern.match(TOKEN) ?? [];
  for (const [i, token] of tokens.entries()) {
    const doubtful = DOUBTFUL_TOKENS.find(([form]) => form.test(token));
    if (doubtful) return `${token.slice(0, 3)}, ${doubtful[1]}`;
    for (const character of token) {
      const code = character.codePointAt(0) ?? 0;
      if (code === 0) return 'U+0000';
      if (NEW_LETTERS.some(([first, last]) => first <= code && code <= last)) {
        return `${character}, whose upper or lower case not every engine knows`;
      }
      if (code > LAST_OF_RANGES && (tokens[i - 1] === '-' || tokens[i + 1] === '-')) {
        return `a possible range that ends at ${character}`;
      }
    }
  }
  return undefined;
}
