/** A client's options in, checked settings with every default filled in out. */

import * as z from 'zod';
import { VerdictError } from '../errors.ts';
import { ownCopy } from './own.ts';
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
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** The defaults of the options that have one. The service documents the life of a token, but not where it stands. */
export const CLIENT_DEFAULTS = {
  tokenPath: ['sessionToken', 'token', 'access_token', 'data.token'],
  tokenLifeMs: 8 * 60 * 60 * 1000,
  timeoutMs: 10_000,
  maxBodyBytes: 1024 * 1024,
  now: () => Date.now(),
} as const satisfies Partial<VerifyClientOptions>;

/** The longest delay of a Node timer; a longer one would end at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Below the longest text that V8 holds, 2^29 - 24 characters. */
const MAX_BODY_BYTES = 2 ** 28;

const text = z.string(expected('a text')).min(1, 'is empty');

const whole = (most: number) =>
  z
    .number(expected('a number'))
    .refine((n) => Number.isInteger(n) && n >= 1 && n <= most, `has to be a whole number from 1 to ${most}`);

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
