/** A source and what its YAML composes to -> the same with its mistakes corrected and reported. */

import { isMap, isScalar, isSeq, type ParsedNode, type Scalar, type YAMLMap } from 'yaml';
import type { DiagnosticCode, Edit } from '../../diagnostics.ts';
import { applyEdits, type Replacement, type Source } from '../files/source.ts';
import { SourceView } from '../files/source-view.ts';
import { type Composed, composeText, MAX_DEPTH, type SyntaxProblem } from './compose.ts';
import { KEY_AND_VALUE_GUESSERS, QUOTE_GUESSERS } from './keys-and-values.ts';
import { CHARACTER_GUESSERS, SIGN_GUESSERS } from './line-patterns.ts';
import type { Guesser, Mistake } from './mistake.ts';
import { Page } from './page.ts';

/** Further mistakes of one file are noise. */
const MAX_MISTAKES = 10;
/** How many characters of corrected texts are read to find what was meant: about a second. */
const MOST_READ = 2_000_000;
/** A problem takes the parser as long as so many characters. */
const READ_PER_PROBLEM = 250;
/** Nobody writes longer lines by hand; on these, what was meant is not guessed. */
const LONGEST_LINE = 2_000;

/** The likelier kinds first. */
const GUESSERS: readonly Guesser[] = [
  ...CHARACTER_GUESSERS,
  ...QUOTE_GUESSERS,
  ...SIGN_GUESSERS,
  ...KEY_AND_VALUE_GUESSERS,
];

/** A text that can be read. */
export interface Corrected {
  readonly source: Source;
  readonly composed: Composed;
}

/**
 * Reports each mistake and corrects it, so that what follows can be read too. Undefined, with a diagnostic, if the text
 * cannot be read to its end.
 */
export function correctSyntax(written: Source, first: Composed): Corrected | undefined {
  const effort = { left: MOST_READ };
  let corrected: Corrected = { source: written, composed: first };
  let page = new Page(written.text);
  let doubtful = doubtfulEntries(first.contents).values();
  let passed = -1;
  for (let mistakes = 0; ; ) {
    const { source, composed } = corrected;
    const [broken] = composed.problems;
    // The iterator of an array goes on where the last search ended.
    const problem = broken ?? doubtful.find(({ start }) => start > passed);
    if (!problem) return corrected;
    const guess = mistakes < MAX_MISTAKES ? findMistake(problem, page, composed, effort) : undefined;
    if (guess) {
      report(guess, source, page);
      corrected = {
        source: new CorrectedSource(source, guess.mistake.edits, guess.isSure ? undefined : guess.mistake),
        composed: guess.composed,
      };
      page = new Page(corrected.source.text);
      doubtful = doubtfulEntries(guess.composed.contents).values();
      mistakes++;
    } else if (broken?.code === 'TOO_DEEP') {
      source.report(broken.start, broken.end, 'too-deep', `nested more than ${MAX_DEPTH} levels deep`);
      return undefined;
    } else if (broken) {
      const { start, end, ...words } = wordsFor(broken, page, composed);
      source.report(start, end, 'yaml-syntax', words.message, words);
      return undefined;
    } else {
      passed = problem.start;
    }
  }
}

interface Found {
  readonly mistake: Mistake;
  readonly composed: Composed;
  /** Whether nothing else can be meant. */
  readonly isSure: boolean;
}

/** The first guess with which the text can be read further. */
function findMistake(
  problem: SyntaxProblem,
  page: Page,
  composed: Composed,
  effort: { left: number },
): Found | undefined {
  if (effort.left <= 0) return;
  const line = page.lineAt(problem.start);
  if ([page.above(line), line, page.below(line)].some((each) => each && each.text.length > LONGEST_LINE)) return;
  const read = (edits: readonly Replacement[]): Composed | undefined => {
    effort.left -= page.text.length + composed.problems.length * READ_PER_PROBLEM;
    return effort.left > 0 ? composeText(applyEdits(page.text, edits)) : undefined;
  };
  for (const guess of GUESSERS) {
    for (const mistake of guess(problem, page, composed)) {
      const next = read(mistake.edits);
      if (!next) return undefined;
      if (!getsFurther(next, mistake, problem, page)) continue;
      const isSure =
        !mistake.isGuess &&
        (mistake.rivals ?? []).every((edits) => {
          const other = read(edits);
          return other && (!getsFurther(other, { ...mistake, edits }, problem, page) || isSame(other, next));
        });
      return { mistake, composed: next, isSure };
    }
  }
  return undefined;
}

function getsFurther(next: Composed, mistake: Mistake, problem: SyntaxProblem, page: Page): boolean {
  const [broken] = next.problems;
  if (problem.code === 'DOUBTFUL_ENTRY') {
    const [first] = broken ? [broken] : doubtfulEntries(next.contents);
    return first === undefined || (!broken && first.start > problem.start);
  }
  if (!broken) return true;
  if (broken.code === 'TOO_DEEP') return false;
  const { index } = new Page(applyEdits(page.text, mistake.edits)).lineAt(broken.start);
  return index > (mistake.correctsUpTo ?? page.lineAt(problem.start).index);
}

/** Whether two texts say the same. */
function isSame(one: Composed, other: Composed): boolean {
  return JSON.stringify(one.contents) === JSON.stringify(other.contents);
}

function report({ mistake, isSure }: Found, source: Source, page: Page): void {
  const { start, end, message, hint, edits } = mistake;
  const details = { hint: hint ?? `write \`${correctedLine(edits, page)}\``, fix: isSure ? edits : undefined };
  source.report(start, end, 'yaml-syntax', message, details);
}

/** As much of a line as a hint can show. */
const SHOWN = 100;

/** The line of the first edit as it was meant. */
function correctedLine(edits: readonly Replacement[], page: Page): string {
  const at = Math.min(...edits.map(({ start }) => start));
  const { index } = page.lineAt(at);
  const { text, start } = new Page(applyEdits(page.text, edits)).lines[index] ?? { text: '', start: at };
  const line = text.trim();
  if (line.length <= SHOWN) return line;
  const from = Math.max(0, at - start - SHOWN / 4);
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + SHOWN).trim()} …`;
}

const NOT_READ = 'the rest of the file was not checked';

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
  'check the commas, quotes, brackets and indentation here and in the line above',
];

/** What to say of a problem, and where: of a text whose quote is missing at its beginning. */
function wordsFor({ start, end, code, message }: SyntaxProblem, page: Page, { longTexts }: Composed) {
  const text = code === 'MISSING_CHAR' && / quote$/.test(message) && longTexts.findLast((each) => each.start < end);
  if (text) {
    const line = page.lineAt(text.start);
    const found = `found a text without its closing quote on this line; ${NOT_READ}`;
    return { start: text.start, end: line.start + line.text.length, message: found, hint: 'close the quote' };
  }
  const [, bracket] = /end with a ([\]}])/.exec(message) ?? [];
  const unclosed = bracket && [`an entry that ends without its "${bracket}"`, 'close every bracket'];
  const [found, hint = ''] = unclosed || (WORDS[code] ?? OTHER);
  return { start, end, message: `found ${found}; ${NOT_READ}`, hint };
}

/** A part of a text, by offsets. */
type Part = Pick<Replacement, 'start' | 'end'>;

/** A text with edits. */
class CorrectedSource extends SourceView {
  readonly #written: Source;
  /** Sorted. */
  readonly #edits: readonly Replacement[];
  readonly #guessed: Part | undefined;

  /** `guessed`: the part of the written text whose meaning is a guess. */
  constructor(written: Source, edits: readonly Replacement[], guessed: Part | undefined) {
    super(written, applyEdits(written.text, edits));
    this.#written = written;
    this.#edits = edits.toSorted((a, b) => a.start - b.start);
    this.#guessed = guessed;
  }

  override get isGuessed(): boolean {
    return this.#guessed !== undefined || this.#written.isGuessed;
  }

  /** Problems of lines that were guessed may come from the guess, which is reported already. */
  override report(start: number, end: number, code: DiagnosticCode, ...about: [string, object?]): void {
    if (this.#isLineGuessed(this.lineAt(start))) this.reported.add(code);
    else super.report(start, end, code, ...about);
  }

  #isLineGuessed(line: number): boolean {
    const written = this.#written;
    if (written instanceof CorrectedSource && written.#isLineGuessed(line)) return true;
    if (!this.#guessed) return false;
    return written.lineAt(this.#guessed.start) <= line && line <= written.lineAt(this.#guessed.end);
  }

  /** None for a part that has edits already: the first fix comes first. */
  override editOf(replacement: Replacement): Edit | undefined {
    let shift = 0;
    for (const { start, end, text } of this.#edits) {
      const from = start + shift;
      if (from < replacement.end && replacement.start < from + text.length) return undefined;
      shift += text.length - (end - start);
    }
    return super.editOf(replacement);
  }

  protected override toWhole(offset: number): number {
    let shift = 0;
    for (const { start, end, text } of this.#edits) {
      const from = start + shift;
      if (offset < from) break;
      if (offset < from + text.length) return Math.min(start + offset - from, end);
      shift += text.length - (end - start);
    }
    return offset - shift;
  }
}

/** Finds them in the order of the text. */
function doubtfulEntries(root: ParsedNode | null): readonly SyntaxProblem[] {
  const problems: SyntaxProblem[] = [];
  visit(root, problems, NO_CONTEXT);
  return problems;
}

/** Where a node stands. */
interface Context {
  /** Whether it is an entry of a list. */
  readonly isEntry: boolean;
  /** Whether it is, or contains, a text for people. */
  readonly isProse: boolean;
  /** Whether it is between brackets. */
  readonly isFlow: boolean;
}

const NO_CONTEXT: Context = { isEntry: false, isProse: false, isFlow: false };

/** The keys of texts for people, in policies and mappings. */
const PROSE: ReadonlySet<unknown> = new Set(['message', 'description', 'notice']);

function visit(node: unknown, found: SyntaxProblem[], context: Context): void {
  if (isSeq(node)) {
    for (const item of node.items) visit(item, found, { isEntry: true, isProse: false, isFlow: node.flow === true });
  }
  if (isScalar(node) && node.range && node.type === 'PLAIN' && isDoubtfulValue(node, context)) {
    found.push({ start: node.range[0], end: node.range[1], code: 'DOUBTFUL_ENTRY', message: '' });
  }
  if (isMap(node)) visitMap(node, found, context);
}

function visitMap(node: YAMLMap, found: SyntaxProblem[], { isProse }: Context): void {
  for (const { key, value } of node.items) {
    if (isScalar(key) && key.range && (value === null || (key.type === 'PLAIN' && isDoubtful(key.source ?? '')))) {
      found.push({ start: key.range[0], end: key.range[1], code: 'DOUBTFUL_ENTRY', message: '' });
    }
    const isText = isProse || (isScalar(key) && PROSE.has(key.value));
    visit(value, found, { isEntry: false, isProse: isText, isFlow: node.flow === true });
  }
}

/** A key that begins like an entry of a list or a text in quotes, or has a bracket or a colon inside. */
function isDoubtful(key: string): boolean {
  return /^\/\/|^[-–—−‒―‐‑•·●▪“”„‟«‘’‚]|[{[｛［：]|:\p{Zs}/u.test(key);
}

/** A word with a comma, words with a full-width comma, a closing quote alone, or a text for people cut off by a `#`. */
function isDoubtfulValue({ source = '', comment }: Scalar, { isEntry, isProse, isFlow }: Context): boolean {
  if (!isEntry && !isFlow && /^\S+,$/.test(source)) return true;
  // Between letters of other scripts the full-width comma is the right one.
  if (isEntry && isFlow && /\w *[，、；] *\w/.test(source)) return true;
  // After a digit it may be the sign of inches.
  return /^[^"\n]*[^"\d]"$/.test(source) || (isProse && /^[^\s#]/.test(comment ?? ''));
}
