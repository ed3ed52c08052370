/** Several tallies -> one that hands each applicant to all of them, so that applicants are read once. */

import type { ApplicantTally } from './impact.ts';

type OfRows = ApplicantTally & Required<Pick<ApplicantTally, 'addRows'>>;

export function inOnePass(tallies: readonly OfRows[]): ApplicantTally {
  return {
    add(applicant) {
      for (const tally of tallies) tally.add(applicant);
    },
    addRows(...rows) {
      for (const tally of tallies) tally.addRows(...rows);
    },
    addUnjudged(...counted) {
      for (const tally of tallies) tally.addUnjudged(...counted);
    },
    get unreadable() {
      return tallies[0]?.unreadable ?? 0;
    },
  };
}
