/** What a decision warns of: a code for programs, a text for people, and the identity variable that it is about. */

import type { IdentityVariable } from '../signals/variables.ts';

/** In the order in which `docs/errors.md` explains them; a record in the log has one of these. */
export const WARNING_CODES = [
  /** The applicant has no such variable. Its facts are missing. */
  'VARIABLE_NOT_GIVEN',
  /** The variable cannot be sent: not its format. It is left out, and its facts are missing. */
  'VARIABLE_INVALID',
  /** The phone number was not given or cannot be sent, and every call needs one: no call is made. */
  'NO_PHONE_NUMBER',
  /** A call gave no answer; the `error` of the call says why. */
  'NO_ANSWER',
  /** A call was not made: the calls of the day (`maxCallsPerDay`) are used up. Its facts are missing. */
  'DAILY_LIMIT_REACHED',
  /** An answer came, and is not used: it reports no success, or belongs to another request. */
  'ANSWER_NOT_BELIEVED',
  /** The deadline of the decision passed. Facts that were still to come are missing. */
  'DEADLINE_PASSED',
  /** On record only: the caller's signal ended the decision after the service was asked. Nobody was given it. */
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
