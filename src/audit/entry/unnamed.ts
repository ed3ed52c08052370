/** A verdict -> the same without the values that a policy compares with personal facts. */

import { shownArgument } from '../../decision/meaning/listed.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import type { FactTable } from '../../facts/catalog.ts';

/**
 * The verdict as a record has it: evidence says how many values the applicant was compared with, `{ listed: 2 }`. The
 * values are of other people, whose erasure does not reach this record.
 */
export function withoutIdentities<Given extends Pick<Verdict, 'reasons'>>(verdict: Given, facts: FactTable): Given {
  const reasons = verdict.reasons.map((reason) => {
    if (reason.because !== 'fired') return reason;
    const evidence = reason.evidence.map((each) => {
      const expected = shownArgument(each, facts);
      return expected === each.expected ? each : { ...each, expected };
    });
    return evidence.every((each, i) => each === reason.evidence[i]) ? reason : { ...reason, evidence };
  });
  return reasons.every((reason, i) => reason === verdict.reasons[i]) ? verdict : { ...verdict, reasons };
}
