/** What some rules give, as far as it matters to an outcome. */

/** What the common rules give, by number: only these numbers matter to the outcome. */
export interface Result {
  /** The strictest outcome of final rules that fired, of undetermined ones that ask, and of all rules that fired. */
  readonly finalFired: number;
  readonly finalOpen: number;
  readonly fired: number;
  /** 1 if an undetermined rule asks for review. */
  readonly open: number;
  /** Points of the lower and of the upper end of the score. */
  readonly least: number;
  readonly most: number;
}

/** One of the numbers of a result, with the values of which each leads to other outcomes, ascending. */
export interface Attribute {
  readonly name: keyof Result;
  readonly values: readonly number[];
  /** When the number is at least `values[at]`; `at` is not 0. */
  isAtLeast(at: number): string;
}

/** The indexes of values of one attribute, both included. */
export type Range = readonly [least: number, most: number];
