/** Brackets that do not pair, and entries between them that are not separated by a comma. */

import type { Replacement } from '../files/source.ts';
import type { SyntaxProblem } from './compose.ts';
import type { Guesser, Mistake } from './mistake.ts';
import { bare, type Line, type Page } from './page.ts';

export const BRACKET_GUESSERS: readonly Guesser[] = [andBetween, unpaired, noComma];

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Looks at the line of the problem and the one above: the parser notices at the next line. */
function* unpaired({ start: at }: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(at);
  for (const each of [page.above(line), line]) if (each) yield* unpairedIn(each);
}

function* unpairedIn(line: Line): Iterable<Mistake> {
  const text = bare(line.text);
  const open: string[] = [];
  // The bracket may be missing there instead of at the end.
  let hasEntriesInside = false;
  for (const { index: column, 0: sign } of text.matchAll(/[{}[\],]/g)) {
    const start = line.start + column;
    const place = { start, end: start + 1, correctsUpTo: line.index };
    if (sign === ',') {
      hasEntriesInside ||= open.length > 1 && open.at(-1) === '}';
      continue;
    }
    const closing = CLOSING[sign];
    if (closing) {
      open.push(closing);
      continue;
    }
    const expected = open.pop();
    if (expected === sign) continue;
    const before = line.start + text.slice(0, column).trimEnd().length;
    if (expected === undefined) {
      const message = `found "${sign}" without an opening bracket`;
      const isGuess = !/[\]}]/.test(text.slice(0, column));
      yield { ...place, message, edits: [{ start: before, end: start + 1, text: '' }], isGuess };
    } else {
      const message = `found "${sign}" where "${expected}" is expected`;
      const [replaced, added] = [
        [{ start, end: start + 1, text: expected }],
        [{ start: before, end: before, text: expected }],
      ];
      const isMissing = (text.match(/[{[]/g)?.length ?? 0) > (text.match(/[}\]]/g)?.length ?? 0);
      for (const edits of isMissing ? [added, replaced] : [replaced, added]) yield { ...place, message, edits };
    }
    return;
  }
  if (open.length === 0) return;
  const end = line.start + text.trimEnd().length;
  const start = Math.max(line.start, end - 1);
  const missing = open.reverse();
  const message = `found the end of the line before "${missing.join('')}"; every bracket is to be closed`;
  const inserted = missing.map((sign) => (sign === '}' ? ' }' : ']')).join('');
  const edits = [{ start: end, end, text: inserted }];
  yield { start, end, message, edits, correctsUpTo: line.index, isGuess: hasEntriesInside };
}

/** `{ id: a when: b }`, `[a: b } then: c`: an entry that begins without a comma before it. */
function* noComma({ start: at }: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(at);
  const column = at - line.start;
  const above = page.above(line);
  if (above && line.text.trim() !== '' && !/^\s*-/.test(line.text) && /^\s*$/.test(line.text.slice(0, column))) {
    const end = above.start + above.text.trimEnd().length;
    const message = 'found two entries without a comma between them';
    if (/[^,{[]$/.test(above.text.trimEnd())) {
      yield { start: at, end: at + 1, message, edits: [{ start: end, end, text: ',' }], isGuess: true };
    }
  }
  const ways = [...bare(line.text).matchAll(/(?<=[^\s,:{[])\s+(?=[\w.]+:\s)/g)];
  for (const { index, 0: gap } of ways) {
    if (index + gap.length < column) continue;
    const start = line.start + index;
    const end = start + gap.length;
    const edits: readonly Replacement[] = [{ start, end: start, text: ',' }];
    const key = /^[\w.]+/.exec(line.text.slice(index + gap.length))?.[0] ?? '';
    const rest = line.text.slice(index + gap.length + key.length);
    // Otherwise a text with a colon inside.
    const isKey = /[\]}]$/.test(line.text.slice(0, index)) || /^:\s*[{[]/.test(rest) || isUsed(key, page);
    if (!isKey) continue;
    const message = 'found two entries without a comma between them';
    yield { start: end, end: end + key.length, message, edits };
  }
}

/** Whether a word is a key in more than one place. */
function isUsed(word: string, { text }: Page): boolean {
  const keys = text.matchAll(new RegExp(String.raw`(?<![\w.])${word.replaceAll('.', String.raw`\.`)}:\s`, 'g'));
  return keys.take(2).toArray().length > 1;
}

/** `{ phone.type: voip and phone.valid: false }` */
function* andBetween({ start: at }: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(at);
  for (const { index, 0: found } of bare(line.text).matchAll(/\s+(and|&&|AND)\s+(?=[\w-]+(\.[\w-]+)+:\s)/g)) {
    const start = line.start + index;
    const end = start + found.length;
    const message = 'found "and" between two tests; those of one map must all hold, and are separated by commas';
    yield { start: start + found.search(/\S/), end: end - 1, message, edits: [{ start, end, text: ', ' }] };
  }
}
