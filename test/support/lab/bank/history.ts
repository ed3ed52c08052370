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
  /** What became known later, in the order of days: a fraud may turn out to be none. */
  readonly labels: readonly LabelOf[];
}

interface LabelOf {
  readonly is: 'fraud' | 'genuine';
  readonly on: string;
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
      const after = (mean: number) => dayOf(time + (chance.wait(mean) + chance.wait(mean)) * DAY);
      const labels: LabelOf[] = [];
      if (isFraud && isCustomer && chance.isOf(0.9)) labels.push({ is: 'fraud', on: after(25) });
      // Of somebody else: from before this applicant came.
      else if (chance.isOf(0.002)) labels.push({ is: 'fraud', on: dayOf(time - 3 * DAY) });
      else if (!isFraud && isCustomer && chance.isOf(0.01)) {
        labels.push({ is: 'fraud', on: after(10) });
        if (chance.isOf(0.6)) labels.push({ is: 'genuine', on: dayOf(Date.parse(labels[0]?.on ?? '') + 20 * DAY) });
      } else if (!isFraud && disposition === 'decline' && chance.isOf(0.2))
        labels.push({ is: 'genuine', on: after(5) });
      const past = { outcome, disposition, letIn, labels: labels.filter(({ on }) => on <= TODAY) } satisfies Past;
      return [reference, past];
    }),
  );
}
