/** Patterns that every RE2 engine reads alike: DuckDB matches them exactly as a policy does. */

import { RE2JS } from 're2js';
import { afterAll, describe, expect, it } from 'vitest';
import { openDuckDb } from '../../../src/decision/rows/duckdb.ts';
import { DIALECTS } from '../../../src/decision/sql/dialect.ts';
import { findAmbiguity } from '../../../src/decision/sql/pattern.ts';
import { fold } from '../../../src/platform/formats/fold.ts';

const UNAMBIGUOUS = String.raw`
a.b a$ ^a \Aa\z ẞ ß K k [a-z] [A-Z] \w [[:upper:]] [[:lower:]] [^a-z] \W \bk σ Σ ς ǆ ǅ İ i ı I ſ s é É [é-ü]
[À-Þ] . (?s). (?s:a.b) (?m)^b$ (?-i)A (?-i:K) (?:a|b)*c a{2,3} \Qa.b\E \Qa\E+ \d [\d\-x] \s [[:space:]] \v \f
(?U)a+ a||b | () x* [^\n] [^x] [[:word:]] (?P<n>a) \z \B [Ω] µ μ 😀 [😀] a{0} (a{500}){2} \\ \. \[ 日本 д Д \\p
\\x41 Ж
`
  .trim()
  .split(/\s+/);

const AMBIGUOUS: readonly (readonly [pattern: string, why: string])[] = [
  [String.raw`\p{Greek}`, String.raw`\p, which depends on the version of Unicode`],
  [String.raw`a\PLb`, String.raw`\P, which depends on the version of Unicode`],
  [String.raw`[\pL]`, String.raw`\p, which depends on the version of Unicode`],
  [String.raw`\x41`, String.raw`\x, a character by its number: write the character itself`],
  [String.raw`\x{1F600}`, String.raw`\x, a character by its number: write the character itself`],
  [String.raw`\101`, String.raw`\1, a character by its number: write the character itself`],
  [String.raw`\\\x41`, String.raw`\x, a character by its number: write the character itself`],
  [String.raw`\C`, String.raw`\C, which not every RE2 knows`],
  ['(?<name>a)', '(?<, which older engines do not know: name the group with (?P<name>'],
  ['a\0', 'U+0000'],
  ['\\Qa\0\\E', 'U+0000'],
  ['Ꭰ', 'Ꭰ, whose upper or lower case not every engine knows'],
  ['ﬆ', 'ﬆ, whose upper or lower case not every engine knows'],
  ['[а-я]', 'a possible range that ends at а'],
];

const TEXTS = [...'aAbBkKsSiI\u212aſßẞσςΣǆǅİıéÉüþΩω\u2126\u00b5μ日😀0_-. \n\t\v\fдяж'].concat(
  ...[
    'a\nb',
    'b\na\nb',
    'a.b',
    'axb',
    'aa',
    'aaa',
    'ab',
    'abac',
    'a\n',
    '日本',
    '\\p',
    '\\x41',
    '[',
    '\\',
    'a'.repeat(1000),
  ],
);

const duckDb = await openDuckDb().catch(() => undefined);
afterAll(() => duckDb?.close());

describe('a pattern', () => {
  it.each(UNAMBIGUOUS)('%s is read alike by all engines', (pattern) => {
    expect(findAmbiguity(pattern)).toBeUndefined();
  });

  it.each(AMBIGUOUS)('%j is read differently: it has %s', (pattern, why) => {
    expect(findAmbiguity(pattern)).toBe(why);
  });

  it.skipIf(!duckDb)('that is read alike matches the same folded texts in DuckDB', async () => {
    const quote = DIALECTS.duckdb.text;
    const texts = [...new Set(TEXTS.map((text) => fold(text) ?? ''))].filter((text) => text !== '');
    const values = texts.map((text, i) => `(${i}, ${quote(text)})`).join(', ');
    for (const pattern of UNAMBIGUOUS) {
      const compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
      const sql = `SELECT regexp_matches(x, ${quote(pattern)}, 'i') FROM (VALUES ${values}) t(i, x) ORDER BY i`;
      const found = await duckDb?.connection.runAndReadAll(sql);
      const matched = found?.getRowsJS().map(([is]) => is);
      expect({ pattern, matched }).toEqual({ pattern, matched: texts.map((text) => compiled.test(text)) });
    }
  });
});
