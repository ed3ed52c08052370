/** Rows of cells -> lines of text, each column as wide as its widest cell; or CSV. */

import { printableLines } from '../../text.ts';
import type { Styler } from '../outline.ts';
import { padTo, widthOf } from './width.ts';

/** A wider cell continues on the next line. */
const CELL_WIDTH = 46;

/** The lines; a column without any text is left out. */
export function tableLines(rows: readonly (readonly string[])[], cellWidth = CELL_WIDTH): readonly string[] {
  const lines = rows.flatMap((row): string[][] => {
    const cells = row.map((cell) => wrapWords(cell, cellWidth));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, i) => cells.map((cell) => cell[i] ?? ''));
  });
  const columns = lines.reduce((most, line) => Math.max(most, line.length), 0);
  const widths = Array.from({ length: columns }, (_, i) =>
    lines.reduce((widest, line) => Math.max(widest, widthOf(line[i] ?? '')), 0),
  );
  const shown = widths.map((width, i) => ({ width, i })).filter(({ width }) => width > 0);
  return lines.map((line) => `  ${shown.map(({ width, i }) => padTo(line[i] ?? '', width)).join('  ')}`.trimEnd());
}

/** Rows of facts, path first -> a section for each group of paths. A row without a path belongs to the one above. */
export function factSections(rows: readonly (readonly [path: string, ...string[]])[], style: Styler): string[][] {
  const sections = new Map<string, string[]>();
  const lines = tableLines(rows, Number.POSITIVE_INFINITY);
  let group = '';
  for (const [i, [path]] of rows.entries()) {
    if (path !== '') group = path.split('.')[0] ?? '';
    const section = sections.get(group) ?? [style('bold', group)];
    section.push(lines[i] ?? '');
    sections.set(group, section);
  }
  return [...sections.values()];
}

/** A text in lines, broken between words; all lines but the first are indented. */
export function wrapWords(text: string, width: number, indent = '  '): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(lines.length === 0 ? word : `${indent}${word}`);
  }
  return lines;
}

/** Rows as CSV (RFC 4180); the first are the titles. */
export function csvText(rows: readonly (readonly (string | number)[])[]): string {
  return rows
    .map((cells) => `${cells.map((cell) => (typeof cell === 'number' ? cell : csvCell(cell))).join(',')}\r\n`)
    .join('');
}

/**
 * A cell of CSV. A text that a spreadsheet would run as a formula gets an apostrophe in front: the author of a policy
 * or a log must not run code at its reader (OWASP, "CSV Injection").
 */
function csvCell(text: string): string {
  const harmless = printableLines(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
