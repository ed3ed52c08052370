/** An archived policy and an applicant's facts -> whether an erased text of the policy may be about the applicant. */

import { type Facts, isMissing } from '../../facts/fact.ts';
import { identityOf, isPersonal } from '../../policy/identities.ts';
import { type IndexKey, subjectIn } from '../keys/subject.ts';
import type { ArchivedPolicy } from '../store/artifact-store.ts';

/**
 * Whether the policy can no longer decide on these facts. It decides on all others as before, because an erased text
 * equals no fact of another person.
 */
export function touchesErased(
  { policy, erased, standIns }: Pick<ArchivedPolicy, 'policy' | 'erased' | 'standIns'>,
  facts: Facts,
  indexKeys: readonly IndexKey[],
): boolean {
  if (erased.size === 0) return false;
  for (const [path, fact] of facts) {
    if (isMissing(fact) || !isPersonal(path, policy.facts)) continue;
    const format = identityOf(path, policy.facts);
    const text = String(fact.value);
    if (standIns.has(text)) return true;
    if (indexKeys.some((key) => erased.has(subjectIn(text, format, key) ?? ''))) return true;
  }
  return false;
}
