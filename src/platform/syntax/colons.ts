/** Keys without a colon, or without the space after it; commas and comments that YAML reads otherwise. */

import { isScalar, visit } from 'yaml';
import { nearest } from '../../text.ts';
import type { Replacement } from '../files/source.ts';
import { linesNear } from './characters.ts';
import type { Composed, SyntaxProblem } from './compose.ts';
import type { Guesser, Mistake } from './mistake.ts';
import { bare, indentOf, keyColumn, type Page } from './page.ts';

export const COLON_GUESSERS: readonly Guesser[] = [
  noSpaceAfterDash,
  commentSigns,
  commaAtEnd,
  noSpaceAfterColon,
  equalsSign,
  valueBelowKey,
  noColon,
];

const WORD = String.raw`[A-Za-z_][\w.-]*`;

function insert(at: number, text: string): Replacement {
  return { start: at, end: at, text };
}

function* noSpaceAfterDash(problem: SyntaxProblem, page: Page): Iterable<Mistake> {
  for (const line of linesNear(problem, page)) {
    const [, indentation] = /^(\s*)-(?=[A-Za-z{[])/.exec(line.text) ?? [];
    if (indentation === undefined) continue;
    const start = line.start + indentation.length;
    const message = 'found a hyphen without a space after it; an entry of a list begins with "- "';
    yield { start, end: start + 1, message, edits: [insert(start + 1, ' ')] };
  }
}

function* commentSigns(problem: SyntaxProblem, page: Page): Iterable<Mistake> {
  for (const line of linesNear(problem, page)) {
    const slashes = /(?:^|\s)(\/\/)/.exec(bare(line.text));
    if (slashes) {
      const start = line.start + slashes.index + slashes[0].length - 2;
      const message = 'found "//"; a comment begins with "#"';
      yield { start, end: start + 2, message, edits: [{ start, end: start + 2, text: '#' }] };
    }
    const at = line.text.search(/(?<=[\]}"'])#/);
    const start = line.start + at;
    const message = 'found "#" without a space before it; a comment begins with " #"';
    if (at >= 0) yield { start, end: start + 1, message, edits: [insert(start, ' ')] };
  }
}

/** As in JSON. */
function* commaAtEnd({ start: at }: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(at);
  const [, comma = ''] = /(,\s*)$/.exec(bare(line.text)) ?? [];
  if (comma === '' || /^\s*[[{]/.test(line.text)) return;
  const start = line.start + line.text.length - comma.length;
  const message = 'found a comma at the end of the line; outside of { } and [ ] nothing is separated by commas';
  yield { start, end: start + 1, message, edits: [{ start, end: start + 1, text: '' }] };
}

function* noSpaceAfterColon({ start: at, code }: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(at);
  const inFlow = new RegExp(String.raw`(?<=[{,]\s*)${WORD}:(?=\S)`, 'g');
  const inBlock = new RegExp(String.raw`(?<=^\s*(?:-\s+)*)${WORD}:(?=[^\s])`, 'g');
  for (const pattern of [inBlock, inFlow]) {
    for (const { index, 0: found } of bare(line.text).matchAll(pattern)) {
      const start = line.start + index;
      const end = start + found.length;
      if (code === 'DOUBTFUL_ENTRY' && start !== at) continue;
      const message = `found no space after the colon of "${found.slice(0, -1)}"; a key ends in ": "`;
      yield { start, end, message, edits: [insert(end, ' ')] };
    }
  }
}

function* equalsSign({ start: at, code }: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(at);
  const pattern = new RegExp(String.raw`(?<=(?:^\s*(?:-\s+)*|[{,]\s*)${WORD})\s*={1,3}\s*(?=[^=\s])`, 'g');
  for (const { index, 0: found } of bare(line.text).matchAll(pattern)) {
    const start = line.start + index;
    if (code === 'DOUBTFUL_ENTRY' && start < at) continue;
    const sign = start + found.indexOf('=');
    const message = 'found "=" after a key; a key ends in ": "';
    yield { start: sign, end: sign + 1, message, edits: [{ start, end: start + found.length, text: ': ' }] };
  }
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

function* noColon({ start: at, code }: SyntaxProblem, page: Page, { contents }: Composed): Iterable<Mistake> {
  const line = page.lineAt(at);
  const text = bare(line.text);
  const message = 'found no colon after the key; a key ends in ": "';
  // In braces: `{ phone.type voip }`, `{ phone.score { above: 50 } }`.
  const inFlow = new RegExp(String.raw`(?<=[{,]\s*)(${WORD})(\s+[^\s:,{}\[\]]+\s*(?=[,}])|\s*(?=[{[]))`, 'g');
  for (const { index, 1: key = '' } of text.matchAll(inFlow)) {
    const start = line.start + index;
    if (code === 'DOUBTFUL_ENTRY' && start !== at) continue;
    // `{ owner: Fraud, team 2 }`: the comma may be part of the text before it.
    if (AFTER_TEXT.test(text.slice(0, index)) && !key.includes('.') && !isKeyBeside(key, start, contents)) continue;
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
  yield { start, end, message, edits: [insert(end, ':')] };
}

/** A value that is neither a number, nor true or false, nor ends in a quote or bracket, and a comma. */
const AFTER_TEXT = /:\s+(?!(?:[-+\d.]+|true|false)\s*,)[^,:{}[\]"']+,\s*$/;

/** Whether a word is, or is near, a key that the map around `at` lacks and a map with other keys of it has. */
function isKeyBeside(word: string, at: number, contents: Composed['contents']): boolean {
  const maps: string[][] = [];
  let ownKeys: readonly string[] = [];
  visit(contents, {
    Map(_, { items, range }) {
      const keys = items.flatMap(({ key }) => (isScalar(key) ? [String(key.value)] : []));
      maps.push(keys);
      // A map is visited before the maps in it.
      if (range && range[0] < at && at < range[1]) ownKeys = keys;
    },
  });
  const alike = maps.filter((keys) => keys.some((key) => ownKeys.includes(key)));
  const lacking = new Set(alike.flat()).difference(new Set(ownKeys));
  return lacking.has(word) || nearest(word, lacking) !== undefined;
}
