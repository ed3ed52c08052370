/** What a page draws above a table: a picture with the same rows, named as there. */

import type { Outcome } from '../policy/language.ts';

export type Chart = ChangeChart | RuleChart;

/** So many applicants get an outcome. */
export interface Part {
  readonly to: Outcome;
  readonly applicants: number;
}

/** Bars to both sides of a line: whom something decides more mildly, and whom more strictly. */
export interface ChangeChart {
  readonly is: 'changes';
  /** The titles of what is said beside. */
  readonly further: readonly string[];
  /** Undefined for a row without a picture. */
  readonly rows: readonly (ChangeRow | undefined)[];
}

export interface ChangeRow {
  readonly milder: readonly Part[];
  readonly stricter: readonly Part[];
  /** What is said beside, as long as `further`. */
  readonly more: readonly string[];
}

/** For each rule a bar of whom it decides alone, and the share of frauds as a dot in its interval. */
export interface RuleChart {
  readonly is: 'rules';
  readonly rows: readonly RuleRow[];
  /** The share of frauds among all with labels, 0 to 1; absent without labels. */
  readonly frauds?: number | undefined;
}

export interface RuleRow {
  readonly fired: number;
  /** By the policy before, if that is another number. */
  readonly before?: number | undefined;
  /** Whom it decides alone, by the outcome that it gives them; absent if they were not counted. */
  readonly alone?: readonly Part[];
  /** Of those for whom it fired, from 0 to 1; absent if none of them has a label. */
  readonly frauds?: { readonly share: number; readonly least: number; readonly most: number } | undefined;
}
