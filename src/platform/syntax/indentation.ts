/** Lines whose indentation differs from the lines they belong to, and entries of a list without their hyphen. */

import { count } from '../../text.ts';
import type { Replacement } from '../files/source.ts';
import { linesNear } from './characters.ts';
import type { SyntaxProblem } from './compose.ts';
import type { Guesser, Mistake } from './mistake.ts';
import { indentOf, keyColumn, type Line, type Page, saysSomething } from './page.ts';

export const INDENTATION_GUESSERS: readonly Guesser[] = [noHyphen, indentation];

/** `id: b` below the hyphen of `- id: a`, with the lines of its map indented further. */
function* noHyphen({ start: at, code }: SyntaxProblem, page: Page): Iterable<Mistake> {
  const line = page.lineAt(at);
  const [key] = /(?<=^\s*)[\w.]+(?=:(\s|$))/.exec(line.text) ?? [];
  if (key === undefined) return;
  const start = line.start + indentOf(line);
  const place = { start, end: start + key.length };
  const message = 'found an entry of a list without its hyphen; each entry begins with "- "';
  const siblings = page.lines.slice(0, line.index).filter((each) => /^\s*-\s/.test(each.text));
  const hasSiblingAt = (column: number) => siblings.some((each) => indentOf(each) === column);
  if (hasSiblingAt(indentOf(line))) yield { ...place, message, edits: [{ start, end: start, text: '- ' }] };
  const hyphen = indentOf(line) - 2;
  if (code !== 'DOUBTFUL_ENTRY' || !hasSiblingAt(hyphen)) return;
  yield { ...place, message, edits: [{ start: start - 2, end: start, text: '- ' }] };
}

/** Moves a line, alone or with the deeper ones below it, to where lines above it begin. */
function* indentation(problem: SyntaxProblem, page: Page): Iterable<Mistake> {
  const [above, ...rest] = linesNear(problem, page);
  const lines = above && above.start < page.lineAt(problem.start).start ? [...rest, above] : [above, ...rest];
  const ways = lines.flatMap((line) => (line ? waysToMove(line, page) : []));
  for (const { line, column, like, edits } of ways) {
    const start = line.start + indentOf(line);
    const indent = indentOf(line);
    const number = like.index + 1;
    const foundLine = indent === 0 ? 'a line that is not indented' : `a line indented by ${count(indent, 'space')}`;
    yield {
      start,
      end: Math.max(start + 1, line.start + line.text.trimEnd().length),
      message: `found ${foundLine}; keys of one map, or entries of one list, start in the same column`,
      hint: `${column === 0 ? 'do not indent it' : `indent it by ${count(column, 'space')}`}, as line ${number}`,
      edits,
      movesLines: true,
      correctsUpTo: Math.max(line.index, page.lineAt(problem.start).index),
      isGuess: Math.abs(column - indent) > SMALL_STEP,
      // A column that is much further away is rarely intended.
      rivals: ways.flatMap((way) => {
        const isNear = Math.abs(way.column - indent) <= Math.abs(column - indent) + 1;
        return way.line === line && way.column !== column && isNear ? [way.edits] : [];
      }),
    };
  }
}

/** A line that is further off may have been meant otherwise. */
const SMALL_STEP = 2;

interface Way {
  readonly line: Line;
  /** Where the line then begins. */
  readonly column: number;
  /** A line that begins there. */
  readonly like: Line;
  readonly edits: readonly Replacement[];
}

/** The nearest column first. */
function waysToMove(line: Line, page: Page): readonly Way[] {
  const indent = indentOf(line);
  const isEntry = /^\s*-\s/.test(line.text);
  const columns = new Map<number, Line>();
  let least = Number.POSITIVE_INFINITY;
  // The lines above that are still open here.
  for (let each = page.above(line); each && least > 0; each = page.above(each)) {
    if (indentOf(each) >= least) continue;
    least = indentOf(each);
    columns.set(least, each);
    if (!isEntry) columns.set(keyColumn(each), each);
  }
  columns.delete(indent);
  const nearest = [...columns].sort(([a], [b]) => Math.abs(a - indent) - Math.abs(b - indent));
  return nearest.flatMap(([column, like]) =>
    [[line, ...page.deeper(line)], [line]].map((moved) => ({
      line,
      column,
      like,
      edits: move(moved, column - indent),
    })),
  );
}

function move(lines: readonly Line[], by: number): readonly Replacement[] {
  return lines
    .filter(saysSomething)
    .map(({ start }) => (by > 0 ? { start, end: start, text: ' '.repeat(by) } : { start, end: start - by, text: '' }));
}
