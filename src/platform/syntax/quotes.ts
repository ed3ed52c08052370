/** Quotes that are not closed, or closed too early by a quote of the text; escapes that YAML does not have. */

import type { Replacement } from '../files/source.ts';
import type { Composed, SyntaxProblem } from './compose.ts';
import type { Guesser, Mistake } from './mistake.ts';
import { type Page, quote } from './page.ts';

export const QUOTE_GUESSERS: readonly Guesser[] = [unclosedQuotes, escapes, quotesInside, closingQuoteAlone, starAlone];

const NOT_CLOSED = 'found a text without its closing quote on this line';

/** A text is rarely meant to go on in the next line; its line shows where it may end. */
function* unclosedQuotes(problem: SyntaxProblem, page: Page, { longTexts }: Composed): Iterable<Mistake> {
  for (const { start } of longTexts) {
    if (start > problem.start) return;
    const line = page.lineAt(start);
    const end = line.start + line.text.trimEnd().length;
    const mark = page.text[start] ?? '';
    const rest = page.text.slice(start, end);
    const place = { start, end, message: NOT_CLOSED, correctsUpTo: line.index };
    // A typographic quote at the end is the closing one.
    const curly = /[“”„‟‘’]\s*[\]},]*$/.exec(rest);
    if (curly) {
      const at = start + curly.index;
      yield { ...place, edits: [{ start: at, end: at + 1, text: mark }] };
    }
    const ends = endsOf(rest).map(
      (length): Replacement => ({ start: start + length, end: start + length, text: mark }),
    );
    for (const edit of ends)
      yield { ...place, edits: [edit], isGuess: mark === "'" || (ends.length > 1 && rest.includes(',')) };
  }
}

/** Where a text without its closing quote may end: before the next key, before the closing brackets, at the end. */
function endsOf(rest: string): readonly number[] {
  const keys = [...rest.matchAll(/\s*,\s*[\w.]+:\s/g)].map(({ index }) => index);
  const brackets = [...(/[\s\]},]*$/.exec(rest)?.[0] ?? '')].map((_, i, all) => rest.length - all.length + i);
  const places = [...keys, ...brackets.filter((at) => rest[at - 1] !== ' '), rest.length];
  return [...new Set(places)].filter((at) => at > 1);
}

/** A text in quotes that has such quotes inside, or goes on after them. */
function* quotesInside({ start: at }: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(at);
  const before = line.text.slice(0, at - line.start);
  const [, head = '', mark = ''] = /^(.*?(?:^|[:,[{]\s*|-\s+))(["'])(?:(?!\2).)*\2?[^,\]}]*$/.exec(before) ?? [];
  if (mark === '') return;
  const start = line.start + head.length;
  const rest = line.text.slice(head.length).trimEnd();
  const ends = [...rest.matchAll(new RegExp(`${mark}(?=\\s*([,}\\]]|$))`, 'g'))].map(({ index }) => index + 1);
  const candidates = [...ends.filter((end) => start + end > at), rest.length];
  for (const length of new Set(candidates)) {
    const written = rest.slice(0, length);
    const isWhole = written.length > 1 && written.endsWith(mark);
    const text = isWhole ? written.slice(1, -1) : written;
    yield {
      start: at,
      end: start + length,
      message: `found a text after the closing quote; write the other quotes around a text with ${mark} inside`,
      edits: [{ start, end: start + length, text: quote(text) }],
      isGuess: !isWhole,
    };
  }
}

/** `"\d"`: a pattern is written between single quotes. */
function* escapes({ code, start: at }: SyntaxProblem, page: Page): Iterable<Mistake> {
  if (code !== 'BAD_DQ_ESCAPE') return;
  const line = page.lineAt(at);
  const column = at - line.start;
  for (const { index, 0: found } of line.text.matchAll(/"(?:[^"\\]|\\.)*"/g)) {
    if (index > column || index + found.length <= column) continue;
    const start = line.start + index;
    yield {
      start: at,
      end: at + 2,
      message: 'found a backslash that begins no escape; between single quotes it is a character like any other',
      edits: [{ start, end: start + found.length, text: `'${found.slice(1, -1).replaceAll("'", "''")}'` }],
      isGuess: /\\["\\]/.test(found),
    };
  }
}

/** `Solent"` */
function* closingQuoteAlone({ code, start, end }: SyntaxProblem, { text }: Page): Iterable<Mistake> {
  const quoted = text.slice(start, end);
  if (code !== 'DOUBTFUL_ENTRY' || !/^[^"\n]*"$/.test(quoted)) return;
  const message = 'found a closing quote without the opening one';
  const edits = [{ start, end, text: quote(quoted.slice(0, -1)) }];
  // Of several words, the last ones may be meant to be in quotes.
  yield { start, end, message, edits, isGuess: /\s/.test(quoted) };
}

/** `*: sourceFailed`: all facts, as a key. */
function* starAlone({ start: at }: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(at);
  for (const { index } of line.text.matchAll(/(?<=^\s*|[{,]\s*)\*(?=\s*:(?:\s|$))/g)) {
    const start = line.start + index;
    const end = start + 1;
    yield { start, end, message: 'found a star that is not in quotes', edits: [{ start, end, text: '"*"' }] };
  }
}
