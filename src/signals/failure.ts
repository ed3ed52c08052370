/** How an exchange went wrong in, what that means out: the table of what was carried out, and of what may be sent again. */

import { type CarriedOut, type ErrorCode, VerdictError } from '../errors.ts';
import type { StopReason } from './deadline.ts';
import type { Exchange, TransportFailure } from './http.ts';
import { readRetryAfter } from './retry-after.ts';

/** Which of the service's two calls. A failed sign-in means that verify was never sent. */
export type Call = 'sign-in' | 'verify';

/**
 * Whether the same call may be sent again: `safe` where it was not carried out and may go better, `ambiguous` where it
 * may have been carried out, and billed.
 */
export type ResendSafety = 'never' | 'safe' | 'ambiguous';

interface FailureRow {
  readonly code: ErrorCode;
  /** Of a verify call; `sent` where it depends on whether the request may have left. */
  readonly carriedOut: CarriedOut | 'sent';
  readonly again: ResendSafety;
  /** Whether it is a sign that the service is down, or hangs. */
  readonly isDown?: boolean;
  /** Continues "the verification service …". */
  readonly text: string;
}

/** A call that failed, as data: everybody who waited for it gets an error of their own. */
export interface FailedCall {
  readonly code: ErrorCode;
  readonly message: string;
  readonly carriedOut: CarriedOut;
  readonly resend: ResendSafety;
  readonly isDown: boolean;
  /** How long the service asks to wait, in milliseconds. */
  readonly waitMs?: number;
}

const STOPPED: Readonly<Record<StopReason, FailureRow>> = {
  timedOut: {
    code: 'TIMED_OUT',
    carriedOut: 'sent',
    again: 'never',
    isDown: true,
    text: 'had not answered when the deadline passed',
  },
  aborted: {
    code: 'ABORTED',
    carriedOut: 'sent',
    again: 'never',
    text: 'had not answered when the caller gave up',
  },
  closed: {
    code: 'ABORTED',
    carriedOut: 'sent',
    again: 'never',
    text: 'was not waited for: the client has been closed',
  },
};

const TRANSPORT: Readonly<Record<Exclude<TransportFailure, 'stopped'>, FailureRow>> = {
  unreachable: {
    code: 'UNREACHABLE',
    carriedOut: 'no',
    again: 'safe',
    isDown: true,
    text: 'cannot be reached: the connection was refused, the host is unknown, or TLS failed',
  },
  lost: {
    code: 'CONNECTION_LOST',
    carriedOut: 'unknown',
    again: 'ambiguous',
    isDown: true,
    text: 'closed the connection before its answer was complete',
  },
  tooLarge: {
    code: 'ANSWER_UNREADABLE',
    carriedOut: 'unknown',
    again: 'never',
    text: 'answered with a body over the size limit',
  },
  garbled: {
    code: 'ANSWER_UNREADABLE',
    carriedOut: 'unknown',
    again: 'never',
    isDown: true,
    text: 'answered with something that is not HTTP',
  },
};

/** What keeps a call of ours from being sent at all. */
export type NotSentCause = 'circuitOpen' | 'queueFull' | 'rateFull';

const NOT_SENT: Readonly<Record<NotSentCause, FailureRow>> = {
  circuitOpen: {
    code: 'CIRCUIT_OPEN',
    carriedOut: 'no',
    // Its caller shall know at once, and decide without an answer.
    again: 'never',
    text: 'was not asked: it failed several times in a row, and is left alone for a while',
  },
  queueFull: {
    code: 'QUEUE_FULL',
    carriedOut: 'no',
    again: 'safe',
    text: 'was not asked: too many calls wait for their turn',
  },
  rateFull: {
    code: 'QUEUE_FULL',
    carriedOut: 'no',
    again: 'never',
    text: 'was not asked: the calls of a second were used up until after the deadline',
  },
};

interface StatusRow extends FailureRow {
  readonly from: number;
  readonly to: number;
  readonly call?: Call;
}

/** By status, the first row that fits. A redirect comes from something in between, which may have passed the call on. */
const STATUSES: readonly StatusRow[] = [
  {
    from: 300,
    to: 399,
    code: 'REDIRECTED',
    carriedOut: 'unknown',
    again: 'never',
    text: 'answered with a redirect, which is never followed',
  },
  {
    from: 401,
    to: 401,
    call: 'verify',
    code: 'TOKEN_REFUSED',
    carriedOut: 'no',
    again: 'never',
    text: 'refused a token that it had just issued',
  },
  {
    from: 401,
    to: 401,
    code: 'SIGN_IN_REFUSED',
    carriedOut: 'no',
    again: 'never',
    text: 'refused the user name or the password',
  },
  {
    from: 403,
    to: 403,
    call: 'sign-in',
    code: 'SIGN_IN_REFUSED',
    carriedOut: 'no',
    again: 'never',
    text: 'refused the user name or the password',
  },
  {
    from: 408,
    to: 408,
    code: 'SERVICE_ERROR',
    carriedOut: 'unknown',
    again: 'ambiguous',
    isDown: true,
    text: 'gave up waiting for the request',
  },
  {
    from: 429,
    to: 429,
    code: 'RATE_LIMITED',
    carriedOut: 'no',
    again: 'safe',
    text: 'takes no more requests for now',
  },
  {
    from: 400,
    to: 499,
    call: 'verify',
    code: 'REJECTED',
    carriedOut: 'no',
    again: 'never',
    text: 'rejected the request',
  },
  { from: 400, to: 499, code: 'SIGN_IN_FAILED', carriedOut: 'no', again: 'never', text: 'rejected the request' },
  {
    from: 500,
    to: 599,
    code: 'SERVICE_ERROR',
    carriedOut: 'unknown',
    again: 'ambiguous',
    isDown: true,
    text: 'failed',
  },
  {
    from: 0,
    to: 999,
    code: 'ANSWER_UNREADABLE',
    carriedOut: 'unknown',
    again: 'never',
    text: 'answered with a status that HTTP does not have',
  },
];

/** An exchange that is no 2xx. `nowMs` is the clock, for a `Retry-After` that names a day and an hour. */
export function exchangeFailure(
  call: Call,
  exchange: Exchange,
  stop: StopReason | undefined,
  nowMs: number,
): FailedCall {
  if (exchange.failure === undefined) return statusFailure(call, exchange, nowMs);
  const { failure, sent } = exchange;
  return failure === 'stopped' ? stopFailure(call, stop, sent) : toFailedCall(call, TRANSPORT[failure], sent);
}

/** A call that its deadline, its caller or the client's end stopped. */
export function stopFailure(call: Call, stop: StopReason | undefined, sent: boolean): FailedCall {
  return toFailedCall(call, STOPPED[stop ?? 'aborted'], sent);
}

/** A call of ours that was not sent. */
export function notSentFailure(hold: NotSentCause): FailedCall {
  return toFailedCall('verify', NOT_SENT[hold], false);
}

/** A 2xx whose body is not what was expected; `problem` continues "its answer …". */
export function answerFailure(call: Call, code: ErrorCode, problem: string): FailedCall {
  return toFailedCall(
    call,
    { code, carriedOut: 'unknown', again: 'never', text: `answered, but its answer ${problem}` },
    true,
  );
}

/** The error of a failed call that was sent so many times. */
export function toError({ code, message, carriedOut }: FailedCall, attempts: number): VerdictError {
  return new VerdictError(code, message, { carriedOut, attempts });
}

function statusFailure(
  call: Call,
  { status, retryAfter, date }: Extract<Exchange, { failure: undefined }>,
  nowMs: number,
): FailedCall {
  const row = STATUSES.find(({ from, to, call: only }) => status >= from && status <= to && (only ?? call) === call);
  const outcome = row ?? TRANSPORT.garbled;
  const waitMs = status === 429 || status === 503 ? readRetryAfter(retryAfter, date, nowMs) : undefined;
  // A 503 that names a time has declined the request (RFC 9110, section 15.6.4).
  const declined = status === 503 && waitMs !== undefined ? ({ carriedOut: 'no', again: 'safe' } as const) : {};
  return {
    ...toFailedCall(call, { ...outcome, ...declined, text: `${outcome.text} (status ${status})` }, true),
    ...(waitMs === undefined ? {} : { waitMs }),
  };
}

function toFailedCall(
  call: Call,
  { code, carriedOut, again, isDown = false, text }: FailureRow,
  sent: boolean,
): FailedCall {
  const billed = carriedOut === 'sent' ? (sent ? 'unknown' : 'no') : carriedOut;
  const isSignIn = call === 'sign-in';
  return {
    code,
    message: `${call}: the verification service ${text}`,
    // Nobody pays for a sign-in, so that a second one does no harm.
    carriedOut: isSignIn ? 'no' : billed,
    resend: isSignIn && again === 'ambiguous' ? 'safe' : again,
    isDown,
  };
}
