/** Every error this library throws: one class, a closed union of codes, and a message that holds no secret and no personal datum. */

/**
 * What went wrong. `docs/errors.md` has a section for each code.
 * The codes from `SIGN_IN_REFUSED` to `QUEUE_FULL` come from a call to the verification service.
 */
export type ErrorCode =
  /** Arguments that the call's own types or the service's specification do not allow. */
  | 'REQUEST_INVALID'
  /** Options of a client or decider, environment variables or flags that cannot be used. */
  | 'CONFIGURATION_INVALID'
  /** A policy with errors; the error is a `DiagnosticsError` that carries them. */
  | 'POLICY_INVALID'
  /** A mapping with errors; the error is a `DiagnosticsError` that carries them. */
  | 'MAPPING_INVALID'
  /** Sign-in answered 401 or 403: the username or the password is wrong, or the account is locked. */
  | 'SIGN_IN_REFUSED'
  /** Sign-in did not give a token for another reason. */
  | 'SIGN_IN_FAILED'
  /** No connection: refused, unknown host, TLS failure. Nothing was carried out. */
  | 'UNREACHABLE'
  /** The connection was lost after the request may have been sent. */
  | 'CONNECTION_LOST'
  /** The deadline of the call passed. */
  | 'TIMED_OUT'
  /** The caller's own signal aborted the call. */
  | 'ABORTED'
  /** The service answered with a redirect, which is never followed. */
  | 'REDIRECTED'
  /** The service answered with something that is not HTTP or not JSON, or is too large. */
  | 'ANSWER_UNREADABLE'
  /** The service answered 401 to a token that was just issued. */
  | 'TOKEN_REFUSED'
  /** The service answered another 4xx: it will not carry out this request. */
  | 'REJECTED'
  /** The service answered 429. */
  | 'RATE_LIMITED'
  /** The service answered 5xx, or 408. */
  | 'SERVICE_ERROR'
  /** The service was not asked, since it failed several times in a row. */
  | 'CIRCUIT_OPEN'
  /** The service was not asked, since too many calls wait for their turn. */
  | 'QUEUE_FULL'
  /** Something could not be recorded in the audit log, or the log is not as it was written. */
  | 'AUDIT_FAILED';

/**
 * Whether a failed verify call may have been carried out, and so billed:
 * `no` is certain, `unknown` means that it has to be reconciled with the service's own record.
 */
export type CarriedOut = 'no' | 'unknown';

/** Details of a `VerdictError` beside its message. */
export interface VerdictErrorOptions {
  /** The error underneath, where it is safe to keep; never one of an HTTP library. */
  readonly cause?: unknown;
  /** For a failed verify call only. */
  readonly carriedOut?: CarriedOut;
  /** For a failed verify call only. */
  readonly attempts?: number;
}

/** The one error class of the library. Its message says what was found and what was expected, and repeats no input. */
export class VerdictError extends Error {
  override readonly name: string = 'VerdictError';
  readonly code: ErrorCode;
  /** Whether a failed verify call may have been carried out; undefined for errors that are not of a verify call. */
  readonly carriedOut: CarriedOut | undefined;
  /** How many times a failed verify call was sent; undefined for errors that are not of a verify call. */
  readonly attempts: number | undefined;

  constructor(code: ErrorCode, message: string, options: VerdictErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
    this.code = code;
    this.carriedOut = options.carriedOut;
    this.attempts = options.attempts;
  }
}
