/** An outline -> elements of a page. */

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
  WITHOUT_FACTS,
  type Words,
} from '../outline.ts';
import { type Child, div, h3, li, type Markup, ol, p, strong, ul } from './markup.ts';
import { drawnTable } from './parts/drawn-table.ts';
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
    case 'table': {
      const { columns, rows, total, page, numbersFrom, isGrouped = false } = block;
      const { folded: title, chart, names = [], ...shape } = page;
      const cells = rows.map((row) => row.map((cell) => (cell === '' ? NONE : wordsOf(cell))));
      const shown = table({
        ...shape,
        columns: columns.map((column) => (names.includes(column) ? column : capitalised(column))),
        rows: cells,
        ...{ total: total?.map(wordsOf), numbersFrom, isGrouped },
      });
      const below = title === undefined ? shown : folded(title, shown);
      return chart
        ? [
            drawnTable(
              chart,
              block,
              cells.map(([name]) => name),
            ),
            below,
          ]
        : below;
    }
    case 'groups':
      return ul({ class: 'cards', role: 'list' }, block.groups.map(groupCard));
    case 'folded':
      return folded(block.title, htmlOf(block.of));
  }
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
