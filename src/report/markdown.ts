/** An outline -> Markdown, such as a comment on a pull request. */

import { count, grouped, printable } from '../text.ts';
import {
  type Block,
  EVERYONE,
  FOR_OLD,
  type Group,
  type GroupExample,
  type Groups,
  NO_EXAMPLE,
  strong,
  type Table,
  WITHOUT_FACTS,
  type Words,
} from './outline.ts';

/** The blocks, with an empty line between them. */
export function markdownOf(blocks: readonly Block[]): string {
  return `${blocks.map(blockOf).join('\n\n')}\n`;
}

function blockOf(block: Block): string {
  switch (block.is) {
    case 'heading':
      return `### ${wordsOf(block.of)}`;
    case 'paragraph':
      return wordsOf(block.of);
    case 'list':
      return itemsOf(block.items, block.most).join('\n');
    case 'lines':
      return `${wordsOf(block.title)}:\n\n${itemsOf(block.of).join('\n')}`;
    case 'aside':
      return [...block.of, block.from ?? []].map(wordsOf).join('\n\n');
    case 'reasons':
      return itemsOf(block.of.flatMap(({ words, on }) => [words, ...on])).join('\n');
    case 'pairs':
      return itemsOf(block.of.map(([name, words]) => [strong(name), ': ', words])).join('\n');
    case 'table':
      return tableOf(block);
    case 'groups':
      return groupsOf(block);
    case 'folded': {
      const content = markdownOf(block.of).trimEnd();
      return `<details>\n<summary>${textOf(block.title)}</summary>\n\n${content}\n\n</details>`;
    }
  }
}

function itemsOf(items: readonly Words[], most = items.length): readonly string[] {
  const left = items.length - most;
  const more = left > 0 ? [`- and ${left} more: --json lists them`] : [];
  return [...items.slice(0, most).map((item) => `- ${wordsOf(item)}`), ...more];
}

function wordsOf(words: Words): string {
  if (typeof words === 'string') return textOf(words);
  if (!('mark' in words)) return words.map(wordsOf).join('');
  switch (words.mark) {
    case 'strong':
    case 'wrong':
      return `**${textOf(words.of)}**`;
    case 'list':
      return words.of.map(wordsOf).join(', ');
    case 'soft':
    case 'link':
    case 'shade':
      return wordsOf(words.of);
    case 'code':
    case 'name':
    case 'fact':
      return codeOf(words.of);
    case 'path':
      return '';
    case 'place':
      return ` (${textOf(words.of)})`;
    default:
      return textOf(words.of);
  }
}

/** A table; what only a page says of it may be left out. */
export function tableOf({ columns, rows, total, numbersFrom = columns.length }: Omit<Table, 'is' | 'page'>): string {
  const ruler = columns.map((_, i) => (i < numbersFrom ? '---' : '---:'));
  return [columns.map(textOf), ruler, ...[...rows, ...(total ? [total] : [])].map((cells) => cells.map(wordsOf))]
    .map(rowOf)
    .join('\n');
}

function rowOf(cells: readonly string[]): string {
  return `|${cells.map((cell) => ` ${cell} |`).join('')}`;
}

/** A row for each group, in columns that some group has. */
function groupsOf({ groups }: Groups): string {
  const isCounted = groups.some(({ counted }) => counted !== undefined);
  const rowFor = ({ conditions, counted = 0, example }: Group) => [
    conditions.length > 0 ? conditions.map(textOf).join('<br>') : EVERYONE,
    ...(isCounted ? [grouped(counted)] : []),
    exampleCell(example),
  ];
  const titles = ['applicants', isCounted ? 'counted' : [], 'such as'].flat();
  const ruler = titles.map((title) => (title === 'counted' ? '---:' : '---'));
  return [titles, ruler, ...groups.map(rowFor)].map(rowOf).join('\n');
}

/** The line is folded: it would make the table wider than a screen. */
function exampleCell(example: GroupExample | undefined): string {
  if (!example) return NO_EXAMPLE;
  const { facts, more, lines } = example;
  if (facts.length === 0) return WITHOUT_FACTS;
  const shown = facts.map(([name, value]) => `${textOf(name)}: ${wordsOf(value)}<br>`).join('');
  const title = `${more > 0 ? `${count(more, 'more fact')}, ` : ''}as a line for evaluate`;
  return `${shown}<details><summary>${title}</summary>${lines.map(codeOf).join(FOR_OLD)}</details>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '@': '&#64;' },
  // GitHub reads formulas before it reads backslashes.
  $: '<span>$</span>',
};

/** A text in which nothing is markup, a formula or a link, ends a cell or notifies a person. */
function textOf(text: string): string {
  return printable(text)
    .replace(/[&<>@\\`*_[\]|~$]/g, (character) => ENTITIES[character] ?? `\\${character}`)
    .replace(LIVE, (start) => `${start}<!-- -->`);
}

/** The start of what GitHub links by itself: `#12`, `GH-1`, `https://…`. An empty comment after it stops that. */
const LIVE = /(?<!&)#(?=\d)|\bGH-(?=\d)|\b(?:https?|ftp):(?=\/\/)|\bwww(?=\.)/gi;

/** A text as code. The fence is longer than any run of backticks inside (CommonMark, code spans). */
function codeOf(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
  const space = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return `${fence}${space}${printable(text).replaceAll('|', '\\|')}${space}${fence}`;
}
