/** What people say of a decision by now -> words. */

import type { Judged } from '../../audit/read/judgement.ts';

/** `approve, fraud`; empty if nobody said anything. */
export function judgedWords({ review, label }: Judged): string {
  return [review ?? [], label ?? []].flat().join(', ');
}
