/** How two texts of a file differ -> a table of lines, with what was there and what is there now. */

import type { Child } from '../../../report/html/markup.ts';
import { p } from '../../../report/html/markup.ts';
import { codeValue } from '../../../report/html/parts/phrases.ts';
import { table } from '../../../report/html/parts/table.ts';
import { RELEASES } from '../words/releases.ts';

/** A line of a difference, and where it is in the text that has it, from 1. */
export interface ComparedLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly line: number;
  readonly text: string;
  /** Whether the file ends with it, without a line end. */
  readonly isLast?: boolean;
}

/** How two texts differ, in the order of the file. `left`: the lines that are left out; undefined for too many. */
export interface TextDifference {
  readonly parts: readonly (readonly ComparedLine[])[];
  readonly left: number | undefined;
}

/** `id`: of its captions on the page, which name the file. */
export function differencePart(id: string, path: string, { parts, left }: TextDifference): Child {
  if (left === undefined) return p(RELEASES.tooDifferent);
  const tables = parts.map((lines, i) =>
    table({
      ...{ id: `${id}-${i + 1}`, caption: RELEASES.around(path, lines[0]?.line ?? 1), columns: RELEASES.lineColumns },
      ...{ kinds: ['number'], width: 'line' },
      rows: lines.map(({ kind, line, text, isLast }) => [
        line,
        RELEASES.lineKinds[kind],
        [codeValue(text), isLast ? ` ${RELEASES.lastLine}` : undefined],
      ]),
    }),
  );
  return [tables, left > 0 ? p(RELEASES.linesLeft(left)) : undefined];
}
