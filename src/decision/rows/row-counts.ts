/** What the velocities of a policy count for each row of a file, by the number of the row or line. */

import type { Fact } from '../../facts/fact.ts';
import { NOT_GIVEN } from '../../facts/fact-reader.ts';

/** By the path of a velocity: the count of each row. A file with a column of the velocity has counts of its own. */
export type RowCounts = ReadonlyMap<string, Float64Array>;

/** In place of a count: the row has nothing to count by; no application is there that `first` or `last` speaks of. */
export const [NOTHING_TO_COUNT_BY, NONE_SEEN] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

export const NO_COUNTS: RowCounts = new Map();

/** A count as a fact. */
function countFact(count: number): Fact {
  if (Number.isFinite(count)) return { value: count };
  return count === NONE_SEEN ? { missing: 'noneSeen' } : NOT_GIVEN;
}

/** The counts of one row, as facts. */
export function countsAt(counts: RowCounts, row: number): readonly (readonly [path: string, count: Fact])[] {
  return [...counts].map(([path, numbers]) => [path, countFact(numbers[row] ?? NOTHING_TO_COUNT_BY)]);
}
