/** The calls for a decision as data: their records, warnings in the decision, and events for the caller. */

import type { ErrorCode } from '../errors.ts';
import type { IdentityVariable } from '../signals/variables.ts';

/** A call that may be made. */
export interface PlannedCall {
  /** Its stage in the policy, from 1. */
  readonly stage: number;
  readonly asked: readonly IdentityVariable[];
}

/** A call to the service, as a decision records it. */
export interface CallRecord extends PlannedCall {
  /** `unknown`: it may have been carried out, and billed, but no answer came, or none that can be believed. */
  readonly result: 'answered' | 'failed' | 'unknown';
  /** Why there was no answer. */
  readonly error?: ErrorCode;
  /** The code of the error from Node or OpenSSL, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  readonly cause?: string;
  /** The service's own id of the request, for its support. */
  readonly requestId?: string;
  /** How many times the request was sent: again if it was declined, or if `resendAmbiguous` allows it. */
  readonly attempts?: number;
}

/** In the order in which `docs/errors.md` explains them; a record in the log has one of these. */
export const WARNING_CODES = [
  /** The applicant has no such variable. Its facts are missing. */
  'VARIABLE_NOT_GIVEN',
  /** The variable does not have its format, so it is not sent, and its facts are missing. */
  'VARIABLE_INVALID',
  /** The phone number was not given or cannot be sent, and every call needs one: no call is made. */
  'NO_PHONE_NUMBER',
  /** A call gave no answer; the `error` of the call says why. */
  'NO_ANSWER',
  /** A call was not made: the calls of the day (`maxCallsPerDay`) are used up. Its facts are missing. */
  'DAILY_LIMIT_REACHED',
  /** An answer came, but is not used: it reports no success, or belongs to another request. */
  'ANSWER_NOT_BELIEVED',
  /** The deadline of the decision passed. Facts that were still pending are missing. */
  'DEADLINE_PASSED',
  /** On record only: the caller's signal ended the decision after the service was called. It was not returned. */
  'DECISION_ABORTED',
] as const;

/** What a warning is about. */
export type WarningCode = (typeof WARNING_CODES)[number];

/** A warning; it repeats no value of the applicant. */
export interface Warning {
  readonly code: WarningCode;
  /** A sentence for people. Its wording may change. */
  readonly text: string;
  /** For the codes about a variable. */
  readonly variable?: IdentityVariable;
}

/** Something that happened in one decision. */
export type DecisionEvent =
  /** A call gave no answer that can be used. */
  | ({ readonly type: 'sourceFailed' } & CallRecord & Thrown)
  /** A context function of the caller threw, rejected or took too long; its fact is missing. */
  | ({ readonly type: 'factFailed'; readonly fact: string } & Thrown)
  /**
   * The store of velocity did not count the application, so that these facts are missing, or did not take its outcome.
   */
  | ({ readonly type: 'velocityFailed'; readonly step: 'count' | 'outcome' } & LogFailure)
  /** A `required` audit log cannot record the decision: no further call is made, and no decision is returned. */
  | ({ readonly type: 'recordRefused' } & LogFailure)
  /** The audit log did not record the decision. */
  | ({ readonly type: 'recordFailed' } & LogFailure);

/** An event of a decider, with the id of the decision. */
export type DeciderEvent = DecisionEvent & { readonly decision: string };

interface LogFailure extends Thrown {
  /** The code of what the log or the store threw, such as `ECONNREFUSED`, if it has one. */
  readonly cause?: string;
}

interface Thrown {
  /**
   * What code of the caller threw: `onEvent` alone gets it, and it is not enumerable, since it may quote personal data.
   */
  readonly thrown?: unknown;
}
