/** A client's options -> checked settings with every default filled in. */

import type * as Zod from 'zod';
import { VerdictError } from '../errors.ts';
import type { ClientEvent } from '../platform/events.ts';
import { MAX_TIMER_MS, ownCopy, ownValue, readGiven } from '../platform/given/read-given.ts';
import { lazy, require } from '../platform/lazy.ts';
import { describeIssues, expected } from './describe-issues.ts';
import { connectionFields, connectionProblem, findProxy } from './http/connection.ts';
import { CLEAR_TEXT_PROBLEM, CLIENT_DEFAULTS, isClearText, type VerifyClientOptions } from './options.ts';

/** A larger count is a typing mistake. */
const MAX_COUNT = 1_000_000;
/** Below the longest text that V8 holds, 2^29 - 24 characters. */
const MAX_BODY_BYTES = 2 ** 28;

/** The characters of a header's name (RFC 9110, section 5.6.2). */
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

const PATHS_PROBLEM = 'has to be a dotted path such as data.token, or a list of them';

/** The schemas of the two ways to give an account. */
const schemas = lazy(() => {
  const z = require<typeof Zod>('zod');
  const text = z.string(expected('a text')).min(1, 'is empty');

  const whole = (most: number, least = 1) =>
    z
      .number(expected('a number'))
      .refine(
        (n) => Number.isInteger(n) && n >= least && n <= most,
        `has to be a whole number from ${least} to ${most}`,
      );

  /** A number above 0; with `orZero`, 0 too. */
  const positive = (most: number, orZero = false) =>
    z
      .number(expected('a number'))
      .refine(
        (n) => (orZero ? n >= 0 : n > 0) && n <= most,
        `has to be a number ${orZero ? 'from 0' : 'above 0,'} to ${most}`,
      );

  const headerNames = z
    .unknown()
    .transform((value) => (typeof value === 'string' ? [value] : value))
    .refine(
      (value): value is string[] =>
        Array.isArray(value) && value.every((name) => typeof name === 'string' && HEADER.test(name)),
      'has to be the name of a header such as x-request-id, or a list of them',
    );

  const paths = z
    .unknown()
    .transform((value) => (typeof value === 'string' ? [value] : value))
    .refine(
      (value): value is string[] =>
        Array.isArray(value) && value.every((path) => typeof path === 'string' && isPath(path)),
      PATHS_PROBLEM,
    )
    .transform((texts) => texts.map((path) => path.split('.')));

  const fields = z.strictObject(
    {
      baseUrl: text.transform((value, context) => {
        const base = parseBaseUrl(value);
        if (base !== undefined) return base;
        context.addIssue('has to be an http or https URL without user name, password, query and fragment');
        return z.NEVER;
      }),
      allowClearText: z.boolean(expected('true or false')).default(CLIENT_DEFAULTS.allowClearText),
      environment: z.enum(['sandbox', 'production'], expected('sandbox or production')),
      ...connectionFields(),
      idleMs: whole(MAX_TIMER_MS).optional(),
      tokenPath: paths.refine((found) => found.length > 0, PATHS_PROBLEM).prefault(CLIENT_DEFAULTS.tokenPath),
      requestIdHeader: headerNames.prefault(CLIENT_DEFAULTS.requestIdHeader),
      requestIdPath: paths.prefault(CLIENT_DEFAULTS.requestIdPath),
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
      maxCallsPerDay: whole(Number.MAX_SAFE_INTEGER).optional(),
      onEvent: z
        .custom<(event: ClientEvent) => void>((value) => typeof value === 'function', 'has to be a function')
        .optional(),
      now: z
        .custom<() => number>((value) => typeof value === 'function', 'has to be a function')
        .default(() => CLIENT_DEFAULTS.now),
    },
    expected('an object'),
  );

  const fixedAccount = fields.extend({ username: text, password: text, credentials: z.undefined().optional() });

  const excluded = z.undefined('cannot be combined with credentials').optional();
  const askedAccount = fields.extend({
    username: excluded,
    password: excluded,
    credentials: z.custom<() => unknown>((value) => typeof value === 'function', 'has to be a function'),
  });

  /** Every option as an own property, so that none is ever read from a polluted `Object.prototype`. */
  const absent = Object.fromEntries(Object.keys(askedAccount.shape).map((name) => [name, undefined]));

  return { fixedAccount, askedAccount, absent };
});

type Schemas = ReturnType<typeof schemas>;

/** The checked options. `baseUrl` does not end in a slash; each token path is a list of its steps. */
export type Settings = Zod.output<Schemas['fixedAccount'] | Schemas['askedAccount']> & {
  /** The proxy to be used. */
  readonly proxy?: URL | undefined;
};

/** Checks a client's options. Throws CONFIGURATION_INVALID with all problems; it names options, never a value. */
export function readOptions(options: VerifyClientOptions): Settings {
  const { fixedAccount, askedAccount, absent } = schemas();
  const what = 'an option of the verify client';
  const { schema, result } = readGiven('CONFIGURATION_INVALID', what, () => {
    const given = ownCopy(options);
    const schema = ownValue(given, 'credentials') === undefined ? fixedAccount : askedAccount;
    return { schema, result: schema.safeParse(given) };
  });
  if (!result.success) throw invalid(describeIssues(result.error.issues, Object.keys(schema.shape)));
  const { data } = result;
  const { baseUrl, allowClearText } = data;
  if (!allowClearText && isClearText(baseUrl)) {
    throw invalid(`baseUrl ${CLEAR_TEXT_PROBLEM}: use https, or set allowClearText: true`);
  }
  const settings = { ...absent, ...data };
  const proxy = findProxy(settings.proxy, baseUrl);
  const problem = connectionProblem({ ...settings, proxy }, baseUrl);
  if (problem !== undefined) throw invalid(problem);
  return { ...settings, proxy: proxy === 'invalid' ? undefined : proxy };
}

function invalid(problems: string): VerdictError {
  return new VerdictError('CONFIGURATION_INVALID', `the options of the verify client cannot be used: ${problems}`);
}

function parseBaseUrl(text: string): string | undefined {
  // Checked in the text, because a URL object does not show an empty query or fragment.
  if (/[?#]/.test(text)) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function isPath(path: string): boolean {
  return path.split('.').every((step) => step !== '');
}
