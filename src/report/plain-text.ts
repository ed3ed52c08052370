/** An outline, or rows of cells -> text for a terminal; rows -> CSV. */

import stringWidth from 'string-width';
import { count, groupedCount, printable, printableLines } from '../text.ts';
import {
  type Cells,
  CHECKED,
  EVERYONE,
  type Group,
  type GroupExample,
  joined,
  NO_EXAMPLE,
  OUTCOME_STYLES,
  type ReasonItem,
  type Styler,
  type Table,
  type TextBlock,
  WITHOUT_FACTS,
  type Words,
} from './outline.ts';

/** The blocks, with an empty line between them. Control characters in texts from outside are escaped. */
export function textOf(blocks: readonly TextBlock[], style: Styler): string {
  return `${blocks.map((block) => linesOf(block, style).join('\n')).join('\n\n')}\n`;
}

function linesOf(block: TextBlock, style: Styler): readonly string[] {
  switch (block.is) {
    case 'heading':
      return [style('bold', plain(block.of))];
    case 'paragraph':
      return [wordsOf(block.of, style)];
    case 'list':
      return itemsOf(block.items, block.most, style);
    case 'lines':
      return [style('bold', plain(block.title)), ...block.of.map((line) => `  ${wordsOf(line, style)}`)];
    case 'aside': {
      const { of, from, look } = block;
      const shown = of.map((line) => (look === 'warning' ? style('red', plain(line)) : wordsOf(line, style)));
      return from === undefined ? shown : [...shown, style('dim', `  ${plain(from)}`)];
    }
    case 'reasons':
      return block.of.flatMap((item) => reasonLines(item, style));
    case 'pairs':
      return tableLines(
        block.of.map(([name, words]) => [printable(name), wordsOf(words, style)]),
        Number.POSITIVE_INFINITY,
      );
    case 'table':
      return titledLines(block, style);
    case 'groups':
      return [block.groups.map((group) => groupLines(group, style).join('\n')).join('\n\n')];
    case 'folded':
      return [style('bold', printable(block.title)), '', textOf(block.of, style).trimEnd()];
  }
}

/** Blocks of a section: lines that are indented, without empty lines between them. */
export function sectionLines(blocks: readonly TextBlock[], style: Styler): readonly string[] {
  return blocks.flatMap((block) => {
    const lines = linesOf(block, style);
    return block.is === 'table' || block.is === 'pairs' ? lines : lines.map((line) => `  ${line}`);
  });
}

/** A longer line of a reason continues on the next line. */
const LINE_WIDTH = 100;

function reasonLines({ codes, words, from, on }: ReasonItem, style: Styler): readonly string[] {
  const head = codes.length === 0 ? '' : `${style('bold', printable(codes.join(', ')))}: `;
  const lineOf = (text: string, indent: string) => wrapWords(text, LINE_WIDTH, indent).map((line) => `  ${line}`);
  return [
    head + wordsOf(words, style),
    ...(from.length === 0 ? [] : lineOf(plain(joined(from, ', ')), '')),
    ...on.flatMap((each) => lineOf(`- ${plain(each)}`, '  ')).map((line) => style('dim', line)),
  ];
}

/** In a table under titles, a wider cell continues on the next line. */
const WIDE_CELL = 60;

/** A table under its titles, without the columns in which every cell is empty. */
function titledLines(
  { columns, rows, total }: Omit<Cells, 'is'> & Pick<Table, 'total'>,
  style: Styler,
): readonly string[] {
  const cells = [...rows, ...(total ? [total] : [])].map((row) => row.map(plain));
  const isShown = columns.map((_, i) => cells.some((row) => row[i] !== ''));
  const shown = [columns.map(printable), ...cells].map((row) => row.filter((_, i) => isShown[i]));
  const [head = '', ...lines] = tableLines(shown, WIDE_CELL);
  return [style('dim', head), ...lines];
}

/** A table that has no other form, and below it how many rows it has. */
export function countedTable(table: Omit<Cells, 'is'>, words: string, style: Styler): string {
  const lines = table.rows.length === 0 ? [] : [...titledLines(table, style), ''];
  return `${[...lines, style('dim', words)].join('\n')}\n`;
}

function itemsOf(items: readonly Words[], most = items.length, style: Styler): readonly string[] {
  const left = items.length - most;
  const more = left > 0 ? [`- and ${left} more: --json lists them`] : [];
  return [...items.slice(0, most).map((item) => `- ${wordsOf(item, style)}`), ...more];
}

/** Words with their styles. */
function wordsOf(words: Words, style: Styler): string {
  if (typeof words === 'string') return printable(words);
  if (!('mark' in words)) return words.map((each) => wordsOf(each, style)).join('');
  switch (words.mark) {
    case 'list':
      return words.of.map((each) => wordsOf(each, style)).join(', ');
    case 'soft':
      return style('dim', plain(words.of));
    case 'link':
    case 'shade':
      return wordsOf(words.of, style);
    case 'path':
      return '';
    case 'check':
      return style(words.state === 'broken' ? 'red' : 'bold', CHECKED[words.state]) + printable(`: ${words.of}`);
  }
  const text = printable(words.of);
  switch (words.mark) {
    case 'strong':
      return style('bold', text);
    case 'wrong':
      return style('red', text);
    case 'place':
      return style('dim', ` (${text})`);
    case 'outcome':
      return style(OUTCOME_STYLES[words.of], text);
    default:
      return text;
  }
}

/** Words without styles. */
export function plain(words: Words): string {
  return wordsOf(words, (_, text) => text);
}

function groupLines({ conditions, counted, example }: Group, style: Styler): readonly string[] {
  return [
    ...(conditions.length > 0 ? conditions : [EVERYONE]).map((each) => `  ${printable(each)}`),
    ...(counted === undefined ? [] : [`  ${groupedCount(counted, 'real applicant')}`]),
    ...exampleLines(example).map((line) => style('dim', `  ${line}`)),
  ];
}

function exampleLines(example: GroupExample | undefined): readonly string[] {
  if (!example) return [NO_EXAMPLE];
  const { facts, more } = example;
  if (facts.length === 0) return [`such as ${WITHOUT_FACTS}`];
  const rows = facts.map(([name, value]) => [printable(name), plain(value)]);
  const others = more > 0 ? [`  and ${count(more, 'other fact')}: --json has the whole line for evaluate`] : [];
  return ['such as', ...tableLines(rows, WIDE_CELL), ...others];
}

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

const GRAPHEMES = new Intl.Segmenter();

/** How many columns a text takes; escape sequences of colours take none. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** The text if it fits, or else its beginning with `mark` at the end. Cuts between graphemes. */
export function cutTo(text: string, width: number, mark = '…'): string {
  if (widthOf(text) <= width) return text;
  const room = width - widthOf(mark);
  let kept = '';
  let used = 0;
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += widthOf(segment);
    if (used > room) break;
    kept += segment;
  }
  return kept + mark;
}
