/** A call to the service: as it is planned, and as a decision records it. */

import type { ErrorCode } from '../../errors.ts';
import type { IdentityVariable } from '../../signals/variables.ts';

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
  /** The code of Node or OpenSSL for it, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  readonly cause?: string;
  /** The service's own id of the request, for its support. */
  readonly requestId?: string;
  /** How many times the request was sent: again if it was declined, or if `resendAmbiguous` allows it. */
  readonly attempts?: number;
}
