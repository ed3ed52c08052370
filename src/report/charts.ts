/** Columns of a table that only a page has: each draws a number of every row, on one axis. */

import type { Outcome } from '../policy/language.ts';

/** A row that is undefined has no drawing. */
export type Chart = BarChart | ShareChart;

interface ChartColumn {
  readonly title: string;
  /** The index of the column that it stands before. */
  readonly at: number;
  /** Whether each bar ends with its signed number; the chart then replaces that column. */
  readonly hasNumbers?: boolean;
}

/** Bars, one after the other from 0 on; those below 0 go to the left. */
export interface BarChart extends ChartColumn {
  readonly is: 'bars';
  readonly rows: readonly (readonly Part[] | undefined)[];
}

/** The applicants who get an outcome, by their number or as a share. */
export interface Part {
  readonly to: Outcome;
  readonly size: number;
}

/** A dot in its interval, and a dashed line of all rows together. All are shares, from 0 to 1. */
export interface ShareChart extends ChartColumn {
  readonly is: 'shares';
  readonly rows: readonly (Share | undefined)[];
  readonly all: number;
}

export interface Share {
  readonly share: number;
  readonly least: number;
  readonly most: number;
}
