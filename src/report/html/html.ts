/** An outline -> elements of a page. */

import { OUTCOMES } from '../../policy/language.ts';
import { capitalised, count, groupedCount } from '../../text.ts';
import {
  type Block,
  EVERYONE,
  FOR_OLD,
  type Group,
  type GroupExample,
  joined,
  NO_EXAMPLE,
  name,
  type ReasonItem,
  type Table,
  WITHOUT_FACTS,
  type Words,
} from '../outline.ts';
import { type Child, div, h3, li, type Markup, ol, p, span, strong, ul } from './markup.ts';
import { drawnColumn } from './parts/drawings.ts';
import { codeValue, joined as joinedParts, soft, wordsOf } from './parts/phrases.ts';
import { bullets, folded, NONE, pairs, table } from './parts/table.ts';

/** The blocks, one after the other; undefined without any, so that their part of the page is left out. */
export function htmlOf(blocks: readonly Block[]): Child {
  return blocks.length === 0 ? undefined : blocks.map(blockOf);
}

function blockOf(block: Block): Child {
  switch (block.is) {
    case 'heading':
      return h3(wordsOf(block.of));
    case 'paragraph':
      return p(wordsOf(block.of));
    case 'list':
      return bullets(block.items.map(wordsOf));
    case 'lines':
      return [h3(wordsOf(block.title)), bullets(block.of.map(wordsOf))];
    case 'aside':
      return div(
        { class: block.look },
        block.of.map((words) => p(wordsOf(words))),
        fromPart(block.from),
      );
    case 'reasons':
      return ol({ class: 'why', role: 'list' }, block.of.map(reasonPart));
    case 'pairs':
      return pairs(block.of.map(([name, words]) => [capitalised(name), wordsOf(words)]));
    case 'table':
      return tableOf(block);
    case 'groups':
      return ul({ class: 'cards', role: 'list' }, block.groups.map(groupCard));
    case 'folded':
      return folded(block.title, htmlOf(block.of));
  }
}

/** A table with the columns that a page draws in it, and the colours of their outcomes in its caption. */
function tableOf({ columns, rows, total, page, numbersFrom = columns.length, isGrouped = false }: Table): Child {
  const { charts = [], names = [], caption, folded: title, ...shape } = page;
  const drawn = charts.map((chart) => ({ ...chart, ...drawnColumn(chart) }));
  const withDrawn = <Cell>(cells: readonly Cell[], of: (column: (typeof drawn)[number], words?: Cell) => Cell) =>
    drawn.reduceRight<readonly Cell[]>((row, column) => {
      const { at, hasNumbers = false } = column;
      return hasNumbers ? row.with(at, of(column, row[at])) : row.toSpliced(at, 0, of(column));
    }, cells);
  const rowOf = (row: readonly Words[], i: number) => {
    const words = row.map((cell): Child => (cell === '' ? NONE : wordsOf(cell)));
    return withDrawn(words, ({ cells }, instead = NONE) => cells[i] ?? instead);
  };
  const shown = charts.flatMap((chart) => (chart.is === 'bars' ? chart.rows.flatMap((parts) => parts ?? []) : []));
  const legend = OUTCOMES.filter((each) => shown.some(({ to, size }) => to === each && size !== 0)).map((each) => [
    ' ',
    span({ class: 'item' }, span({ class: `swatch ${each}` }), each),
  ]);
  const whole = table({
    ...shape,
    caption: [caption, legend],
    columns: withDrawn<Child>(
      columns.map((column) => (names.includes(column) ? column : capitalised(column))),
      ({ title }) => title,
    ),
    kinds: withDrawn(
      columns.map((_, i) => (i >= numbersFrom ? 'number' : '')),
      () => 'drawn',
    ),
    rows: rows.map(rowOf),
    total: total && rowOf(total, rows.length),
    isGrouped,
  });
  return title === undefined ? whole : folded(title, whole);
}

function fromPart(words: Words | undefined): Child {
  return words === undefined ? undefined : p({ class: 'from' }, wordsOf(words));
}

function reasonPart({ codes, words, from, on }: ReasonItem): Markup {
  const parts = on.map((each) => li(wordsOf(each)));
  return li(
    p({ class: 'words' }, wordsOf(words)),
    parts.length === 0 ? undefined : ul({ class: 'parts', role: 'list' }, parts),
    fromPart(joined([...codes.map(name), ...from], ' · ')),
  );
}

function groupCard({ name, conditions, counted, example }: Group): Markup {
  return li(
    { class: 'rule' },
    p(strong(name), counted === undefined ? '' : `: ${groupedCount(counted, 'real applicant')}`),
    conditions.length > 0 ? bullets(conditions) : p(capitalised(EVERYONE)),
    exampleOf(example),
  );
}

function exampleOf(example: GroupExample | undefined): Child {
  if (!example) return p(NO_EXAMPLE);
  const { facts, more, lines } = example;
  if (facts.length === 0) return p('Such as ', WITHOUT_FACTS);
  const title = `The example as a line for evaluate${more > 0 ? `, with ${count(more, 'more fact')}` : ''}`;
  return [
    p(soft('Such as')),
    pairs(facts.map(([name, value]) => [name, wordsOf(value)])),
    folded(title, p(joinedParts(lines.map(codeValue), FOR_OLD))),
  ];
}
