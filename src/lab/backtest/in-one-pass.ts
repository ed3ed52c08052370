/** Rows, labels and tallies -> each tally has the rows, and what is known of their applicants, which is found once. */

import type { ApplicantRows } from './applicant-rows.ts';
import type { ComparesRows, JudgedRows, Sides } from './backtest.ts';
import type { LabelJoin } from './labels.ts';

/** What takes rows with what is known of them. */
export interface TakesJudged extends ComparesRows {
  addRows(rows: ApplicantRows, isMeant: (row: number) => boolean, sides?: Sides, judged?: JudgedRows): void;
}

/**
 * Hands rows to all tallies.
 *
 * @param then the old policy of these decides rows without an outcome of then, unless the rows come with own sides
 */
export function inOnePass(
  tallies: readonly [TakesJudged, ...TakesJudged[]],
  join?: LabelJoin,
  then?: Sides,
): ComparesRows {
  return {
    addRows(rows, isMeant, sides) {
      const judged = join?.judgeRows(rows, isMeant, sides ?? then);
      for (const tally of tallies) tally.addRows(rows, isMeant, sides, judged);
    },
    addUnjudged(...counted) {
      for (const tally of tallies) tally.addUnjudged(...counted);
    },
    get unreadable() {
      return tallies[0].unreadable;
    },
  };
}
