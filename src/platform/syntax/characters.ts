/** Characters that look like those of YAML and are others: tabs, spaces, dashes, quotes, full-width signs. */

import { count } from '../../text.ts';
import type { Replacement } from '../files/source.ts';
import type { SyntaxProblem } from './compose.ts';
import type { Guesser, Mistake } from './mistake.ts';
import { type Line, type Page, quote, quotedSpans } from './page.ts';

export const CHARACTER_GUESSERS: readonly Guesser[] = [tabs, spaces, dashes, wideSigns, curlyQuotes];

/** How wide people see a tab. */
const TAB_WIDTHS = [2, 4, 8];

function* tabs(problem: SyntaxProblem, page: Page): Iterable<Mistake> {
  const isTabbed = ({ text }: Line) => /^\s*\t/.test(text);
  if (!linesNear(problem, page).some(isTabbed)) return;
  const tabbed = page.structural.filter(isTabbed);
  const [first] = tabbed;
  if (!first) return;
  const width = (line: string, tab: number) =>
    [...line].reduce((column, each) => (each === '\t' ? column + tab - (column % tab) : column + 1), 0);
  const ways = TAB_WIDTHS.map((tab) =>
    tabbed.map(({ start, text }): Replacement => {
      const indentation = /^\s*/.exec(text)?.[0] ?? '';
      return { start, end: start + indentation.length, text: ' '.repeat(width(indentation, tab)) };
    }),
  );
  const at = first.start + first.text.indexOf('\t');
  const others = tabbed.length > 1 ? `, here and in ${count(tabbed.length - 1, 'more line')}` : '';
  for (const edits of ways) {
    const [{ text: indentation } = { text: '' }] = edits;
    yield {
      start: at,
      end: at + 1,
      message: `found a tab in the indentation${others}; YAML indents with spaces`,
      hint:
        tabbed.length > 1 ? 'replace the tabs by spaces' : `indent the line by ${count(indentation.length, 'space')}`,
      edits,
      rivals: ways.filter((way) => way !== edits),
    };
  }
}

/** A space of Unicode that is not the plain one. */
const OTHER_SPACE = /[^\P{Zs} ]/u;

function* spaces(problem: SyntaxProblem, page: Page): Iterable<Mistake> {
  const near = linesNear(problem, page);
  if (!near.some(({ text }) => OTHER_SPACE.test(text))) return;
  const edits = page.structural.flatMap((line) => {
    const places = near.some(({ index }) => index === line.index)
      ? /(?<=^[\p{Zs}]*|[:,[{-]\p{Zs}*)\p{Zs}+|\p{Zs}+(?=[\]}])/gu
      : /^\p{Zs}+|(?<=^\p{Zs}*(?:-\p{Zs}*)?(?:[\w.]+:|-)\p{Zs}*)\p{Zs}+/gu;
    return editsOf(line, places, (found) => (OTHER_SPACE.test(found) ? found.replace(/\p{Zs}/gu, ' ') : undefined));
  });
  const [first] = edits;
  if (!first) return;
  const at = first.start + page.text.slice(first.start, first.end).search(OTHER_SPACE);
  const lines = new Set(edits.map(({ start }) => page.lineAt(start).index)).size;
  const others = lines > 1 ? `, here and in ${count(lines - 1, 'more line')}` : '';
  const name = page.text[at] === '\u00a0' ? 'a no-break space' : 'a space that is not the plain one';
  yield {
    start: at,
    end: at + 1,
    message: `found ${name}${others}; YAML treats it as a letter`,
    hint: lines > 1 ? 'replace them by plain spaces' : 'replace it by a plain space',
    edits,
  };
}

const DASHES: Readonly<Record<string, string>> = { '–': 'an en dash', '—': 'an em dash', '−': 'a minus sign' };

function* dashes(problem: SyntaxProblem, page: Page): Iterable<Mistake> {
  const DASH = /(?<=^\s*)(?:[–—−‒―‐‑•·●▪]|\*(?=\s))\s*/g;
  if (!linesNear(problem, page).some(({ text }) => text.search(DASH) >= 0)) return;
  const edits = page.structural.flatMap((line) => editsOf(line, DASH, (found) => `-${found.slice(1) || ' '}`));
  const [first] = edits;
  if (!first) return;
  const sign = page.text[first.start] ?? '';
  yield {
    start: first.start,
    end: first.start + 1,
    message: `found ${DASHES[sign] ?? `"${sign}"`}; an entry of a list begins with a hyphen, "- "`,
    edits,
  };
}

const WIDE: Readonly<Record<string, string>> = {
  ...{ '：': ':', '，': ',', '、': ',', '；': ',' },
  ...{ '｛': '{', '｝': '}', '［': '[', '］': ']', '【': '[', '】': ']', '「': '"', '」': '"', '＂': '"' },
};

function* wideSigns(problem: SyntaxProblem, page: Page): Iterable<Mistake> {
  const SIGN = new RegExp(`[${Object.keys(WIDE).join('')}] ?`, 'g');
  const isDoubtful = problem.code === 'DOUBTFUL_ENTRY';
  for (const line of isDoubtful ? [page.lineAt(problem.start)] : linesNear(problem, page)) {
    const edits = editsOf(line, SIGN, (found) => {
      const sign = WIDE[found[0] ?? ''] ?? '';
      return /[:,]/.test(sign) ? `${sign} ` : sign + found.slice(1);
    });
    const [first] = edits;
    if (!first) continue;
    const sign = page.text[first.start] ?? '';
    const message = `found a full-width "${sign}"; YAML has a plain "${WIDE[sign]}"`;
    const inside = edits.filter(({ start, end }) => problem.start <= start && end <= problem.end);
    const [at] = inside;
    if (isDoubtful && at) yield { start: at.start, end: at.start + 1, message, edits: inside };
    yield { start: first.start, end: first.start + 1, message, edits };
    // Those in a text are part of it: the first alone may be the mistake.
    if (edits.length > 1) yield { start: first.start, end: first.start + 1, message, edits: [first] };
  }
}

const DOUBLE = '“”„‟«»＂"';
const SINGLE = "‘’‚‛'";
/** A text between quotes, at least one of which is not straight. */
const CURLY = new RegExp(
  `(?<=^\\s*|[:,[{]\\s*|-\\s+)(?:[${DOUBLE}][^${DOUBLE}]*[${DOUBLE}]|[${SINGLE}][^${DOUBLE}${SINGLE}]*[${SINGLE}])` +
    '(?=\\s*(?:[:,\\]}]|$|\\s#))',
  'g',
);

function* curlyQuotes(problem: SyntaxProblem, page: Page): Iterable<Mistake> {
  for (const line of linesNear(problem, page)) {
    const edits = [...line.text.matchAll(CURLY)].flatMap(({ 0: found, index }): Replacement[] => {
      const start = line.start + index;
      const isStraight = /^(["']).*\1$/.test(found);
      return isStraight ? [] : [{ start, end: start + found.length, text: quote(found.slice(1, -1)) }];
    });
    const [first] = edits;
    if (!first) continue;
    const message = 'found typographic quotes; YAML has straight ones, " or \'';
    yield { start: first.start, end: first.end, message, edits, correctsUpTo: line.index };
  }
}

/** The line of a problem and those beside it that say something: the parser may notice late. */
export function linesNear({ start }: SyntaxProblem, page: Page): readonly Line[] {
  const line = page.lineAt(start);
  return [page.above(line), line, page.below(line)].filter((each) => each !== undefined);
}

/** Edits of what matches outside straight quotes; `correct` gives undefined for what is right. */
function editsOf(line: Line, places: RegExp, correct: (found: string) => string | undefined): readonly Replacement[] {
  const spans = quotedSpans(line.text);
  return [...line.text.matchAll(places)].flatMap(({ 0: found, index }) => {
    const isQuoted = spans.some(({ start, end }) => start < index && index < end);
    const text = isQuoted ? undefined : correct(found);
    return text === undefined ? [] : [{ start: line.start + index, end: line.start + index + found.length, text }];
  });
}
