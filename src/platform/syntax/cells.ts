/** Cells that say nothing, as in tables of other programs: `[-, voip, review]`, `[*, voip]`, `[voip, , review]`. */

import type { SyntaxProblem } from './compose.ts';
import { bare, type Page } from './page.ts';
import type { Slip } from './slip.ts';

/** What is written for a cell that says nothing: in a table of tests, `~`. */
function nothingIn({ text }: Page): { readonly word: string; readonly meaning: string } {
  if (/^tests:/m.test(text)) return { word: '~', meaning: 'a cell that is left out is `~`' };
  return { word: 'any', meaning: 'a cell that tests nothing is `any`' };
}

const SIGN_ALONE = /(?<=[[,]\s*)[-*](?=\s*[,\]])/g;

/** Guesses that a cell is left out between two commas: `any` if it is that of a fact. */
export function* emptyCells({ start: at }: SyntaxProblem, page: Page): Iterable<Slip> {
  const line = page.lineAt(at);
  for (const { index, 0: found } of bare(line.text).matchAll(/(?<=[[,])\s*,/g)) {
    const [start, end] = [line.start + index, line.start + index + found.length];
    const { word, meaning } = nothingIn(page);
    const none = word === 'any' ? ', one without a value `none`' : '';
    const message = `found nothing between two commas; ${meaning}${none}`;
    yield { start, end, message, edits: [{ start, end, text: ` ${word},` }], isGuess: true };
  }
}

/** Guesses that each sign of the line says nothing. In a list of values that may not be what was meant. */
export function* signsAlone({ start: at }: SyntaxProblem, page: Page): Iterable<Slip> {
  const line = page.lineAt(at);
  const text = bare(line.text);
  const { word, meaning } = nothingIn(page);
  const edits = [...text.matchAll(SIGN_ALONE)].map(({ index }) => {
    const start = line.start + index;
    return { start, end: start + 1, text: word };
  });
  const [first] = edits;
  if (!first) return;
  const message = `found a sign alone in place of a value; ${meaning}`;
  yield { start: first.start, end: first.end, message, edits, isGuess: !/^\s*-\s+\[/.test(text) };
}
