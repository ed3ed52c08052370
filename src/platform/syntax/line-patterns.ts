/** A line with a common mistake -> the line as it was meant, by a table of patterns and what to write for them. */

import { count } from '../../text.ts';
import { amountsMeant } from '../files/numeral.ts';
import type { Replacement } from '../files/source.ts';
import type { SyntaxProblem } from './compose.ts';
import type { Guesser, Mistake } from './mistake.ts';
import { bare, type Line, linesNear, type Page, quote } from './page.ts';

/** A mistake that a pattern finds in lines, outside of texts in straight quotes and of comments. */
interface Pattern {
  /** Finds what is replaced. */
  readonly find: RegExp;
  /** What was found, then what was expected. */
  readonly message: string | ((found: string, more: string) => string);
  /** What is written for the match and its groups. */
  readonly write: (...found: readonly string[]) => string;
  /** Default: the corrected line. */
  readonly hint?: (written: string, found: string) => string;
  /** Where it is looked for: `near`, in the lines beside too. `everywhere`: if it is near, the whole text has it. */
  readonly lines?: 'near' | 'everywhere';
  /** Whether all places of a line are one mistake; they always are one everywhere. */
  readonly isTogether?: true;
  readonly isGuess?: (line: string) => boolean;
}

/** A pattern, or what it is in a text. */
type Row = Pattern | ((page: Page) => Pattern);

/** A space of Unicode that is not the plain one. */
const OTHER_SPACE = /[^\P{Zs} ]/u;

const SPACES = {
  message: (found: string, more: string) => {
    const name = found.includes('\u00a0') ? 'a no-break space' : 'a space that is not the plain one';
    return `found ${name}${more}; YAML treats it as a letter`;
  },
  write: (found = '') => (OTHER_SPACE.test(found) ? found.replace(/\p{Zs}/gu, ' ') : found),
  hint: () => 'write a plain space in its place',
};

const DASHES: Readonly<Record<string, string>> = { '–': 'an en dash', '—': 'an em dash', '−': 'a minus sign' };

const WIDE: Readonly<Record<string, string>> = {
  ...{ '：': ':', '，': ',', '、': ',', '；': ',' },
  ...{ '｛': '{', '｝': '}', '［': '[', '］': ']', '【': '[', '】': ']', '「': '"', '」': '"', '＂': '"' },
};

const DOUBLE = '“”„‟«»＂"';
const SINGLE = "‘’‚‛'";

const CHARACTERS: readonly Row[] = [
  {
    ...SPACES,
    find: /^\p{Zs}+|(?<=^\p{Zs}*(?:-\p{Zs}*)?(?:[\w.]+:|-)\p{Zs}*)\p{Zs}+/gu,
    lines: 'everywhere',
  },
  { ...SPACES, find: /(?<=^\p{Zs}*|[:,[{-]\p{Zs}*)\p{Zs}+|\p{Zs}+(?=[\]}])/gu, lines: 'near' },
  {
    find: /(?<=^\s*)(?:[–—−‒―‐‑•·●▪]|\*(?=\s))\s*/g,
    message: ([sign = '']) => `found ${DASHES[sign] ?? `"${sign}"`}; an entry of a list begins with a hyphen, "- "`,
    write: (found = '') => `-${found.slice(1) || ' '}`,
    lines: 'everywhere',
  },
  {
    find: new RegExp(`([${Object.keys(WIDE).join('')}])( ?)`, 'g'),
    message: ([sign = '']) => `found a full-width "${sign}"; YAML has a plain "${WIDE[sign]}"`,
    write: (_, sign = '', space = '') => `${WIDE[sign]}${/[：，、；]/.test(sign) ? ' ' : space}`,
    lines: 'near',
    isTogether: true,
  },
  {
    // A text between quotes, at least one of which is not straight.
    find: new RegExp(
      `(?<=^\\s*|[:,[{]\\s*|-\\s+)(?:[${DOUBLE}]([^${DOUBLE}]*)[${DOUBLE}]|` +
        `[${SINGLE}]([^${DOUBLE}${SINGLE}]*)[${SINGLE}])(?=\\s*(?:[:,\\]}]|$|\\s#))`,
      'g',
    ),
    message: 'found typographic quotes; YAML has straight ones, " or \'',
    write: (found = '', double = '', single = '') => (/^(["']).*\1$/.test(found) ? found : quote(double || single)),
    lines: 'near',
    isTogether: true,
  },
];

const WORD = String.raw`[A-Za-z_][\w.-]*`;
/** Before a key: the beginning of a line or of an entry in braces. */
const BEFORE_KEY = String.raw`(?:^\s*(?:-\s+)*|[{,]\s*)`;

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ '>': 'above', '>=': 'atLeast', '=>': 'atLeast', '<': 'below', '<=': 'atMost', '=<': 'atMost' },
  ...{ '!=': 'isNot', '<>': 'isNot' },
};
const OPERATOR = '(=>|>=|=<|<=|<>|!=|>|<)';
const VALUE = String.raw`([^\s,:{}[\]][^,:{}[\]]*?)(?=\s*(?:[,}]|$))`;

const COMMA_IN_NUMBER = {
  message: 'found a comma in a number; a comma ends a value inside { } and [ ]',
  hint: (written: string) => `write ${written}`,
};

/** What is written for a cell that says nothing: in a table of tests, `~`. */
function nothingIn({ text }: Page): { readonly word: string; readonly meaning: string } {
  if (/^tests:/m.test(text)) return { word: '~', meaning: 'a cell that is left out is `~`' };
  return { word: 'any', meaning: 'a cell that tests nothing is `any`' };
}

function emptyCells(page: Page): Pattern {
  const { word, meaning } = nothingIn(page);
  const none = word === 'any' ? ', one without a value `none`' : '';
  return {
    find: /(?<=[[,])\s*(?=,)/g,
    message: `found nothing between two commas; ${meaning}${none}`,
    write: () => ` ${word}`,
    isGuess: () => true,
  };
}

function signsAlone(page: Page): Pattern {
  const { word, meaning } = nothingIn(page);
  return {
    find: /(?<=[[,]\s*)[-*](?=\s*[,\]])/g,
    message: `found a sign alone in place of a value; ${meaning}`,
    write: () => word,
    isTogether: true,
    // In a list of values that may not be what was meant.
    isGuess: (line) => !/^\s*-\s+\[/.test(line),
  };
}

const SIGNS: readonly Row[] = [
  {
    find: /(?<=^\s*|[{,]\s*)\*(?=\s*:(?:\s|$))/g,
    message: 'found a star that is not in quotes',
    write: () => '"*"',
  },
  {
    find: new RegExp(String.raw`(?<=[{,]\s*)${OPERATOR}\s*:?\s*${VALUE}`, 'g'),
    message: describeOperator,
    write: (_, sign = '', value = '') => `${OPERATORS[sign]}: ${value}`,
    isTogether: true,
  },
  {
    // The path of a fact has a dot.
    find: new RegExp(String.raw`(?<=${BEFORE_KEY})([\w-]+(?:\.[\w-]+)+)\s*:?\s*${OPERATOR}\s*${VALUE}`, 'g'),
    message: describeOperator,
    write: (_, path = '', sign = '', value = '') => `${path}: { ${OPERATORS[sign]}: ${value} }`,
    isTogether: true,
  },
  signsAlone,
  emptyCells,
  {
    find: /(?<=^\s*)-(?=[A-Za-z{[])/g,
    message: 'found a hyphen without a space after it; an entry of a list begins with "- "',
    write: () => '- ',
    lines: 'near',
  },
  {
    find: /(?<=^|\s)\/\//g,
    message: 'found "//"; a comment begins with "#"',
    write: () => '#',
    lines: 'near',
  },
  {
    find: /(?<=[\]}"'])#/g,
    message: 'found "#" without a space before it; a comment begins with " #"',
    write: () => ' #',
    lines: 'near',
  },
  {
    // As in JSON.
    find: /(?<!^\s*[[{].*),$/g,
    message: 'found a comma at the end of the line; outside of { } and [ ] nothing is separated by commas',
    write: () => '',
  },
  {
    find: new RegExp(String.raw`(?<=${BEFORE_KEY})${WORD}:(?=\S)`, 'g'),
    message: (key: string) => `found no space after the colon of "${key.slice(0, -1)}"; a key ends in ": "`,
    write: (key = '') => `${key} `,
  },
  {
    find: new RegExp(String.raw`(?<=${BEFORE_KEY}${WORD})\s*={1,3}\s*(?=[^=\s])`, 'g'),
    message: 'found "=" after a key; a key ends in ": "',
    write: () => ': ',
  },
  {
    find: /\s+(?:and|&&|AND)\s+(?=[\w-]+(\.[\w-]+)+:\s)/g,
    message: 'found "and" between two tests; those of one map must all hold, and are separated by commas',
    write: () => ', ',
  },
  {
    find: /(?<=\{[^{}]*[^\s;{]\s*);(?=\s*[\w.-]+:\s)/g,
    message: 'found ";" between two entries; those of one map are separated by commas',
    write: () => ',',
    isTogether: true,
  },
  {
    // After a bracket, or before one: elsewhere it may be a text with a colon inside.
    find: /(?<=[\]}])\s+[\w.]+:(?=\s)|(?<=[^\s,:{[])\s+[\w.]+:(?=\s*[{[])/g,
    message: 'found two entries without a comma between them',
    write: (found = '') => `,${found}`,
  },
  {
    find: /(?<=[:,[{]\s*)\(([^()]*,[^()]*)\)/g,
    message: 'found a list in round brackets; a list is written in square brackets',
    write: (_, items = '') => `[${items}]`,
  },
  {
    find: /(?<=[{,]\s*(?:all|any|of|in|notIn|tags|values):\s+)([\w.$-]+(?:\s*,\s*[\w.$-]+)+)(?=\s*\})/g,
    message: 'found several values without brackets; a list is written in square brackets',
    write: (_, items = '') => `[${items}]`,
  },
  {
    // A message, in which braces are something else, may be meant.
    find: /(?<=[:,[]\s*)\$\{\s*([A-Za-z][\w-]*)\s*\}/g,
    message: 'found braces around a parameter; outside of a message it is written $name',
    write: (_, name = '') => `$${name}`,
    isGuess: () => true,
  },
  {
    ...COMMA_IN_NUMBER,
    find: /(?<=[\s:[])[+-]?[1-9]\d{0,2}(?:,\d{3}){2,}(?![\d,])/g,
    write: (found = '') => found.replaceAll(',', ''),
  },
  {
    // A thousand, or one in a language with decimal commas.
    ...COMMA_IN_NUMBER,
    find: /(?<=[\s:[])[+-]?[1-9]\d{0,2},\d{3}(?![\d,])/g,
    write: (found = '') => found.replace(',', ''),
    hint: (written, found) => `write ${written}, or ${amountsMeant(found).at(-1)} if the comma is a decimal one`,
    isGuess: () => true,
  },
  {
    ...COMMA_IN_NUMBER,
    find: /(?<=[\s:[])[+-]?[1-9]\d{0,2}(?:\.\d{3})+,\d+(?![\d,])/g,
    write: (found = '') => amountsMeant(found).join(),
  },
  {
    ...COMMA_IN_NUMBER,
    find: /(?<=[\s:[])[+-]?\d+,\d+(?![\d,])/g,
    write: (found = '') => found.replace(',', '.'),
  },
];

function describeOperator(found: string): string {
  const [sign] = /[<>=!]+/.exec(found) ?? [];
  return `found the sign ${sign}; operators are words`;
}

function* findPattern(row: Row, problem: SyntaxProblem, page: Page): Iterable<Mistake> {
  const pattern = typeof row === 'function' ? row(page) : row;
  const near = pattern.lines ? linesNear(problem, page) : [page.lineAt(problem.start)];
  const found = near.map((line) => placesIn(line, pattern));
  if (pattern.lines === 'everywhere') {
    if (found.every((places) => places.length === 0)) return;
    const places = page.structural.flatMap((line) => placesIn(line, pattern));
    yield* mistakeOf(places, pattern, page);
    return;
  }
  for (const places of found) {
    const possible = places.filter(({ start, end }) => {
      return problem.code !== 'DOUBTFUL_ENTRY' || (start < problem.end && problem.start < end);
    });
    const together = pattern.isTogether && possible.length > 0 ? [possible, places] : [];
    for (const several of together) yield* mistakeOf(several, pattern, page);
    for (const place of possible) yield* mistakeOf([place], pattern, page);
  }
}

/** Where a pattern is found, and what is written there. */
interface Found extends Replacement {
  readonly found: string;
}

function placesIn({ text, start: lineStart }: Line, { find, write }: Pattern): readonly Found[] {
  const structure = bare(text).trimEnd();
  return [...structure.matchAll(new RegExp(find, `${find.flags}d`))].flatMap(({ index, indices = [] }) => {
    // Groups of the line itself: in what is matched, texts in quotes are masked.
    const groups = indices.map((span) => (span ? text.slice(...span) : ''));
    const [found = ''] = groups;
    const [start, end] = [lineStart + index, lineStart + index + found.length];
    const written = write(...groups);
    return written === found ? [] : [{ start, end, found, text: written }];
  });
}

function* mistakeOf(places: readonly Found[], pattern: Pattern, page: Page): Iterable<Mistake> {
  const [first] = places;
  if (!first) return;
  const { message, hint, isGuess } = pattern;
  const { found } = first;
  const line = page.lineAt(first.start);
  const others = new Set(places.map(({ start }) => page.lineAt(start).index)).size - 1;
  const more = others > 0 ? `, here and in ${count(others, 'more line')}` : '';
  const lead = found.trim() === '' ? 0 : found.length - found.trimStart().length;
  yield {
    start: first.start + lead,
    end: first.start + Math.max(lead + 1, found.trimEnd().length),
    message: typeof message === 'string' ? message : message(found, more),
    ...(hint ? { hint: hint(first.text, found) } : {}),
    edits: places.map(changeOf),
    isGuess: isGuess?.(line.text) ?? false,
  };
}

/** The part that changes: the rest may have a mistake of its own, with a fix that may not overlap this one. */
function changeOf({ start, end, found, text }: Found): Replacement {
  const least = Math.min(found.length, text.length);
  let same = 0;
  while (same < least && found[same] === text[same]) same++;
  let sameAtEnd = 0;
  while (sameAtEnd < least - same && found.at(-1 - sameAtEnd) === text.at(-1 - sameAtEnd)) sameAtEnd++;
  return { start: start + same, end: end - sameAtEnd, text: text.slice(same, text.length - sameAtEnd) };
}

const guesserOf =
  (row: Row): Guesser =>
  (problem, page) =>
    findPattern(row, problem, page);

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

/** Characters that look like those of YAML and are others. */
export const CHARACTER_GUESSERS: readonly Guesser[] = [tabs, ...CHARACTERS.map(guesserOf)];

/** Signs and words of other languages, and keys, entries and comments without their space. */
export const SIGN_GUESSERS: readonly Guesser[] = SIGNS.map(guesserOf);
