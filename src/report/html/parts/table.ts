/** Rows of cells -> a table with a caption, which scrolls by itself if it is too wide. */

import type { Attributes, Child, Markup } from '../markup.ts';
import * as h from '../markup.ts';

/** A cell without a value. A phone, where cells are lines, leaves it out. */
export const NONE = '–';

/** A table. The first cell of a row is its heading. */
export interface Table {
  /** The id of its caption; unique on the page. */
  readonly id: string;
  readonly caption: Child;
  readonly columns: readonly Child[];
  readonly rows: readonly (readonly Child[])[];
  /** A class of each column: `number`, `drawn`, or none. */
  readonly kinds?: readonly string[];
  /** The last row, which sums up the others. */
  readonly total?: readonly Child[] | undefined;
  /** Whether the first cells name groups of rows: those of further rows of a group have no value. */
  readonly isGrouped?: boolean;
  /**
   * `wide` if it needs more room than a phone has; `tight` if it needs no more than its texts; `line` if no cell may
   * break, so that it scrolls; `matrix` if its cells have two lines.
   */
  readonly width?: 'wide' | 'tight' | 'line' | 'matrix';
}

/** A table with so many columns or more becomes a list of labelled cells on a phone. */
const FEWEST_STACKED = { wide: 3, tight: 4 };

/**
 * The table, in a region that takes the keyboard focus, so that it can be scrolled without a mouse. Rows that may
 * become lists have roles, since a browser then forgets that they are rows of a table.
 */
export function table({ id, caption, columns, rows, total, isGrouped = false, width, kinds = [] }: Table): Markup {
  const isList = width === undefined || width === 'wide' || width === 'tight';
  const isStacked = isList && columns.length >= FEWEST_STACKED[width ?? 'wide'];
  const role = (name: Attributes['role']): Attributes => (isStacked && name ? { role: name } : {});
  const label = (column: number): Attributes => {
    const name = columns[column];
    return isStacked && typeof name === 'string' ? { 'data-label': name } : {};
  };
  const kindOf = (column: number, cell?: Child): Attributes => {
    const classes = [kinds[column] || [], isStacked && cell === NONE ? 'none' : []].flat();
    return classes.length === 0 ? {} : { class: classes.join(' ') };
  };
  const classes = [width ?? [], isStacked ? 'stack' : []].flat().join(' ');

  const rowOf = ([heading, ...cells]: readonly Child[], column: number, groupHeading?: Markup) =>
    h.tr(
      role('row'),
      groupHeading,
      h.th({ scope: 'row', ...label(column), ...role('rowheader') }, heading),
      cells.map((cell, i) => {
        const at = column + 1 + i;
        return h.td({ ...kindOf(at, cell), ...label(at), ...role('cell') }, cell);
      }),
    );
  const groupOf = (some: Table['rows']) => {
    const attributes = { scope: 'rowgroup', rowspan: some.length, ...label(0), ...role('rowheader') } as const;
    return some.map(([name, ...row], i) => rowOf(row, 1, i === 0 ? h.th(attributes, name) : undefined));
  };
  const starts = rows.flatMap(([name], i) => (name === NONE ? [] : [i]));
  const bodies = isGrouped
    ? starts.map((start, i) => groupOf(rows.slice(start, starts[i + 1])))
    : [rows.map((row) => rowOf(row, 0))];

  return h.div(
    { class: 'scroll', role: 'region', 'aria-labelledby': id, tabindex: 0 },
    h.table(
      { ...(classes === '' ? {} : { class: classes }), ...role('table') },
      h.caption({ id }, caption),
      h.thead(
        role('rowgroup'),
        h.tr(
          role('row'),
          columns.map((title, i) => h.th({ scope: 'col', ...kindOf(i), ...role('columnheader') }, title)),
        ),
      ),
      bodies.map((body) => h.tbody(role('rowgroup'), body)),
      total ? h.tfoot(role('rowgroup'), rowOf(total, 0)) : undefined,
    ),
  );
}

/** A name with its value. */
export type Pair = readonly [name: Child, value: Child];

/** Names with their values, side by side; a pair whose value is undefined is left out. */
export function pairs(entries: readonly Pair[]): Markup {
  const shown = entries.filter(([, value]) => value !== undefined);
  return h.dl(
    { class: 'pairs' },
    shown.map(([name, value]) => h.div(h.dt(name), h.dd(value))),
  );
}

export function bullets(items: readonly Child[]): Markup {
  return h.ul(items.map((item) => h.li(item)));
}

/** Content that is hidden until the reader opens it. */
export function folded(title: string, content: Child): Markup {
  return h.details({ class: 'more' }, h.summary(title), content);
}
