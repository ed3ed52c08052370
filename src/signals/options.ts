/** A client's options in, checked settings with every default filled in out. */

import * as z from 'zod';
import { VerdictError } from '../errors.ts';
import { ownCopy } from './own-properties.ts';
import { describeIssues, expected } from './problems.ts';

/** How a client reaches the verification service. */
export interface VerifyClientOptions {
  /** http(s) URL in front of `/api/v2/`; sandbox and production have separate ones. */
  readonly baseUrl: string;
  /** Which form of the sign-in body the service takes: bare in the sandbox, wrapped in `data` in production. */
  readonly environment: 'sandbox' | 'production';
  readonly username: string;
  readonly password: string;
  /**
   * Dotted place of the token in the answer to a sign-in, or several, of which the first with a text counts.
   * Default: `sessionToken`, `token`, `access_token`, `data.token`.
   */
  readonly tokenPath?: string | readonly string[];
  /** How long a token is good for, in milliseconds. Default: 28,800,000 (8 hours). */
  readonly tokenLifeMs?: number;
  /** The deadline of a whole verify call, sign-in included, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number;
  /** The largest answer that is read, decompressed, in bytes. Default: 1,048,576 (1 MiB). */
  readonly maxBodyBytes?: number;
  /** A token is renewed this long before its end, in milliseconds, and up to as long again before that. Default: 1,200,000 (20 minutes). */
  readonly refreshAheadMs?: number;
  /** After a refused sign-in none is tried for this long, in milliseconds. Default: 30,000. */
  readonly signInPauseMs?: number;
  /** How often a call is sent at most, where sending it again cannot bill it twice. Default: 4. */
  readonly maxAttempts?: number;
  /** The longest wait before a call is sent again for the first time, in milliseconds; it doubles each time. Default: 100. */
  readonly backoffMs?: number;
  /** The longest wait before a call is sent again, in milliseconds, unless the service names a longer one. Default: 2,000. */
  readonly maxBackoffMs?: number;
  /** How many times calls are sent again at most, for each call that is made. Default: 0.2. */
  readonly retryBudget?: number;
  /** How many times calls are sent again beyond that budget, before it is filled again. Default: 10. */
  readonly retryReserve?: number;
  /** Whether a call is sent again that may have been carried out, and billed. Default: false. */
  readonly resendAmbiguous?: boolean;
  /** After so many failures of the service in a row, calls end at once with CIRCUIT_OPEN. Default: 10. */
  readonly breakerFailures?: number;
  /** How long they do until one call is tried again, in milliseconds. Default: 5,000. */
  readonly breakerPauseMs?: number;
  /** How many calls fly at once at most. Default: 256. */
  readonly maxConcurrent?: number;
  /** How many calls wait for a place among them at most; a further one ends with QUEUE_FULL. Default: 10,000. */
  readonly maxQueued?: number;
  /** How many verify calls are sent in a second at most. Default: any number. */
  readonly maxPerSecond?: number;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * The defaults of the options that have one, and why. The service documents the life of a token, but neither where it
 * stands nor any limit of rate or size. docs/reliability.md has
 * the same table, and a test holds it to this one.
 */
export const CLIENT_DEFAULTS = {
  tokenPath: ['sessionToken', 'token', 'access_token', 'data.token'],
  /** As the service documents it. */
  tokenLifeMs: 8 * 60 * 60 * 1000,
  /** Somebody waits at a form: longer than most services need, shorter than most people wait. */
  timeoutMs: 10_000,
  /** A hundred times a usual answer. */
  maxBodyBytes: 1024 * 1024,
  /** Time for many tries at signing in before the old token ends; processes that start together drift apart. */
  refreshAheadMs: 20 * 60 * 1000,
  /** Two sign-ins a minute with a wrong password: few accounts are locked for that, and a mended one soon works. */
  signInPauseMs: 30_000,
  /** Where one request in six is declined, one call in a thousand is declined four times. */
  maxAttempts: 4,
  /** About as long as an answer takes. */
  backoffMs: 100,
  /** Several waits fit into the deadline. */
  maxBackoffMs: 2_000,
  /** A service that is down gets at most a fifth more calls than usual from us. */
  retryBudget: 0.2,
  /** So that a process with few calls can send them again too. */
  retryReserve: 10,
  /** Nobody should pay twice unasked. */
  resendAmbiguous: false,
  /** More than chance gives a service that works, and soon reached where it does not. */
  breakerFailures: 10,
  /** A restart takes longer; a call every five seconds burdens nobody. */
  breakerPauseMs: 5_000,
  /** Below the usual limits of 511 waiting connections and 1,024 open files. */
  maxConcurrent: 256,
  /** What waits longer than the deadline is given up anyway; it bounds the memory. */
  maxQueued: 10_000,
  now: () => Date.now(),
} as const satisfies Partial<VerifyClientOptions>;

/** The longest delay of a Node timer; a longer one would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** More than this of anything is a slip of the pen. */
const MAX_COUNT = 1_000_000;
/** Below the longest text that V8 holds, 2^29 - 24 characters. */
const MAX_BODY_BYTES = 2 ** 28;

const text = z.string(expected('a text')).min(1, 'is empty');

const whole = (most: number, least = 1) =>
  z
    .number(expected('a number'))
    .refine((n) => Number.isInteger(n) && n >= least && n <= most, `has to be a whole number from ${least} to ${most}`);

/** A number above 0; with `orNone` 0 too. */
const positive = (most: number, orNone = false) =>
  z
    .number(expected('a number'))
    .refine(
      (n) => (orNone ? n >= 0 : n > 0) && n <= most,
      `has to be a number ${orNone ? 'from 0' : 'above 0,'} to ${most}`,
    );

const tokenPath = z
  .unknown()
  .transform((value) => (typeof value === 'string' ? [value] : value))
  .refine(
    (value): value is string[] =>
      Array.isArray(value) && value.length > 0 && value.every((path) => typeof path === 'string' && isPath(path)),
    'has to be a dotted path such as data.token, or a list of them',
  )
  .transform((paths) => paths.map((path) => path.split('.')));

const schema = z.strictObject(
  {
    baseUrl: text.transform((value, context) => {
      const base = parseBaseUrl(value);
      if (base !== undefined) return base;
      context.addIssue('has to be an http or https URL without user name, password, query and fragment');
      return z.NEVER;
    }),
    environment: z.enum(['sandbox', 'production'], expected('sandbox or production')),
    username: text,
    password: text,
    tokenPath: tokenPath.prefault(CLIENT_DEFAULTS.tokenPath),
    tokenLifeMs: whole(Number.MAX_SAFE_INTEGER).default(CLIENT_DEFAULTS.tokenLifeMs),
    timeoutMs: whole(MAX_TIMER_MS).default(CLIENT_DEFAULTS.timeoutMs),
    maxBodyBytes: whole(MAX_BODY_BYTES).default(CLIENT_DEFAULTS.maxBodyBytes),
    refreshAheadMs: whole(Number.MAX_SAFE_INTEGER, 0).default(CLIENT_DEFAULTS.refreshAheadMs),
    signInPauseMs: whole(Number.MAX_SAFE_INTEGER).default(CLIENT_DEFAULTS.signInPauseMs),
    maxAttempts: whole(100).default(CLIENT_DEFAULTS.maxAttempts),
    backoffMs: whole(MAX_TIMER_MS).default(CLIENT_DEFAULTS.backoffMs),
    maxBackoffMs: whole(MAX_TIMER_MS).default(CLIENT_DEFAULTS.maxBackoffMs),
    retryBudget: positive(100, true).default(CLIENT_DEFAULTS.retryBudget),
    retryReserve: whole(MAX_COUNT, 0).default(CLIENT_DEFAULTS.retryReserve),
    resendAmbiguous: z.boolean(expected('true or false')).default(CLIENT_DEFAULTS.resendAmbiguous),
    breakerFailures: whole(MAX_COUNT).default(CLIENT_DEFAULTS.breakerFailures),
    breakerPauseMs: whole(MAX_TIMER_MS).default(CLIENT_DEFAULTS.breakerPauseMs),
    maxConcurrent: whole(MAX_COUNT).default(CLIENT_DEFAULTS.maxConcurrent),
    maxQueued: whole(MAX_COUNT, 0).default(CLIENT_DEFAULTS.maxQueued),
    maxPerSecond: positive(MAX_COUNT).optional(),
    now: z
      .custom<() => number>((value) => typeof value === 'function', 'has to be a function')
      .default(() => CLIENT_DEFAULTS.now),
  },
  expected('an object'),
);

/** The options once checked; `baseUrl` has no slash at its end, a token's path is its steps. */
export type Settings = z.output<typeof schema>;

/** Checks a client's options; throws `CONFIGURATION_INVALID` with all problems, which names options and never a value. */
export function readOptions(options: VerifyClientOptions): Settings {
  const result = schema.safeParse(ownCopy(options));
  if (result.success) return result.data;
  const problems = describeIssues(result.error.issues, Object.keys(schema.shape));
  throw new VerdictError('CONFIGURATION_INVALID', `the options of the verify client cannot be used: ${problems}`);
}

function parseBaseUrl(text: string): string | undefined {
  // Looked for in the text: a URL object does not show an empty query or fragment.
  if (/[?#]/.test(text)) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function isPath(path: string): boolean {
  return path.split('.').every((step) => step !== '');
}
