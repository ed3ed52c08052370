/** The rows of a file, a few thousand at a time -> a tally that takes rows as columns. */

import type { FileChunk } from '../../decision/rows/parquet-rows.ts';
import type { ApplicantTally } from './applicants.ts';

/** The first and the last day of rows that count, yyyy-MM-dd. */
export type FirstAndLastDay = readonly [first: string, last: string];

type RowsTally = ApplicantTally & Required<Pick<ApplicantTally, 'addRows'>>;

export function takesRows(tally: ApplicantTally): tally is RowsTally {
  return tally.addRows !== undefined;
}

/** Counts all rows: those that cannot be read as such. */
export async function addChunks(
  tally: RowsTally,
  chunks: AsyncIterable<FileChunk>,
  {
    days: [first, last],
    onProblem,
    onRead,
  }: {
    readonly days: FirstAndLastDay;
    readonly onProblem: (row: number, problem: string) => void;
    readonly onRead: (rows: number) => void;
  },
): Promise<void> {
  for await (const chunk of chunks) {
    for (let row = 0; row < chunk.rows; row++) {
      const problem = chunk.problemAt(row);
      if (problem === undefined) continue;
      tally.addUnjudged('unreadable', 1, problem);
      onProblem(chunk.numberAt(row), problem);
    }
    const isWithin = (day: string) => day >= first && day <= last;
    tally.addRows(chunk, (row) => chunk.problemAt(row) === undefined && isWithin(chunk.days.at(row)));
    onRead(chunk.rows);
  }
}
