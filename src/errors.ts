/** The errors of this library: one class and a closed union of codes. Messages hold no secret and no personal data. */

/**
 * What went wrong; `docs/errors.md` has a section for each code.
 * The codes from `SIGN_IN_REFUSED` to `QUEUE_FULL` are failures of a call to the verification service.
 */
export type ErrorCode =
  /** The arguments violate the types of the call or the service's specification. */
  | 'REQUEST_INVALID'
  /** Another applicant, or another context, is being decided under the same `clientReference` at the same time. */
  | 'REFERENCE_IN_USE'
  /** Options of a client or decider, environment variables or flags are invalid. */
  | 'CONFIGURATION_INVALID'
  /** The policy has errors; the error is a `DiagnosticsError` with its diagnostics. */
  | 'POLICY_INVALID'
  /** The mapping has errors; the error is a `DiagnosticsError` with its diagnostics. */
  | 'MAPPING_INVALID'
  /** A file of tests, or the policy that it tests, has errors; the error is a `DiagnosticsError`. */
  | 'TESTS_INVALID'
  /** The solver of the lab broke down: it goes on without counting its steps. */
  | 'SOLVER_FAILED'
  /** Sign-in was answered with 401 or 403: user name or password is wrong, or the account is locked. */
  | 'SIGN_IN_REFUSED'
  /** Sign-in gave no token for another reason. */
  | 'SIGN_IN_FAILED'
  /** No connection: refused, unknown host, or TLS failure. Nothing was carried out. */
  | 'UNREACHABLE'
  /** The connection was lost after the request may have been sent. */
  | 'CONNECTION_LOST'
  /** The deadline of the call passed. */
  | 'TIMED_OUT'
  /** The caller's signal aborted the call, or the client was closed. */
  | 'ABORTED'
  /** The service answered with a redirect. Redirects are never followed. */
  | 'REDIRECTED'
  /** The answer is not HTTP, not JSON, has a duplicate name in an object, or is too large. */
  | 'ANSWER_UNREADABLE'
  /** The service answered 401 to a token that it had just issued. */
  | 'TOKEN_REFUSED'
  /** The service answered another 4xx: it does not carry out this request. */
  | 'REJECTED'
  /** The service answered 429, or asked for a pause (`Retry-After`) that is not over. */
  | 'RATE_LIMITED'
  /** The service answered 5xx or 408. */
  | 'SERVICE_ERROR'
  /** The service was not called, because it failed several times in a row. */
  | 'CIRCUIT_OPEN'
  /** The service was not called, because the calls of the day (`maxCallsPerDay`) are used up. */
  | 'DAILY_LIMIT_REACHED'
  /** The service was not called, because too many calls are waiting for their turn. */
  | 'QUEUE_FULL'
  /** A record could not be written to the audit log, or the log has been altered. */
  | 'AUDIT_FAILED'
  /** A release of rules may not come into force, or was changed. */
  | 'RELEASE_REFUSED';

/**
 * Whether a failed verify call may have been carried out, and therefore billed: `no` is certain; `unknown` has to be
 * reconciled with the service's own records.
 */
export type CarriedOut = 'no' | 'unknown';

/** The cause of an error of the system or of other code: only its code, since a message may name a host or a person. */
export class CodedCause extends Error {
  override readonly name = 'CodedCause';
  /** The code of Node or OpenSSL, such as `ENOTFOUND`, `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** The shape of the codes of Node and OpenSSL. */
const CODE = /^[A-Z][A-Z0-9_]{2,63}$/;

/** The code of another library's error, or of the error that it wraps. */
export function foreignCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || VerdictError.is(error)) return undefined;
  const codes = [error.cause, error].map((each) => (each instanceof Error && 'code' in each ? each.code : undefined));
  return codes.find((code) => typeof code === 'string' && CODE.test(code)) as string | undefined;
}

/** The details of a `VerdictError`. */
export interface VerdictErrorOptions {
  /** The underlying error, if it is safe to keep; never an error of an HTTP library. */
  readonly cause?: unknown;
  /** For a failed verify call only. */
  readonly carriedOut?: CarriedOut;
  /** For a failed verify call only. */
  readonly attempts?: number;
  /** For a failed call only. */
  readonly requestId?: string | undefined;
}

/** Marks the errors of every copy of the package in a process. */
const MARK = Symbol.for('verdict-engine.VerdictError');

/** The error class of the library. The message says what was found and what was expected, and repeats no input. */
export class VerdictError extends Error {
  /** Whether a value is an error of this library, also of another copy of it, which `instanceof` does not recognise. */
  static is(value: unknown): value is VerdictError {
    return typeof value === 'object' && value !== null && MARK in value;
  }

  override readonly name: string = 'VerdictError';
  readonly code: ErrorCode;
  /** Whether a failed verify call may have been carried out; undefined for other errors. */
  readonly carriedOut: CarriedOut | undefined;
  /** How many times a failed verify call was sent; undefined for other errors. */
  readonly attempts: number | undefined;
  /** The id that the service gave the last request, for its support; undefined if it gave none. */
  readonly requestId: string | undefined;

  constructor(code: ErrorCode, message: string, options: VerdictErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
    this.code = code;
    this.carriedOut = options.carriedOut;
    this.attempts = options.attempts;
    this.requestId = options.requestId;
  }
}

// Not in the class: it would name itself there, and the build would call it `_VerdictError` in stack traces.
Object.defineProperty(VerdictError.prototype, MARK, { value: true });
