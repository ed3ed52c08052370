/** An error -> the problem that a caller gets (RFC 9457): one table of codes, statuses and titles. */

import * as z from 'zod';
import { DiagnosticsError } from '../diagnostics.ts';
import { type ErrorCode, foreignCode, VerdictError } from '../errors.ts';
import { POOL_BUSY } from '../platform/homes/connections.ts';
import { StateUnavailable } from '../stores/state/references.ts';

/** A row of the table. */
interface Row {
  readonly status: number;
  readonly title: string;
  /** Whether the same request may succeed later. */
  readonly retryable?: true;
  /** What a caller does about it. */
  readonly advice: string;
}

/** The problems of the service itself. */
const OF_SERVICE = {
  SIGN_IN_INVALID: {
    status: 400,
    title: 'The sign-in cannot be finished',
    advice: 'Sign in again, in one browser and within 10 minutes.',
  },
  UNAUTHENTICATED: {
    status: 401,
    title: 'No valid key was given',
    advice: 'Send `Authorization: Bearer` with a key of `verdict key add` that is neither removed nor over.',
  },
  FORBIDDEN: {
    status: 403,
    title: 'The caller does not have the role that this needs',
    advice: 'Use a key that has the role. A person gets it from those who run the service.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'There is nothing here',
    advice: 'Correct the path: `/reference` lists all of them.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'This path does not take that method',
    advice: 'Use a method that the header `Allow` lists.',
  },
  REFERENCE_RUNNING: {
    status: 409,
    title: 'The reference is being decided',
    retryable: true,
    advice: 'Ask again under the same reference after `Retry-After` seconds: the decision is then there.',
  },
  REFERENCE_IN_DOUBT: {
    status: 409,
    title: 'An earlier attempt may have been billed',
    advice: 'Send the request again with `"resend": true` if a second bill is better than no decision.',
  },
  LEASE_LOST: {
    status: 409,
    title: 'The case is not held with this token',
    advice: 'Take a case again. `holder` says who has this one now, if somebody has it.',
  },
  ALREADY_RESOLVED: {
    status: 409,
    title: 'The case is resolved',
    advice: 'Nothing is left to do: `disposition` says how it was resolved.',
  },
  GONE: {
    status: 410,
    title: 'The facts of the decision cannot be read any more',
    advice: 'They were erased, or their key is lost. The record still has what is in clear.',
  },
  TOO_LARGE: {
    status: 413,
    title: 'The body is too large',
    advice: 'Send less at a time. Evaluations take any number of applicants as lines.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'The body is not of the type that was expected',
    advice: 'Send `Content-Type: application/json`, and a body that is not compressed.',
  },
  REFERENCE_REUSED: {
    status: 422,
    title: 'The reference belongs to another question',
    advice: 'Give each applicant a reference of its own; nothing was sent.',
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    title: 'Too many requests',
    retryable: true,
    advice: 'Wait `Retry-After` seconds.',
  },
  INTERNAL: {
    status: 500,
    title: 'The service failed',
    advice: 'Ask again later under the same reference. Tell those who run the service.',
  },
  STATE_UNAVAILABLE: {
    status: 503,
    title: 'The reference cannot be kept, so nothing was sent',
    retryable: true,
    advice: 'Ask again after `Retry-After` seconds; nothing was sent.',
  },
  ISSUER_UNAVAILABLE: {
    status: 503,
    title: 'The issuer that signs people in does not answer',
    retryable: true,
    advice: 'Sign in again later. People who are signed in stay signed in, and keys work.',
  },
  INDEX_BEHIND: {
    status: 503,
    title: 'The index of the log is being made',
    retryable: true,
    advice: 'Ask again after `Retry-After` seconds: decisions are made meanwhile, and each is found by its id.',
  },
  OVERLOADED: {
    status: 503,
    title: 'Too much is being decided',
    retryable: true,
    advice: 'Ask again after `Retry-After` seconds; nothing was sent.',
  },
} as const satisfies Readonly<Record<string, Row>>;

/** The problems of the library. Failed calls never become one: the decision is made, with missing facts. */
const OF_LIBRARY = {
  REQUEST_INVALID: {
    status: 400,
    title: 'The request is not valid',
    advice: 'Correct the request: `errors` names each place of the body that is wrong.',
  },
  REFERENCE_IN_USE: {
    status: 409,
    title: 'The reference is being decided for another applicant',
    retryable: true,
    advice: 'Give each application a reference of its own.',
  },
  CONFIGURATION_INVALID: {
    status: 500,
    title: 'The service is not configured as it should be',
    advice: 'Tell those who run the service: its log says more.',
  },
  POLICY_INVALID: { status: 422, title: 'The policy has errors', advice: 'Correct the policy.' },
  MAPPING_INVALID: { status: 422, title: 'The mapping has errors', advice: 'Correct the mapping.' },
  TESTS_INVALID: { status: 422, title: 'The tests have errors', advice: 'Correct the tests or the policy.' },
  SOLVER_FAILED: {
    status: 500,
    title: 'The solver has broken down',
    advice: 'Tell those who run the service.',
  },
  AUDIT_FAILED: {
    status: 503,
    title: 'The decision cannot be recorded',
    retryable: true,
    advice: 'Ask again later under the same reference. Those who run the service find more on `/readyz`.',
  },
} as const satisfies Partial<Readonly<Record<ErrorCode, Row>>>;

/** The code of a problem. */
export type ProblemCode = keyof typeof OF_SERVICE | keyof typeof OF_LIBRARY;

export const ROWS: Readonly<Record<ProblemCode, Row>> = { ...OF_LIBRARY, ...OF_SERVICE };

/** Every code that a caller may get. */
export const PROBLEM_CODES = Object.keys(ROWS) as ProblemCode[];

const text = (description: string) => z.string().describe(description);

/** What is wrong with one place of a body. */
const POINTED = z.object({
  pointer: z.string().meta({ format: 'json-pointer', description: 'The place (RFC 6901).' }),
  detail: text('What was expected there.'),
});

/** The body of a problem. */
export const PROBLEM = z
  .object({
    type: z.string().meta({ format: 'uri-reference', description: 'The URL of a page about it, or its path.' }),
    title: text('What the code means.'),
    status: z.int().describe('The status of the answer.'),
    code: z.enum(PROBLEM_CODES).describe('For programs.'),
    detail: text('A sentence for people. Its wording may change.').optional(),
    retryable: z.boolean().describe('Whether the same request may succeed later.'),
    carriedOut: z
      .enum(['no', 'unknown'])
      .optional()
      .describe('Whether the verification service may have carried out, and billed, a call.'),
    holder: text('Who holds the case now.').optional(),
    disposition: text('How the case was resolved.').optional(),
    errors: z.array(POINTED).describe('What is wrong with the body.').optional(),
  })
  .meta({ id: 'Problem', description: 'A problem (RFC 9457).' });

export type Problem = Readonly<z.infer<typeof PROBLEM>>;
export type PointedError = z.infer<typeof POINTED>;

interface Details extends Partial<Pick<Problem, 'errors' | 'carriedOut' | 'holder' | 'disposition'>> {
  /** For the header `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

/** An error with the problem that the caller gets. The detail repeats nothing of the request. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ProblemCode, detail?: string, { retryAfterSeconds, ...details }: Details = {}) {
    super(detail ?? code);
    const { status, title, retryable = false } = ROWS[code];
    const type = typeOf(code);
    this.problem = { type, title, status, code, ...(detail === undefined ? {} : { detail }), retryable, ...details };
    this.retryAfterSeconds = retryAfterSeconds ?? (retryable ? 1 : undefined);
  }
}

/** The problem with an absolute type, where it is known by which URL callers reach the service. */
export function problemAt(problem: Problem, publicUrl = ''): Problem {
  return { ...problem, type: publicUrl + problem.type };
}

/** The path of the page about a code. */
export function typeOf(code: string): string {
  return `/problems/${code.toLowerCase().replaceAll('_', '-')}`;
}

function isProblem(code: string): code is ProblemCode {
  return Object.hasOwn(ROWS, code);
}

/** The problem of any error. An error of other code may quote a person, so nothing of it is shown. */
export function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof StateUnavailable) {
    const code = foreignCode(error) === POOL_BUSY ? 'OVERLOADED' : 'STATE_UNAVAILABLE';
    return new ProblemError(code, undefined, { carriedOut: 'no' });
  }
  if (!VerdictError.is(error)) return new ProblemError('INTERNAL');
  const { code, carriedOut } = error;
  if (!isProblem(code)) return new ProblemError('INTERNAL', undefined, carriedOut ? { carriedOut } : {});
  // The messages about files name paths of this machine.
  const isOfCaller = code === 'REQUEST_INVALID' && !(error instanceof DiagnosticsError);
  return new ProblemError(code, isOfCaller ? error.message : undefined, carriedOut ? { carriedOut } : {});
}

/** What became of one of several, each with a status of its own: its answer, or its problem. */
export function resultOf<Done extends object>(work: Promise<Done>, publicUrl?: string) {
  return work.then(
    (done) => ({ status: 200, ...done }),
    (error: unknown) => {
      const { problem } = problemOf(error);
      return { status: problem.status, problem: problemAt(problem, publicUrl) };
    },
  );
}
