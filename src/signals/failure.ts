/** How a call failed -> its error: what may have been carried out, and whether the call may be sent again. */

import { type CarriedOut, CodedCause, type ErrorCode, VerdictError } from '../errors.ts';
import type { Ended } from '../platform/events.ts';
import type { CallerFault, StopReason } from './deadline.ts';
import type { Exchange, TransportFailure } from './http/http.ts';
import { readRetryAfter } from './http/retry-after.ts';

/** The service's two calls. If sign-in fails, verify is not sent. */
export type Call = 'sign-in' | 'verify';

/**
 * Whether the same call may be sent again: `safe` if it was not carried out and may succeed later, `ambiguous` if
 * it may have been carried out, and billed.
 */
export type ResendSafety = 'never' | 'safe' | 'ambiguous';

interface FailureRow {
  readonly code: ErrorCode;
  /** For a verify call; `sent`: it depends on whether the request may have left. */
  readonly carriedOut: CarriedOut | 'sent';
  /** Default: `never`. */
  readonly resend?: ResendSafety;
  /** Whether the failure suggests that the service is down, hangs or accepts no sign-in. Default: false. */
  readonly isDown?: boolean;
  /** Whether the caller or the client caused the failure: it shows nothing about the service. Default: false. */
  readonly isNeutral?: boolean;
  /** Continues "the verification service …". */
  readonly text: string;
}

/** A failed call, as data: each caller that waited for it gets an error of its own. */
export interface FailedCall {
  readonly code: ErrorCode;
  readonly message: string;
  readonly carriedOut: CarriedOut;
  readonly resend: ResendSafety;
  readonly isDown: boolean;
  readonly isNeutral: boolean;
  /** How long the service asks to wait, in milliseconds. */
  readonly waitMs?: number;
  /** The code of Node or OpenSSL. */
  readonly cause?: string;
  /** The service's id of the request. */
  readonly requestId?: string;
  /** What code of the caller threw: for `onEvent` alone. */
  readonly callerError?: { readonly thrown: unknown };
}

/** Whether the result of a call is a failure. */
export function isFailed(result: unknown): result is FailedCall {
  return typeof result === 'object' && result !== null && Object.hasOwn(result, 'carriedOut');
}

const ENDED_BY_US = { code: 'ABORTED', carriedOut: 'sent', isNeutral: true } as const;

const STOPPED: Readonly<Record<StopReason, FailureRow>> = {
  timedOut: { code: 'TIMED_OUT', carriedOut: 'sent', isDown: true, text: 'had not answered when the deadline passed' },
  aborted: { ...ENDED_BY_US, text: 'had not answered when the caller aborted the call' },
  closed: { ...ENDED_BY_US, text: 'had not answered when the client was closed' },
};

/** The service may have carried out a call before it, or the connection, broke down. */
const BROKE_DOWN = { carriedOut: 'unknown', resend: 'ambiguous', isDown: true } as const;

/** The service or the client did not begin the call. */
const DECLINED = { carriedOut: 'no', resend: 'safe' } as const;

/** Nothing was sent. */
function unreachable(why: string): FailureRow {
  return { code: 'UNREACHABLE', ...DECLINED, isDown: true, text: `cannot be reached: ${why}` };
}

const TRANSPORT: Readonly<Record<Exclude<TransportFailure, 'stopped'>, FailureRow>> = {
  hostUnknown: unreachable('the name of its host was not found (DNS)'),
  refused: unreachable('the connection was refused'),
  tlsFailed: unreachable('TLS failed, so its certificate or its protocol is not accepted'),
  unreachable: unreachable('no connection was established'),
  proxyUnreachable: unreachable('no connection to the proxy was established'),
  proxyRefused: unreachable('the proxy did not connect to it'),
  // Not sent again: repeated attempts with a wrong password can lock the account at the proxy.
  proxySignIn: { ...unreachable('the proxy refused its user name or password'), resend: 'never' },
  lost: { code: 'CONNECTION_LOST', ...BROKE_DOWN, text: 'closed the connection before its answer was complete' },
  tooLarge: { code: 'ANSWER_UNREADABLE', carriedOut: 'unknown', text: 'answered with a body over the size limit' },
  garbled: {
    code: 'ANSWER_UNREADABLE',
    carriedOut: 'unknown',
    isDown: true,
    text: 'answered with something that is not HTTP',
  },
};

/** Why there is no answer of a server, after its name. */
export function transportWords(failure: Exclude<TransportFailure, 'stopped'>): string {
  return TRANSPORT[failure].text;
}

/** Why the client does not send a call at all. */
export type NotSentCause = 'circuitOpen' | 'queueFull' | 'rateFull' | 'held' | 'dailyLimit';

const NOT_SENT: Readonly<Record<NotSentCause, FailureRow>> = {
  circuitOpen: {
    code: 'CIRCUIT_OPEN',
    carriedOut: 'no',
    // Not sent again: the caller should know at once, and decide without an answer.
    text: 'was not called: it failed several times in a row, and calls are suspended for a while',
  },
  queueFull: {
    code: 'QUEUE_FULL',
    ...DECLINED,
    isNeutral: true,
    text: 'was not called: too many calls are waiting for their turn',
  },
  rateFull: {
    code: 'QUEUE_FULL',
    carriedOut: 'no',
    isNeutral: true,
    text: 'was not called: the rate limit leaves no turn before the deadline',
  },
  held: {
    code: 'RATE_LIMITED',
    carriedOut: 'no',
    isNeutral: true,
    text: 'was not called: it asked for a pause (Retry-After) that ends after the deadline',
  },
  dailyLimit: {
    code: 'DAILY_LIMIT_REACHED',
    carriedOut: 'no',
    isNeutral: true,
    text: 'was not called: the calls of the day (maxCallsPerDay) are used up',
  },
};

interface StatusRow extends FailureRow {
  readonly from: number;
  readonly to: number;
  /** The call that the row is for. Default: both. */
  readonly call?: Call;
}

/** The failure of one status, or of all from the first to the second. */
function atStatus(
  range: number | readonly [from: number, to: number],
  failure: Omit<StatusRow, 'from' | 'to'>,
): StatusRow {
  const [from, to] = typeof range === 'number' ? [range, range] : range;
  return { from, to, ...failure };
}

const CREDENTIALS_REFUSED = {
  code: 'SIGN_IN_REFUSED',
  carriedOut: 'no',
  text: 'refused the user name or the password',
} as const;
const REQUEST_REJECTED = { carriedOut: 'no', text: 'rejected the request' } as const;
const TOKEN_REFUSED = 'refused a token that it had just issued';
const NO_WHOLE_ANSWER = 'answered with neither 200 nor 201, so the answer may be empty or a part';
const REDIRECTED = 'answered with a redirect, and redirects are never followed';
const UNDEFINED_STATUS = 'answered with a status that HTTP does not define';

/** By status; the first row that matches counts. */
const STATUSES: readonly StatusRow[] = [
  atStatus([200, 299], { code: 'ANSWER_UNREADABLE', carriedOut: 'unknown', text: NO_WHOLE_ANSWER }),
  // A redirect comes from an intermediary, which may have forwarded the call.
  atStatus([300, 399], { code: 'REDIRECTED', carriedOut: 'unknown', text: REDIRECTED }),
  atStatus(401, { call: 'verify', code: 'TOKEN_REFUSED', carriedOut: 'no', isDown: true, text: TOKEN_REFUSED }),
  atStatus(401, CREDENTIALS_REFUSED),
  atStatus(403, { call: 'sign-in', ...CREDENTIALS_REFUSED }),
  atStatus(408, { code: 'SERVICE_ERROR', ...BROKE_DOWN, text: 'timed out while it waited for the request' }),
  atStatus(429, { code: 'RATE_LIMITED', ...DECLINED, text: 'accepts no more requests for now' }),
  atStatus([400, 499], { call: 'verify', code: 'REJECTED', ...REQUEST_REJECTED }),
  atStatus([400, 499], { code: 'SIGN_IN_FAILED', ...REQUEST_REJECTED }),
  atStatus([500, 599], { code: 'SERVICE_ERROR', ...BROKE_DOWN, text: 'failed' }),
  atStatus([0, 999], { code: 'ANSWER_UNREADABLE', carriedOut: 'unknown', text: UNDEFINED_STATUS }),
];

/**
 * The failure of an exchange without an answer.
 *
 * @param nowMs the clock, for a `Retry-After` that is a date
 */
export function exchangeFailure(
  call: Call,
  exchange: Exchange,
  stopReason: StopReason | undefined,
  nowMs: number,
): FailedCall {
  if (exchange.failure === undefined) return statusFailure(call, exchange, nowMs);
  if (exchange.failure === 'caller') return callerFailure(call, exchange.fault, stopReason);
  const { failure, sent, cause } = exchange;
  if (failure === 'stopped') return stopFailure(call, stopReason, sent);
  const row = TRANSPORT[failure];
  if (cause === undefined) return toFailedCall(call, row, sent);
  return { ...toFailedCall(call, { ...row, text: `${row.text} (${cause})` }, sent), cause };
}

/** The failure of a call that its deadline, its caller or the closing of the client stopped. */
export function stopFailure(call: Call, stopReason: StopReason | undefined, sent: boolean): FailedCall {
  return toFailedCall(call, STOPPED[stopReason ?? 'aborted'], sent);
}

/** The failure of a call for which an option of the caller's failed; it shows nothing about the service. */
export function callerFailure(
  call: Call,
  { text, mayRecover, callerError }: CallerFault,
  stopReason: StopReason | undefined,
): FailedCall {
  if (stopReason === 'aborted' || stopReason === 'closed') return stopFailure(call, stopReason, false);
  const row: FailureRow = {
    code: call === 'sign-in' ? 'SIGN_IN_FAILED' : 'CONFIGURATION_INVALID',
    carriedOut: 'no',
    resend: mayRecover ? 'safe' : 'never',
    isNeutral: true,
    text: `was not called: ${text}`,
  };
  return { ...toFailedCall(call, row, false), ...(callerError === undefined ? {} : { callerError }) };
}

/** The failure of a verify call that the client did not send. */
export function notSentFailure(cause: NotSentCause): FailedCall {
  return toFailedCall('verify', NOT_SENT[cause], false);
}

/** The failure of an answer with an unexpected body; `problem` continues "its answer …". */
export function answerFailure(call: Call, code: ErrorCode, problem: string): FailedCall {
  return toFailedCall(call, { code, carriedOut: 'unknown', text: `answered, but its answer ${problem}` }, true);
}

/** The telemetry attributes that help to find the cause of a result. */
export function diagnosticAttributes({
  cause,
  requestId,
}: Pick<FailedCall, 'requestId'> & { readonly cause?: string }) {
  return {
    ...(cause === undefined ? {} : { 'verdict.cause': cause }),
    ...(requestId === undefined ? {} : { 'verdict.request_id': requestId }),
  };
}

/** How a result ended, for its event. */
export function endedOf(result: FailedCall | { readonly requestId?: string }, beganAt: number): Ended {
  const { requestId } = result;
  const { code, cause } = 'code' in result ? result : {};
  return {
    ...(code === undefined ? {} : { error: code }),
    ...(cause === undefined ? {} : { cause }),
    ...(requestId === undefined ? {} : { requestId }),
    durationMs: performance.now() - beganAt,
  };
}

/** The error of a failed call. */
export function toError(failed: FailedCall, attempts: number): VerdictError {
  const { code, message, carriedOut, cause, requestId } = failed;
  const coded = cause === undefined ? {} : { cause: new CodedCause(cause) };
  return new VerdictError(code, message, { carriedOut, attempts, requestId, ...coded });
}

/** Whether a status says that the service takes no calls for now; it may say for how long (`Retry-After`). */
export function isDeclined(status: number): boolean {
  return status === 429 || status === 503;
}

function statusFailure(
  call: Call,
  { status, retryAfter, date, requestId }: Extract<Exchange, { failure: undefined }>,
  nowMs: number,
): FailedCall {
  const row =
    STATUSES.find(({ from, to, call: only }) => status >= from && status <= to && (only ?? call) === call) ??
    TRANSPORT.garbled;
  const waitMs = isDeclined(status) ? readRetryAfter(retryAfter, date, nowMs) : undefined;
  // A 503 with a time to retry has declined the request (RFC 9110, section 15.6.4).
  const declined = status === 503 && waitMs !== undefined ? DECLINED : {};
  return {
    ...toFailedCall(call, { ...row, ...declined, text: `${row.text} (status ${status})` }, true),
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

function toFailedCall(call: Call, row: FailureRow, sent: boolean): FailedCall {
  const { code, carriedOut, resend = 'never', isDown = false, isNeutral = false, text } = row;
  const isSignIn = call === 'sign-in';
  const ifSent = sent ? 'unknown' : 'no';
  return {
    code,
    message: `${call}: the verification service ${text}`,
    // A sign-in is not billed, so sending it again does no harm.
    carriedOut: isSignIn ? 'no' : carriedOut === 'sent' ? ifSent : carriedOut,
    resend: isSignIn && resend === 'ambiguous' ? 'safe' : resend,
    isDown,
    isNeutral,
  };
}
