/** A source and what its YAML composes to -> the same with its slips mended, each reported with its mended line. */

import { applyEdits, type Replacement, type Source } from '../files/source.ts';
import { BRACKET_GUESSERS } from './brackets.ts';
import { emptyCells, signsAlone } from './cells.ts';
import { CHARACTER_GUESSERS } from './characters.ts';
import { COLON_GUESSERS } from './colons.ts';
import { comparisons } from './comparisons.ts';
import { type Composed, composeText, MAX_DEPTH, type SyntaxProblem } from './compose.ts';
import { doubtfulEntries } from './doubtful.ts';
import { INDENTATION_GUESSERS } from './indentation.ts';
import { MendedSource } from './mended-source.ts';
import { Page } from './page.ts';
import { QUOTE_GUESSERS } from './quotes.ts';
import type { Guesser, Slip } from './slip.ts';
import { VALUE_GUESSERS } from './values.ts';
import { NOT_READ, wordsFor } from './words.ts';

/** Further slips of one file are noise. */
const MAX_SLIPS = 10;
/** How many characters of mended texts are read to find what was meant: about a second. */
const MOST_READ = 2_000_000;
/** Nobody writes longer lines by hand; on these, what was meant is not guessed. */
const LONGEST_LINE = 2_000;

/** What is left of a likelier kind is seldom of a less likely one. */
const GUESSERS: readonly Guesser[] = [
  ...CHARACTER_GUESSERS,
  ...QUOTE_GUESSERS,
  comparisons,
  signsAlone,
  emptyCells,
  ...COLON_GUESSERS,
  ...BRACKET_GUESSERS,
  ...VALUE_GUESSERS,
  ...INDENTATION_GUESSERS,
];

/** A text that can be read. */
export interface Mended {
  readonly source: Source;
  readonly composed: Composed;
}

/**
 * Reports each slip and mends it, so that what follows can be read too. Undefined, with a diagnostic, if the text
 * cannot be read to its end.
 */
export function mendSlips(written: Source, first: Composed): Mended | undefined {
  const effort = { left: MOST_READ };
  let mended: Mended = { source: written, composed: first };
  let page = new Page(written.text);
  let doubtful = doubtfulEntries(first.contents).values();
  let passed = -1;
  for (let slips = 0; ; ) {
    const { source, composed } = mended;
    const [broken] = composed.problems;
    // The iterator of an array goes on where the last search ended.
    const problem = broken ?? doubtful.find(({ start }) => start > passed);
    if (!problem) return mended;
    const found = slips < MAX_SLIPS ? findSlip(problem, page, composed, effort) : undefined;
    if (found) {
      report(found, source, page);
      if (found.slip.movesLines && !found.isSure) return undefined;
      mended = {
        source: new MendedSource(source, found.slip.edits, found.isSure ? undefined : found.slip),
        composed: found.composed,
      };
      page = new Page(mended.source.text);
      doubtful = doubtfulEntries(found.composed.contents).values();
      slips++;
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
  readonly slip: Slip;
  readonly composed: Composed;
  /** Whether nothing else can be meant. */
  readonly isSure: boolean;
}

/** The first guess with which the text can be read further. */
function findSlip(problem: SyntaxProblem, page: Page, composed: Composed, effort: { left: number }): Found | undefined {
  if (effort.left <= 0) return;
  const line = page.lineAt(problem.start);
  if ([page.above(line), line, page.below(line)].some((each) => each && each.text.length > LONGEST_LINE)) return;
  const read = (edits: readonly Replacement[]): Composed | undefined => {
    effort.left -= page.text.length;
    return effort.left > 0 ? composeText(applyEdits(page.text, edits)) : undefined;
  };
  for (const guess of GUESSERS) {
    for (const slip of guess(problem, page, composed)) {
      const next = read(slip.edits);
      if (!next) return undefined;
      // A line that is moved to the wrong place only moves the problem to the lines below it.
      if (slip.movesLines && next.problems.length >= composed.problems.length) continue;
      if (!getsFurther(next, slip, problem, page)) continue;
      const isSure =
        !slip.isGuess &&
        (slip.rivals ?? []).every((edits) => {
          const other = read(edits);
          return other && (!getsFurther(other, { ...slip, edits }, problem, page) || isSame(other, next));
        });
      return { slip, composed: next, isSure };
    }
  }
  return undefined;
}

function getsFurther(next: Composed, slip: Slip, problem: SyntaxProblem, page: Page): boolean {
  const [broken] = next.problems;
  if (problem.code === 'DOUBTFUL_ENTRY') {
    const [first] = broken ? [broken] : doubtfulEntries(next.contents);
    return first === undefined || (!broken && first.start > problem.start);
  }
  if (!broken) return true;
  if (broken.code === 'TOO_DEEP') return false;
  const { index } = new Page(applyEdits(page.text, slip.edits)).lineAt(broken.start);
  return index > (slip.mendsUpTo ?? page.lineAt(problem.start).index);
}

/** Whether two texts say the same. */
function isSame(one: Composed, other: Composed): boolean {
  return JSON.stringify(one.contents) === JSON.stringify(other.contents);
}

function report({ slip, isSure }: Found, source: Source, page: Page): void {
  const { start, end, message, hint, edits } = slip;
  const isEnd = slip.movesLines && !isSure;
  const details = { hint: hint ?? `write \`${mendedLine(edits, page)}\``, fix: isSure ? edits : undefined };
  source.report(start, end, 'yaml-syntax', isEnd ? `${message}; ${NOT_READ}` : message, details);
}

/** As much of a line as a hint can show. */
const SHOWN = 100;

/** The line of the first edit as it was meant. */
function mendedLine(edits: readonly Replacement[], page: Page): string {
  const at = Math.min(...edits.map(({ start }) => start));
  const { index } = page.lineAt(at);
  const { text, start } = new Page(applyEdits(page.text, edits)).lines[index] ?? { text: '', start: at };
  const line = text.trim();
  if (line.length <= SHOWN) return line;
  const from = Math.max(0, at - start - SHOWN / 4);
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + SHOWN).trim()} …`;
}
