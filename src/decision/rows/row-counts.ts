/** What the velocities of a policy count for each row of a file, by the number of the row or line. */

import type { Fact } from '../../facts/fact.ts';
import { NOT_GIVEN } from '../../facts/fact-reader.ts';

/**
 * By the path of a velocity: the count of each row, below 0 for one that has nothing to count by. A file with a column
 * of the velocity has counts of its own.
 */
export type RowCounts = ReadonlyMap<string, Int32Array>;

export const NO_COUNTS: RowCounts = new Map();

/** The counts of one row, as facts. */
export function countsAt(counts: RowCounts, row: number): readonly (readonly [path: string, count: Fact])[] {
  return [...counts].map(([path, numbers]) => {
    const count = numbers[row] ?? -1;
    return [path, count < 0 ? NOT_GIVEN : { value: count }];
  });
}
