/** Two texts of a file -> the lines that differ, with some around them. */

import { structuredPatch } from 'diff';
import type { ComparedLine, TextDifference } from '../../parts/difference.ts';

/** So many lines are shown around each difference, and of a file at most. */
const [AROUND, MOST_SHOWN] = [2, 300];
/** Texts that differ in more lines are not compared: of 10,000 lines this many take 72 ms, four times as many 1 s. */
const MOST_DIFFERENT = 1000;

export function differenceOf(before: string, now: string): TextDifference {
  const options = { context: AROUND, maxEditLength: MOST_DIFFERENT };
  const patch = structuredPatch('', '', before, now, undefined, undefined, options);
  if (!patch) return { parts: [], left: undefined };
  let shown = 0;
  const parts = patch.hunks.map(({ oldStart, newStart, lines }) => {
    let [old, next] = [oldStart, newStart];
    const compared = lines.flatMap((line, i): ComparedLine[] => {
      const [sign, text] = [line.slice(0, 1), line.slice(1)];
      // `\ No newline at end of file` is said of the line before.
      if (sign === '\\') return [];
      const end = lines[i + 1]?.startsWith('\\') ? { isLast: true } : {};
      if (sign === '-') return [{ kind: 'removed', line: old++, text, ...end }];
      if (sign !== '+') old += 1;
      return [{ kind: sign === '+' ? 'added' : 'same', line: next++, text, ...end }];
    });
    const fitting = compared.slice(0, Math.max(0, MOST_SHOWN - shown));
    shown += compared.length;
    return fitting;
  });
  return { parts: parts.filter((part) => part.length > 0), left: Math.max(0, shown - MOST_SHOWN) };
}
