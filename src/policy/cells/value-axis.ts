/** The types of an axis of values, before the cells of the other states are added. */

import type { FactValue } from '../../facts/fact.ts';
import type { Test } from '../language.ts';
import type { Order, Segment, Steps } from './segments.ts';
import type { TextForm } from './text-forms.ts';

/** A cell: values that no test of the axis distinguishes. */
export interface ValueCell {
  readonly words: string;
  readonly witness: (day: string) => FactValue | undefined;
  /** The truth of a test of the axis in this cell. */
  readonly holds: (test: Test) => boolean;
}

/** The values of a fact that is neither missing nor `never`. */
export interface ValueAxis {
  readonly cells: readonly ValueCell[];
  readonly isOrdered: boolean;
  /**
   * The cells, beside the first, at which the truth of a test may differ from the cell before. Without it, evaluating
   * every test in every cell would take time in proportion to the square of the number of tests.
   */
  changes(test: Test): readonly number[];
  /** The cell of a value; undefined for one that the fact's definition does not allow. */
  find(value: FactValue, other: FactValue | undefined, day: string): number | undefined;
  /** What the texts of a cell have in common, if the values are texts. */
  formOf?(cell: number): TextForm;
  /** The cells by number, if the values are ordered as numbers. */
  readonly numbers?: NumberCells;
  /** The cells of single values, and the cell of all others. */
  readonly named?: NamedCells;
}

/** Cells by number: the number itself, a level's index, days since 1970-01-01, or days or years up to the decision. */
export interface NumberCells {
  readonly unit: 'number' | 'level' | 'day' | 'age' | 'years';
  readonly steps: Steps;
  readonly segments: readonly Segment[];
  /** The number of a value on a day; undefined for `never`. */
  readonly toNumber: (value: FactValue, day: string) => number | undefined;
  readonly order: Order;
}

/** Cells by value. */
export interface NamedCells {
  readonly cells: ReadonlyMap<FactValue, number>;
  /** Undefined if no other value is allowed. */
  readonly others: number | undefined;
}
