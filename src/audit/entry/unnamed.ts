/** A verdict -> the same without the phone numbers, emails and IP addresses that a policy compares with. */

import type { Evidence } from '../../decision/meaning/evidence.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { namesIdentity } from '../../policy/identities.ts';
import { isOperator } from '../../policy/operators.ts';

/**
 * The verdict as a record has it: evidence says how many values the applicant was compared with, `{ listed: 2 }`. The
 * values are of other people, whose erasure does not reach this record.
 */
export function withoutIdentities<Given extends Pick<Verdict, 'reasons'>>(verdict: Given, facts: FactTable): Given {
  const named = (evidence: Evidence) =>
    isOperator(evidence.operator) &&
    namesIdentity({ fact: evidence.fact, operator: evidence.operator, other: evidence.other?.fact }, facts);
  const hasAny = verdict.reasons.some((reason) => reason.because === 'fired' && reason.evidence.some(named));
  if (!hasAny) return verdict;
  const reasons = verdict.reasons.map((reason) =>
    reason.because === 'fired'
      ? { ...reason, evidence: reason.evidence.map((one) => (named(one) ? unnamed(one) : one)) }
      : reason,
  );
  return { ...verdict, reasons };
}

function unnamed(evidence: Evidence): Evidence {
  const { expected } = evidence;
  return { ...evidence, expected: { listed: Array.isArray(expected) ? expected.length : 1 } };
}
