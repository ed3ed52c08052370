/** An outline -> text for a terminal. */

import { groupedCount, printable } from '../../text.ts';
import {
  type Block,
  EVERYONE,
  FOR_OLD,
  type Group,
  NO_EXAMPLE,
  OUTCOME_STYLES,
  type Styler,
  type Table,
  type Words,
} from '../outline.ts';
import { tableLines } from './columns.ts';

/** The blocks, with an empty line between them. Control characters in texts from outside are escaped. */
export function textOf(blocks: readonly Block[], style: Styler): string {
  return `${blocks.map((block) => linesOf(block, style).join('\n')).join('\n\n')}\n`;
}

function linesOf(block: Block, style: Styler): readonly string[] {
  switch (block.is) {
    case 'heading':
      return [style('bold', plain(block.of))];
    case 'paragraph':
      return [wordsOf(block.of, style)];
    case 'list':
      return itemsOf(block.items, block.most, style);
    case 'lines':
      return [style('bold', plain(block.title)), ...block.of.map((line) => `  ${wordsOf(line, style)}`)];
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

/** A wider cell continues on the next line. */
const CELL_WIDTH = 60;

/** A table under its titles, without the columns in which every cell is empty. */
function titledLines({ columns, rows }: Pick<Table, 'columns' | 'rows'>, style: Styler): readonly string[] {
  const cells = rows.map((row) => row.map(plain));
  const isShown = columns.map((_, i) => cells.some((row) => row[i] !== ''));
  const shown = [columns.map(printable), ...cells].map((row) => row.filter((_, i) => isShown[i]));
  const [head = '', ...lines] = tableLines(shown, CELL_WIDTH);
  return [style('dim', head), ...lines];
}

/** A table that has no other form, and below it how many rows it has. */
export function countedTable(table: Pick<Table, 'columns' | 'rows'>, words: string, style: Styler): string {
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
  if (words.mark === 'names') return printable(words.of.join(', '));
  const text = printable(words.of);
  switch (words.mark) {
    case 'strong':
      return style('bold', text);
    case 'soft':
      return style('dim', text);
    case 'place':
      return style('dim', ` (${text})`);
    case 'outcome':
      return style(OUTCOME_STYLES[words.of], text);
    case 'code':
      return text;
  }
}

/** Words without styles. */
export function plain(words: Words): string {
  return wordsOf(words, (_, text) => text);
}

function groupLines({ changes, conditions, counted, example }: Group, style: Styler): readonly string[] {
  const such = example.length > 0 ? `such as ${example.join(FOR_OLD)}` : NO_EXAMPLE;
  return [
    ...(changes
      ? [style('bold', printable(changes.title)), ...changes.lines.map((line) => `  ${printable(line)}`)]
      : []),
    ...(conditions.length > 0 ? conditions : [EVERYONE]).map((each) => `  ${printable(each)}`),
    ...(counted === undefined ? [] : [`  ${groupedCount(counted, 'real applicant')}`]),
    style('dim', `  ${printable(such)}`),
  ];
}
