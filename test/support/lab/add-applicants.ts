/** Applicants -> a tally, as a file of lines adds them. */

import { ApplicantBuffer, type TakesRows } from '../../../src/lab/backtest/applicant-rows.ts';
import type { Applicant } from '../../../src/lab/backtest/applicants.ts';
import type { JoinedFacts } from '../../../src/lab/backtest/joint-facts.ts';

export function addApplicants(tally: TakesRows, joint: JoinedFacts, applicants: Iterable<Applicant>): void {
  const [buffer, counting] = [new ApplicantBuffer(), { tally, joint }];
  for (const applicant of applicants) buffer.add(applicant, counting);
  buffer.flush();
}
