/** Texts that need quotes, since they have a colon, a comma or a sign of YAML; numbers with commas. */

import type { SyntaxProblem } from './compose.ts';
import type { Guesser, Mistake } from './mistake.ts';
import { bare, type Line, type Page, quote } from './page.ts';

export const VALUE_GUESSERS: readonly Guesser[] = [commaInside, textBeforeHash, textOfLine, textInBraces];

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

const ENDS_VALUE = 'a comma ends a value inside { } and [ ]';

/** `{ above: 1,000 }`, `{ message: Hello, you }`: what is after the comma is an entry without a colon. */
function* commaInside({ code, start: at, end }: SyntaxProblem, page: Page): Iterable<Mistake> {
  if (code !== 'DOUBTFUL_ENTRY') return;
  const line = page.lineAt(at);
  const before = line.text.slice(0, at - line.start);
  const rest = page.text.slice(at, end);
  const number = /[\s:[]([+-]?\d+),$/.exec(before);
  const [groups] = /^\d+(,\d+)*/.exec(line.text.slice(at - line.start)) ?? [];
  if (number && groups !== undefined) {
    const [, digits = ''] = number;
    const start = at - digits.length - 1;
    const isThousands = /^[+-]?[1-9]\d{0,2}(,\d{3})+$/.test(`${digits},${groups}`);
    // 1,000 is a thousand, or one in a language with decimal commas.
    const isGuess = isThousands && !groups.includes(',');
    const meant = isThousands ? digits + groups.replaceAll(',', '') : `${digits}.${groups}`;
    const hint = isGuess ? `write ${meant}, or ${digits}.${groups} if the comma is a decimal one` : `write ${meant}`;
    const message = `found a comma in a number; ${ENDS_VALUE}`;
    const place = { start, end: at + groups.length };
    yield { ...place, message, hint, edits: [{ ...place, text: meant }], isGuess };
    return;
  }
  const list = /\(([^()]*)\)/.exec(line.text.slice(0, line.text.indexOf(')', at - line.start) + 1));
  if (list && line.start + list.index < at) {
    const start = line.start + list.index;
    const message = 'found a list in round brackets; a list is written in square brackets';
    yield {
      start,
      end: start + list[0].length,
      message,
      edits: [{ start, end: start + list[0].length, text: `[${list[1]}]` }],
    };
  }
  const text = /[\w.]+:\s+([^\s"'{}[\]:][^"'{}[\]:]*),\s*$/.exec(before);
  if (text) {
    const start = line.start + text.index + text[0].indexOf(text[1] ?? '', text[0].indexOf(':'));
    const close = /^[^{}[\]"':]*?(?=\s*(?:[}\]]|,\s*[\w.]+:\s))/.exec(line.text.slice(at - line.start))?.[0] ?? rest;
    const wholeText = page.text.slice(start, at + close.length);
    const message = `found a comma in a text; ${ENDS_VALUE}, so such a text needs quotes`;
    const place = { start, end: at + close.length };
    const [, key, value] = /^([A-Za-z_]\w*)\s+(\S+)$/.exec(close) ?? [];
    const other = key && {
      hint: `write \`${quote(wholeText)}\`, or \`${key}: ${value}\` if it is a key`,
      isGuess: true,
    };
    yield { ...place, message, edits: [{ ...place, text: quote(wholeText) }], ...other };
  }
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
