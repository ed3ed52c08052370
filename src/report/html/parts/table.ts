/** Rows of cells -> a table with a caption, which scrolls by itself where it is too wide. */

import { type Attributes, type Child, element, type Markup } from '../markup.ts';

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

/** A table with as many columns has no room for them on a phone: there each row is a list of its cells, with their columns' names. */
const FEWEST_STACKED = 4;

/**
 * The table, in a region that the keyboard reaches, so that it can be scrolled without a mouse. Rows that may be shown as lists
 * have roles, since a browser forgets that they are rows of a table.
 */
export function table({ id, caption, columns, rows, width }: Table): Markup {
  const isStacked = columns.length >= FEWEST_STACKED;
  const header = columns.map((title) => element('th', { scope: 'col', ...role('columnheader', isStacked) }, title));
  const classes = [width ?? [], isStacked ? 'stack' : []].flat().join(' ');
  return element(
    'div',
    { class: 'scroll', role: 'region', 'aria-labelledby': id, tabindex: 0 },
    element(
      'table',
      { ...(classes === '' ? {} : { class: classes }), ...role('table', isStacked) },
      element('caption', { id }, caption),
      element('thead', role('rowgroup', isStacked), element('tr', role('row', isStacked), header)),
      bodies(rows, isStacked ? columns : undefined),
    ),
  );
}

type Role = NonNullable<Attributes['role']>;

function role(name: Role, isStacked: boolean): { readonly role?: Role } {
  return isStacked ? { role: name } : {};
}

/** `labels` are the names of the columns, where rows may be shown as lists. */
function bodies(rows: Table['rows'], labels: readonly string[] | undefined): Child {
  const body = (content: Child) => element('tbody', role('rowgroup', labels !== undefined), content);
  const plain = rows.filter((row): row is readonly Child[] => Array.isArray(row));
  if (plain.length > 0) return body(plain.map((row) => tableRow(row, labels)));
  return rows.filter(isGroup).map(({ name, rows: some }) => {
    const heading = element(
      'th',
      { scope: 'rowgroup', rowspan: some.length, ...label(labels?.[0]), ...role('rowheader', labels !== undefined) },
      name,
    );
    return body(some.map((row, i) => tableRow(row, labels?.slice(1), i === 0 ? heading : undefined)));
  });
}

function isGroup(row: Table['rows'][number]): row is RowGroup {
  return !Array.isArray(row);
}

function tableRow(
  [name, ...cells]: readonly Child[],
  labels: readonly string[] | undefined,
  groupHeading?: Markup,
): Markup {
  const isStacked = labels !== undefined;
  return element(
    'tr',
    role('row', isStacked),
    groupHeading,
    element('th', { scope: 'row', ...label(labels?.[0]), ...role('rowheader', isStacked) }, name),
    cells.map((cell, i) => element('td', { ...label(labels?.[i + 1]), ...role('cell', isStacked) }, cell)),
  );
}

function label(text: string | undefined): { readonly 'data-label'?: string } {
  return text === undefined ? {} : { 'data-label': text };
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
