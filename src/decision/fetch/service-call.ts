/** A request and the deadline of its decision -> the service's answer, or an error once the deadline has passed. */

import { setImmediate } from 'node:timers/promises';
import { type CarriedOut, VerdictError } from '../../errors.ts';
import { isDelay, MAX_TIMER_MS } from '../../platform/given/read-given.ts';
import type { VerifyAnswer, VerifyClient } from '../../signals/client.ts';
import { type Deadline, untilStopped } from '../../signals/deadline.ts';
import { CLIENT_DEFAULTS } from '../../signals/options.ts';
import type { VerifyRequest } from '../../signals/request.ts';

/** What asks the service: a `VerifyClient`, or anything with its `verify`. */
export interface Verifier {
  /** With `production`, a decider needs a mapping of its own: the shipped one describes the sandbox. */
  readonly environment?: VerifyClient['environment'];
  /** The deadline of a call, in milliseconds; a decision's own deadline is a second later by default. */
  readonly timeoutMs?: number;
  verify(
    request: VerifyRequest,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Pick<VerifyAnswer, 'body'> & Partial<VerifyAnswer>>;
}

/** Time for a call to end by its own deadline first, so that the service's failure is counted and reported. */
const AFTER_CALL_MS = 1_000;

/** The result in place of an answer that had not arrived at the deadline. */
const LATE = Symbol('late');

/** The default deadline of a decision, in milliseconds: a little after that of its calls. */
export function defaultDeadlineMs({ timeoutMs }: Verifier): number {
  return Math.min((isDelay(timeoutMs) ? timeoutMs : CLIENT_DEFAULTS.timeoutMs) + AFTER_CALL_MS, MAX_TIMER_MS);
}

/**
 * Calls the service. Rejects as `verify` does, and with TIMED_OUT at the deadline or ABORTED by the caller's signal,
 * even if `verify` never settles.
 */
export async function callService(
  verifier: Verifier,
  message: VerifyRequest,
  deadline: Deadline,
): ReturnType<Verifier['verify']> {
  const late = () => (deadline.stopReason() === undefined ? undefined : LATE);
  if (late()) throw stopError(deadline, 'before it was asked', 'no', 0);
  const call = Promise.resolve(verifier.verify(message, { signal: deadline.signal }));
  const answer = await untilStopped<unknown>(call, deadline, late);
  if (answer !== LATE) return call;
  try {
    // A client that heeds the signal now says whether it had sent the request.
    if ((await Promise.race([call, setImmediate(LATE)])) !== LATE) return call;
  } catch (error) {
    const isEnded = VerdictError.is(error) && error.code === 'ABORTED';
    throw isEnded ? stopError(deadline, 'while it was asked', error.carriedOut, error.attempts) : error;
  }
  throw stopError(deadline, 'while it was asked', 'unknown');
}

function stopError(
  deadline: Deadline,
  when: string,
  carriedOut: CarriedOut = 'unknown',
  attempts?: number,
): VerdictError {
  const options = { carriedOut, ...(attempts === undefined ? {} : { attempts }) };
  if (deadline.stopReason() === 'timedOut') {
    return new VerdictError('TIMED_OUT', `the deadline of the decision passed ${when}`, options);
  }
  return new VerdictError('ABORTED', `the caller ended the decision ${when}`, options);
}
