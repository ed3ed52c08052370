/** An exchange that did not succeed in, the error that callers get out; the table of what was carried out is here. */

import { type CarriedOut, type ErrorCode, VerdictError } from '../errors.ts';
import type { Stop } from './deadline.ts';
import type { Exchange, Failure } from './http.ts';

/** Which of the service's two calls. A failed sign-in means that verify was never sent. */
export type Call = 'sign-in' | 'verify';

interface Outcome {
  readonly code: ErrorCode;
  /** Of a verify call; `sent` where it depends on whether the request may have left. */
  readonly carriedOut: CarriedOut | 'sent';
  /** Continues "the verification service …". */
  readonly text: string;
}

const STOPS: Readonly<Record<Stop, Outcome>> = {
  timedOut: { code: 'TIMED_OUT', carriedOut: 'sent', text: 'had not answered when the deadline passed' },
  aborted: { code: 'ABORTED', carriedOut: 'sent', text: 'had not answered when the caller gave up' },
  closed: { code: 'ABORTED', carriedOut: 'sent', text: 'was not waited for: the client has been closed' },
};

const FAILURES: Readonly<Record<Exclude<Failure, 'stopped'>, Outcome>> = {
  unreachable: {
    code: 'UNREACHABLE',
    carriedOut: 'no',
    text: 'cannot be reached: the connection was refused, the host is unknown, or TLS failed',
  },
  lost: {
    code: 'CONNECTION_LOST',
    carriedOut: 'unknown',
    text: 'closed the connection before its answer was complete',
  },
  tooLarge: { code: 'ANSWER_UNREADABLE', carriedOut: 'unknown', text: 'answered with a body over the size limit' },
  garbled: { code: 'ANSWER_UNREADABLE', carriedOut: 'unknown', text: 'answered with something that is not HTTP' },
};

/** By status, the first row that fits. A redirect comes from something in between, which may have passed the call on. */
const STATUSES: readonly (Outcome & { readonly from: number; readonly to: number; readonly call?: Call })[] = [
  {
    from: 300,
    to: 399,
    code: 'REDIRECTED',
    carriedOut: 'unknown',
    text: 'answered with a redirect, which is never followed',
  },
  {
    from: 401,
    to: 401,
    call: 'verify',
    code: 'TOKEN_REFUSED',
    carriedOut: 'no',
    text: 'refused a token that it had just issued',
  },
  { from: 401, to: 401, code: 'SIGN_IN_REFUSED', carriedOut: 'no', text: 'refused the user name or the password' },
  {
    from: 403,
    to: 403,
    call: 'sign-in',
    code: 'SIGN_IN_REFUSED',
    carriedOut: 'no',
    text: 'refused the user name or the password',
  },
  { from: 408, to: 408, code: 'SERVICE_ERROR', carriedOut: 'unknown', text: 'gave up waiting for the request' },
  { from: 429, to: 429, code: 'RATE_LIMITED', carriedOut: 'no', text: 'takes no more requests for now' },
  { from: 400, to: 499, call: 'verify', code: 'REJECTED', carriedOut: 'no', text: 'rejected the request' },
  { from: 400, to: 499, code: 'SIGN_IN_FAILED', carriedOut: 'no', text: 'rejected the request' },
  { from: 500, to: 599, code: 'SERVICE_ERROR', carriedOut: 'unknown', text: 'failed' },
  {
    from: 0,
    to: 999,
    code: 'ANSWER_UNREADABLE',
    carriedOut: 'unknown',
    text: 'answered with a status that HTTP does not have',
  },
];

/** The error of an exchange that is no 2xx. */
export function exchangeError(call: Call, exchange: Exchange, stop: Stop | undefined): VerdictError {
  if (exchange.failure === undefined) return statusError(call, exchange.status, exchange.retryAfter);
  const { failure, sent } = exchange;
  return failure === 'stopped' ? stopError(call, stop, sent) : failedCall(call, FAILURES[failure], sent);
}

/** The error of a call that its deadline, its caller or the client's end stopped. */
export function stopError(call: Call, stop: Stop | undefined, sent: boolean): VerdictError {
  return failedCall(call, STOPS[stop ?? 'aborted'], sent);
}

/** The error of a 2xx whose body is not what was expected; `problem` continues "its answer …". */
export function answerError(call: Call, code: ErrorCode, problem: string): VerdictError {
  return failedCall(call, { code, carriedOut: 'unknown', text: `answered, but its answer ${problem}` }, true);
}

function statusError(call: Call, status: number, retryAfter: boolean): VerdictError {
  const row = STATUSES.find(({ from, to, call: only }) => status >= from && status <= to && (only ?? call) === call);
  const { code, carriedOut, text } = row ?? FAILURES.garbled;
  // A 503 that names a time has declined the request (RFC 9110, section 15.6.4).
  const declined = status === 503 && retryAfter;
  return failedCall(call, { code, carriedOut: declined ? 'no' : carriedOut, text: `${text} (status ${status})` }, true);
}

function failedCall(call: Call, { code, carriedOut, text }: Outcome, sent: boolean): VerdictError {
  const billed = carriedOut === 'sent' ? (sent ? 'unknown' : 'no') : carriedOut;
  return new VerdictError(code, `${call}: the verification service ${text}`, {
    carriedOut: call === 'sign-in' ? 'no' : billed,
  });
}
