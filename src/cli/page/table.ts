/** Rows of cells -> a table with a caption, which scrolls by itself where it is too wide. */

import { type Child, element, type Markup } from './markup.ts';

/** Rows that belong together. */
export interface RowGroup {
  /** Stands in the first column, beside all of them. */
  readonly name: Child;
  readonly rows: readonly (readonly Child[])[];
}

/** A table. The first cell of a row names the row. */
export interface Table {
  /** Of its caption; unique on the page. */
  readonly id: string;
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Child[])[] | readonly RowGroup[];
  /** `wide` where it needs more room than a phone has; `tight` where it needs no more than its texts do. */
  readonly width?: 'wide' | 'tight';
}

/** The table, in a region that the keyboard reaches, so that it can be scrolled without a mouse. */
export function table({ id, caption, columns, rows, width }: Table): Markup {
  const [first, ...others] = columns;
  const header = [first ?? '', ...others].map((title) => element('th', { scope: 'col' }, title));
  return element(
    'div',
    { class: 'scroll', role: 'region', 'aria-labelledby': id, tabindex: 0 },
    element(
      'table',
      width ? { class: width } : {},
      element('caption', { id }, caption),
      element('thead', {}, element('tr', {}, header)),
      bodies(rows),
    ),
  );
}

function bodies(rows: Table['rows']): Child {
  const plain = rows.filter((row): row is readonly Child[] => Array.isArray(row));
  if (plain.length > 0)
    return element(
      'tbody',
      {},
      plain.map((row) => tableRow(row)),
    );
  return rows.filter(isGroup).map(({ name, rows: some }) => {
    const heading = element('th', { scope: 'rowgroup', rowspan: some.length }, name);
    return element(
      'tbody',
      {},
      some.map((row, i) => tableRow(row, i === 0 ? heading : undefined)),
    );
  });
}

function isGroup(row: Table['rows'][number]): row is RowGroup {
  return !Array.isArray(row);
}

function tableRow([name, ...cells]: readonly Child[], groupHeading?: Markup): Markup {
  return element(
    'tr',
    {},
    groupHeading,
    element('th', { scope: 'row' }, name),
    cells.map((cell) => element('td', {}, cell)),
  );
}

/** Names with what they name, side by side; those of undefined content are left out. */
export function pairs(entries: readonly (readonly [name: string, content: Child])[]): Markup {
  const shown = entries.filter(([, content]) => content !== undefined);
  return element(
    'dl',
    { class: 'pairs' },
    shown.map(([name, content]) => element('div', {}, element('dt', {}, name), element('dd', {}, content))),
  );
}
