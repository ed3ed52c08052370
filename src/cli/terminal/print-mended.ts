/** The problems that `verdict check --fix` mended -> a line for each edit, and their number. */

import type { Mended } from '../../policy/check/fix-files.ts';
import { count, printable } from '../../text.ts';

/** `rules/a.yaml:7:22: mended[unknown-operator]: >= is now atLeast`. */
export function printMended(mended: readonly Mended[]): string {
  const lines = mended.flatMap(({ diagnostic: { file, code, fix = [] }, replaced }) =>
    fix.map(({ start, text }, i) => {
      const place = `${printable(file)}:${start.line}:${start.column}`;
      return `${place}: mended[${code}]: ${changeWords(replaced[i] ?? '', text)}\n`;
    }),
  );
  return lines.length === 0 ? '' : `${lines.join('')}${count(mended.length, 'problem')} mended\n\n`;
}

function changeWords(before: string, after: string): string {
  if (before === '') return `added ${show(after)}`;
  return after === '' ? `removed ${show(before)}` : `${show(before)} is now ${show(after)}`;
}

function show(text: string): string {
  return printable(text.trim() === '' ? JSON.stringify(text) : text.trim());
}
