/** The sums of rules, one by one, as far as their values lead to other outcomes. */

import type { Sums } from '../../../decision/meaning/outcome.ts';
import type { Formula } from '../../solver/formula.ts';

/** One of the sums, with the values of which each leads to other outcomes, ascending. */
export interface Attribute {
  readonly name: keyof Sums;
  readonly values: readonly number[];
  /** Of points: whether some are negative, so that undetermined rules may lower the sum of those that fire. */
  readonly hasNegative?: boolean;
  /** When the sum is at least `values[at]`; `at` is not 0. */
  isAtLeast(at: number): Formula;
}

/** The indexes of values of one attribute, both included. */
export type Range = readonly [least: number, most: number];
