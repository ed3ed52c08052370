/** Invented applicants -> what became of each: decided by the policy of then, looked at by people, labelled later. */

import { chanceOf, DAY, dayOf, type Invented } from './applicants.ts';
import { countBefore } from './counts.ts';
import { THEN } from './editions.ts';
import { decideAll } from './evaluate.ts';
import type { Outcome } from './rules.ts';

/** What became of an applicant. */
export interface Past {
  readonly outcome: Outcome;
  /** What a reviewer said; empty for who still waits, and for everybody else. */
  readonly disposition: '' | 'approve' | 'decline';
  /** The probability with which somebody of those who are rejected was let in, who was. */
  readonly letIn: number | undefined;
  /** The day on which it became known that they are a fraud. */
  readonly fraudOn: string | undefined;
}

/** Labels that come later are not known yet. */
const TODAY = '2026-11-20';

/** By reference. */
export function pastOf(applicants: readonly Invented[], seed: number): ReadonlyMap<string, Past> {
  const chance = chanceOf(seed + 1);
  const decided = decideAll(applicants, countBefore(applicants, new Map(), THEN), THEN);
  return new Map(
    decided.map(({ applicant: { reference, time, isFraud }, outcome }) => {
      const share = dayOf(time) < '2026-09-01' ? 0.02 : 0.1;
      const letIn = outcome === 'reject' && chance.isOf(share) ? share : undefined;
      const isLookedAt = outcome === 'review' && chance.isOf(0.85);
      const disposition = !isLookedAt ? '' : chance.isOf(isFraud ? 0.7 : 0.1) ? 'decline' : 'approve';
      const isCustomer = outcome === 'accept' || disposition === 'approve' || letIn !== undefined;
      const noticedOn = dayOf(time + (chance.wait(25) + chance.wait(25)) * DAY);
      const isNoticed = isFraud && isCustomer && chance.isOf(0.9) && noticedOn <= TODAY;
      return [reference, { outcome, disposition, letIn, fraudOn: isNoticed ? noticedOn : undefined } satisfies Past];
    }),
  );
}
