/** A text of an answer that lists several values -> these values, or the one of them that a mapping names. */

import { trimWhiteSpace } from '../../../text.ts';

/** How one text is taken apart. */
export interface SplitMapping {
  /** What stands between the values; white space stands for any amount of it. */
  readonly separator: string;
  /** Which of the values counts, from 1; undefined for all of them. */
  readonly part: number | undefined;
}

/** No signal lists more values; what does is an attack or an accident. */
const MAX_PIECES = 10_000;

/** Undefined where it cannot be taken apart, or has no such part. One separator at the end separates nothing, and a number is one value. */
export function splitEntry(entry: unknown, { separator, part }: SplitMapping): readonly unknown[] | undefined {
  if (typeof entry !== 'string' && typeof entry !== 'number') return undefined;
  const pieces = typeof entry === 'string' ? piecesOf(entry, separator) : [entry];
  if (pieces.length > MAX_PIECES) return undefined;
  if (part === undefined) return pieces;
  return part <= pieces.length ? [pieces[part - 1]] : undefined;
}

function piecesOf(text: string, separator: string): readonly string[] {
  const isWhiteSpace = trimWhiteSpace(separator) === '';
  const pieces = trimWhiteSpace(text).split(isWhiteSpace ? /\s+/ : separator, MAX_PIECES + 2);
  const told = pieces.map(trimWhiteSpace);
  return told.length > 1 && told.at(-1) === '' ? told.slice(0, -1) : told;
}
