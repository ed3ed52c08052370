/** The values of a fact that is present, cut into cells. */

import type { FactValue } from '../../facts/fact.ts';
import type { Test } from '../language.ts';
import type { Steps } from './segments.ts';

/** Values among which no test of the axis tells a difference. */
export interface ValueCell {
  readonly words: string;
  readonly witness: (day: string) => FactValue | undefined;
  /** The truth of a test of the axis in this cell. */
  readonly holds: (test: Test) => boolean;
}

/** The values of a fact that is there, and not `never`. */
export interface ValueAxis {
  readonly cells: readonly ValueCell[];
  readonly isOrdered: boolean;
  /** The cell of a value; undefined for one that the fact's definition does not allow. */
  find(value: FactValue, other: FactValue | undefined, day: string): number | undefined;
  /** The values as numbers, where they are ordered by such. */
  readonly numbers?: NumberCells;
  /** The cells of single values, and that of all others. */
  readonly named?: NamedCells;
}

/** Cells by numbers: those of a number, a level's steps from 0, days since 1970, or days from then to the day of the decision. */
export interface NumberCells {
  readonly unit: 'number' | 'level' | 'day' | 'age';
  readonly steps: Steps;
}

/** Cells by value. */
export interface NamedCells {
  readonly cells: ReadonlyMap<FactValue, number>;
  /** Undefined where no other value is allowed. */
  readonly others: number | undefined;
}
