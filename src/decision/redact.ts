/** A decision -> the same without personal data, for a service's own log. */

import { readGiven } from '../platform/given/read-given.ts';
import type { Decision } from './decision.ts';
import type { Evidence } from './meaning/evidence.ts';
import type { DefaultReason, FiredReason, Reason, ScoreReason, UndeterminedReason } from './meaning/verdict.ts';

/** A test that made a rule fire, without the applicant's value and without what the policy compares it with. */
export type RedactedEvidence = Pick<Evidence, 'fact' | 'operator' | 'negated'>;

/** A reason without values and without the texts that repeat them. */
export type RedactedReason =
  | UndeterminedReason
  | Omit<ScoreReason, 'notice'>
  | Omit<DefaultReason, 'notice'>
  | (Omit<FiredReason, 'message' | 'notice' | 'evidence'> & { readonly evidence: readonly RedactedEvidence[] });

/** A decision that can be logged; its `id` leads to the record. */
export interface RedactedDecision extends Omit<Decision, 'clientReference' | 'policy' | 'reasons'> {
  readonly policy: Omit<Decision['policy'], 'digest'>;
  readonly reasons: readonly RedactedReason[];
}

/**
 * Leaves out the client reference, the values of facts, what the policy compares them with, and the texts that repeat
 * them; and the policy's digest, with which anyone who has the rest of a policy can try whom it names. It lists what it
 * keeps, so that a field of a later version is left out too. Throws REQUEST_INVALID for anything that is not a
 * decision.
 */
export function redact(decision: Decision): RedactedDecision {
  return readGiven('REQUEST_INVALID', 'the decision', () => {
    const { id, decidedAt, day, outcome, reasons, undetermined, score, shadow, policy, mapping, engine } = decision;
    const { name, version, language, release } = policy;
    const { requested, calls, spared, missing, warnings } = decision.signals;
    return {
      ...{
        id,
        decidedAt,
        ...(day === undefined ? {} : { day }),
        outcome,
        reasons: reasons.map(redactReason),
        undetermined,
        score,
        shadow,
      },
      policy: { name, version, language, ...(release === undefined ? {} : { release }) },
      ...{ mapping, engine },
      ...{ signals: { requested, calls, spared, missing, warnings } },
    };
  });
}

/** A reason without the values of facts and what the policy compares them with. */
export function redactReason(reason: Reason): RedactedReason {
  if (reason.because === 'undetermined') return reason;
  if (reason.because !== 'fired') {
    const { notice: _, ...rest } = reason;
    return rest;
  }
  const { rule, code, outcome, decisive, points, evidence } = reason;
  return {
    ...{ because: 'fired', rule, code, outcome, decisive },
    ...(points === undefined ? {} : { points }),
    evidence: evidence.map(({ fact, operator, negated }) => ({ fact, operator, ...(negated ? { negated } : {}) })),
  };
}
