/** A problem of syntax whose slip is not found -> what is said of it in words of our own. */

import type { Composed, SyntaxProblem } from './compose.ts';
import type { Page } from './page.ts';

interface Words {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint: string;
}

export const NOT_READ = 'the rest of the file was not checked';

const WORDS: { readonly [Code in SyntaxProblem['code']]?: readonly [found: string, hint: string] } = {
  BAD_INDENT: [
    'a line that does not line up with those above it',
    'check the indentation of this line and those above',
  ],
  BLOCK_AS_IMPLICIT_KEY: ['a list or a map where none can begin', 'check the indentation of this line and those above'],
  BLOCK_IN_FLOW: ['a key where none can begin', 'separate entries by commas, and put a text with a colon in quotes'],
  BAD_SCALAR_START: ['a text that begins with a special character', 'put the text in quotes'],
  BAD_DQ_ESCAPE: ['a backslash that begins no escape', 'put the text in single quotes'],
  TAB_AS_INDENT: ['a tab in the indentation', 'indent with spaces'],
  MULTILINE_IMPLICIT_KEY: ['a line without a colon', 'a key ends in ": ", an entry of a list begins with "- "'],
  MISSING_CHAR: ['an entry without its colon, comma or closing bracket', 'check the commas, colons and brackets'],
};

const OTHER = [
  'something that cannot be here',
  'check the quotes, brackets and indentation here and in the line above',
];

/** What to say of a problem, and where: of a text whose quote is missing at its beginning. */
export function wordsFor({ start, end, code, message }: SyntaxProblem, page: Page, { longTexts }: Composed): Words {
  const text = code === 'MISSING_CHAR' && / quote$/.test(message) && longTexts.findLast((each) => each.start < end);
  if (text) {
    const line = page.lineAt(text.start);
    const found = `found a text without its closing quote on this line; ${NOT_READ}`;
    return { start: text.start, end: line.start + line.text.length, message: found, hint: 'close the quote' };
  }
  const [found, hint = ''] = WORDS[code] ?? OTHER;
  return { start, end, message: `found ${found}; ${NOT_READ}`, hint };
}
