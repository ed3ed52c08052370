/** A text that lists several values -> the values, or the one that a mapping asks for. */

import { trimWhiteSpace } from '../../../text.ts';

/** How one text is split. */
export interface SplitMapping {
  /** The text between the values; a separator of white space matches any amount of white space. */
  readonly separator: string;
  /** Which value counts, from 1; undefined for all values. */
  readonly part: number | undefined;
}

/** No signal lists more values; a longer list is an attack or an accident. */
const MAX_PIECES = 10_000;

/** Undefined if the entry cannot be split or lacks the part. A last separator is ignored; a number is one value. */
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
  const trimmed = pieces.map(trimWhiteSpace);
  return trimmed.length > 1 && trimmed.at(-1) === '' ? trimmed.slice(0, -1) : trimmed;
}
