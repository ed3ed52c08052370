/** Mistakes that take more than a pattern: of quotes, of keys without a colon, of texts without quotes, of columns. */

import { count } from '../../text.ts';
import type { Replacement } from '../files/source.ts';
import type { Composed, SyntaxProblem } from './compose.ts';
import type { Guesser, Mistake } from './mistake.ts';
import { bare, indentOf, keyColumn, type Line, linesNear, type Page, quote } from './page.ts';

export const QUOTE_GUESSERS: readonly Guesser[] = [unclosedQuotes, escapes, quotesInside, closingQuoteAlone];

export const KEY_AND_VALUE_GUESSERS: readonly Guesser[] = [
  valueBelowKey,
  noColon,
  commaInText,
  textBeforeHash,
  textOfLine,
  textInBraces,
  indentation,
];

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

const WORD = String.raw`[A-Za-z_][\w.-]*`;

function insert(at: number, text: string): Replacement {
  return { start: at, end: at, text };
}

/** `id:` with its value alone on the next line, no deeper than the key. */
function* valueBelowKey({ start: at }: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(at);
  const above = page.above(line);
  if (!above || !/:\s*$/.test(above.text) || keyColumn(above) !== indentOf(line) || /:(\s|$)/.test(line.text)) return;
  const start = above.start + above.text.trimEnd().length;
  yield {
    start: at,
    end: line.start + line.text.trimEnd().length,
    message: 'found a value below its key, and no deeper; a value is written after its key',
    edits: [{ start, end: line.start + indentOf(line), text: ' ' }],
  };
}

function* noColon({ start: at, code }: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(at);
  const text = bare(line.text);
  const message = 'found no colon after the key; a key ends in ": "';
  // In braces: `{ phone.type voip }`, `{ phone.score { above: 50 } }`.
  const inFlow = new RegExp(String.raw`(?<=[{,]\s*)(${WORD})(\s+[^\s:,{}\[\]]+\s*(?=[,}])|\s*(?=[{[]))`, 'g');
  for (const { index, 1: key = '' } of text.matchAll(inFlow)) {
    const start = line.start + index;
    if (code === 'DOUBTFUL_ENTRY' && start !== at) continue;
    // `{ owner: Fraud, team 2 }`: the comma may be part of the text before it.
    if (AFTER_TEXT.test(text.slice(0, index)) && !key.includes('.')) continue;
    yield { start, end: start + key.length, message, edits: [insert(start + key.length, ':')] };
  }
  // On a line of its own: `then review`, `rules`, `when { phone.type: voip }`.
  const [, lead, key, rest = ''] = new RegExp(String.raw`^(\s*(?:-\s+)*)(${WORD})(\s+.*)?$`).exec(text.trimEnd()) ?? [];
  if (lead === undefined || key === undefined || /^[^{["]*:(\s|$)/.test(rest)) return;
  const start = line.start + lead.length;
  const end = start + key.length;
  const above = page.above(line);
  // A text that goes on in the next line must be indented further than its key.
  const mayGoOn =
    above !== undefined && rest !== '' && !lead.includes('-') && /:\s+[A-Za-z"'][^{}[\]]*\s[^{}[\]]*$/.test(above.text);
  if (mayGoOn) {
    yield {
      start,
      end: line.start + text.trimEnd().length,
      message: 'found a line without a key; a text that goes on in the next line is indented further than its key',
      hint: 'indent the line further if it belongs to the text above, or write a key with a colon',
      edits: [insert(line.start, '  ')],
      isGuess: true,
    };
  }
  if (lead.includes('-') && rest === '') {
    const name = /^tests:/m.test(page.text) ? 'name' : 'id';
    const found = `found an entry without a key; its name belongs under \`${name}\``;
    yield { start, end, message: found, edits: [insert(start, `${name}: `)], isGuess: true };
  }
  yield { start, end, message, edits: [insert(end, ':')] };
}

/** A value that is neither a number, nor true or false, nor ends in a quote or bracket, and a comma. */
const AFTER_TEXT = /:\s+(?!(?:[-+\d.]+|true|false)\s*,)[^,:{}[\]"']+,\s*$/;

/** The key of a line and its value up to the end of the line or its comment. */
const KEY_AND_VALUE = /^(\s*(?:-\s+)*["']?[\w.]+["']?:\s+)(\S.*)$/;

const NEEDS: readonly (readonly [RegExp, string])[] = [
  [
    /^(\{[\w.$ ]+\}|\[[^[\]:,]*\])\s*[^\s,}\]]/,
    'found a text after a closing bracket; a text that begins with a bracket needs quotes',
  ],
  [/^[%@`*&!?,|>]/, 'found a text that begins with a special character; such a text needs quotes'],
  [/^-\s/, 'found a text that begins with a hyphen and a space; such a text needs quotes'],
  [/^[^{[]+\{[\w.$ ]+\}/, 'found braces inside a text; inside { } such a text needs quotes'],
  [/^[^{[].*:(\s|$)/, 'found a colon inside a text; a text with a colon and a space after it needs quotes'],
];

/** `message: Risk: high`, `message: {phone.type} is risky`. */
function* textOfLine(problem: SyntaxProblem, page: Page): Iterable<Mistake> {
  // A value that can be read as a map may be intended as one; the caller decides.
  if (problem.code === 'DOUBTFUL_ENTRY') return;
  const line = page.lineAt(problem.start);
  const [, head, written] = KEY_AND_VALUE.exec(line.text) ?? [];
  if (head === undefined || written === undefined || /^["']/.test(written)) return;
  const text = written.replace(/\s+#.*$/, '').trimEnd();
  yield* inQuotes(text, line, head.length);
}

const BRACKETS = String.raw`(?:[^,{}[\]]*\{[\w.$ ]+\}|\[[^[\]]*\])`;
const PLAIN = String.raw`[^,{}[\]]*[^,\s{}[\]]`;
/** The key and the value of an entry in braces; the value may have a placeholder, or begin with brackets. */
const VALUE_IN_BRACES = new RegExp(String.raw`(?<=[{,]\s*)([\w.]+:\s+)(${BRACKETS}(?:${PLAIN})?|${PLAIN})`, 'g');

/** The same inside braces, where a value ends at a comma. */
function* textInBraces(problem: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(problem.start);
  const column = problem.start - line.start;
  const text = bare(line.text);
  for (const { index, 1: head = '', 2: written = '' } of text.matchAll(VALUE_IN_BRACES)) {
    if (index > column || index + head.length + written.length < column) continue;
    for (const mistake of inQuotes(written, line, index + head.length)) {
      // What has a colon inside may be an entry of its own.
      yield { ...mistake, isGuess: /:\s|^\W\d/.test(written) };
    }
  }
}

function* inQuotes(text: string, line: Line, column: number): Iterable<Mistake> {
  const need = NEEDS.find(([sign]) => sign.test(text));
  // Half a pair of brackets is rarely part of a text.
  if (!need || text.split('{').length !== text.split('}').length) return;
  const start = line.start + column;
  const end = start + text.length;
  yield {
    start,
    end,
    message: need[1],
    edits: [{ start, end, text: quote(line.text.slice(column, column + text.length)) }],
  };
}

/** `{ message: Hello, you }`: what is after the comma is an entry without a colon. */
function* commaInText({ code, start: at, end }: SyntaxProblem, page: Page): Iterable<Mistake> {
  if (code !== 'DOUBTFUL_ENTRY') return;
  const line = page.lineAt(at);
  const before = line.text.slice(0, at - line.start);
  const text = /[\w.]+:\s+([^\s"'{}[\]:][^"'{}[\]:]*),\s*$/.exec(before);
  if (!text) return;
  const start = line.start + text.index + text[0].indexOf(text[1] ?? '', text[0].indexOf(':'));
  const close =
    /^[^{}[\]"':]*?(?=\s*(?:[}\]]|,\s*[\w.]+:\s))/.exec(line.text.slice(at - line.start))?.[0] ??
    page.text.slice(at, end);
  const wholeText = page.text.slice(start, at + close.length);
  const message = 'found a comma in a text; a comma ends a value inside { } and [ ], so such a text needs quotes';
  const place = { start, end: at + close.length };
  const [, key, value] = /^([A-Za-z_]\w*)\s+(\S+)$/.exec(close) ?? [];
  const other = key && {
    hint: `write \`${quote(wholeText)}\`, or \`${key}: ${value}\` if it is a key`,
    isGuess: true,
  };
  yield { ...place, message, edits: [{ ...place, text: quote(wholeText) }], ...other };
}

/** `message: Number #1 is risky`: what is after the `#` is a comment. */
function* textBeforeHash({ code, start, end: endOfText }: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(start);
  const end = line.start + line.text.trimEnd().length;
  if (code !== 'DOUBTFUL_ENTRY' || !/^ #[^\s#]/.test(page.text.slice(endOfText, end))) return;
  const text = quote(page.text.slice(start, end));
  yield {
    start: endOfText + 1,
    end,
    message: 'found a comment after a text; " #" begins a comment',
    hint: `write \`${text}\` if it belongs to the text, and a space after the # if it does not`,
    edits: [{ start, end, text }],
    isGuess: true,
  };
}

/** A line in a column in which no line begins that it may belong to: one that is off by a space, or by a few. */
function* indentation(problem: SyntaxProblem, page: Page): Iterable<Mistake> {
  for (const line of linesNear(problem, page)) {
    const indent = indentOf(line);
    const columns = openColumns(line, page);
    if (columns.has(indent)) continue;
    const place = { start: line.start + indent, end: line.start + line.text.trimEnd().length };
    const found = indent === 0 ? 'a line that is not indented' : `a line indented by ${count(indent, 'space')}`;
    const message = `found ${found}; keys of one map, or entries of one list, start in the same column`;
    const ways = [...columns].map(([column, { index }]) => ({
      column,
      index,
      by: Math.abs(column - indent),
      edits: [{ start: line.start, end: line.start + indent, text: ' '.repeat(column) }],
    }));
    for (const { column, index, by, edits } of ways.sort((a, b) => a.by - b.by)) {
      yield {
        ...place,
        message,
        hint: `${column === 0 ? 'do not indent it' : `indent it by ${count(column, 'space')}`}, as line ${index + 1}`,
        edits,
        correctsUpTo: Math.max(line.index, page.lineAt(problem.start).index),
        isGuess: by > 1,
        rivals: ways.filter((way) => way.column !== column && way.by <= by + 1).map((way) => way.edits),
      };
    }
  }
}

/** The columns in which a line may begin, each with a line above that begins there and is still open. */
function openColumns(line: Line, page: Page): ReadonlyMap<number, Line> {
  const columns = new Map<number, Line>();
  let least = Number.POSITIVE_INFINITY;
  for (let each = page.above(line); each && least > 0; each = page.above(each)) {
    if (indentOf(each) >= least) continue;
    least = indentOf(each);
    columns.set(least, each);
    if (!/^\s*-\s/.test(line.text)) columns.set(keyColumn(each), each);
  }
  return columns;
}
