/** A client's options -> checked settings with every default filled in. */

import { VerdictError } from '../errors.ts';
import {
  checkedBy,
  FLAG,
  FUNCTION,
  type Kind,
  milliseconds,
  oneOf,
  optionsReader,
  TEXT,
  wholeNumber,
} from '../platform/given/options.ts';
import { ownValue, readGiven } from '../platform/given/read-given.ts';
import { CONNECTION_KINDS, readConnection } from './http/connection.ts';
import { CLEAR_TEXT_PROBLEM, CLIENT_DEFAULTS, isClearText, type VerifyClientOptions } from './options.ts';

/** A larger count is a typing mistake. */
const MAX_COUNT = 1_000_000;
/** Below the longest text that V8 holds, 2^29 - 24 characters. */
const MAX_BODY_BYTES = 2 ** 28;

/** The characters of a header's name (RFC 9110, section 5.6.2). */
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

const BASE_URL: Kind = {
  expected: 'an http or https URL without user name, password, query and fragment',
  is: (value) => typeof value === 'string' && parseBaseUrl(value) !== undefined,
};
const WHOLE = wholeNumber(1);
const WHOLE_OR_ZERO = wholeNumber(0);
const COUNT = wholeNumber(1, MAX_COUNT);
const COUNT_OR_ZERO = wholeNumber(0, MAX_COUNT);
const BUDGET: Kind = {
  expected: 'a number from 0 to 100',
  is: (value) => isNumber(value) && value >= 0 && value <= 100,
};
const RATE: Kind = {
  expected: `a number above 0, to ${MAX_COUNT}`,
  is: (value) => isNumber(value) && value > 0 && value <= MAX_COUNT,
};
const HEADERS: Kind = {
  expected: 'the name of a header such as x-request-id, or a list of them',
  is: (value) => [value].flat().every((name) => typeof name === 'string' && HEADER.test(name)),
};
const PATHS: Kind = {
  expected: 'a dotted path such as data.token, or a list of them',
  is: (value) =>
    [value].flat().every((path) => typeof path === 'string' && path.split('.').every((step) => step !== '')),
};

const KINDS = {
  baseUrl: BASE_URL,
  'allowClearText?': FLAG,
  environment: oneOf(['sandbox', 'production']),
  ...CONNECTION_KINDS,
  'tokenPath?': { ...PATHS, is: (value: unknown) => PATHS.is(value) && [value].flat().length > 0 },
  'requestIdHeader?': HEADERS,
  'requestIdPath?': PATHS,
  'tokenLifeMs?': WHOLE,
  'timeoutMs?': milliseconds(1),
  'maxBodyBytes?': wholeNumber(1, MAX_BODY_BYTES),
  'refreshAheadMs?': WHOLE_OR_ZERO,
  'signInPauseMs?': WHOLE,
  'maxAttempts?': wholeNumber(1, 100),
  'backoffMs?': milliseconds(1),
  'maxBackoffMs?': milliseconds(1),
  'retryBudget?': BUDGET,
  'retryReserve?': COUNT_OR_ZERO,
  'resendAmbiguous?': FLAG,
  'breakerFailures?': COUNT,
  'breakerPauseMs?': milliseconds(1),
  'maxConcurrent?': COUNT,
  'maxQueued?': COUNT_OR_ZERO,
  'maxPerSecond?': RATE,
  'maxCallsPerDay?': WHOLE,
  'onEvent?': FUNCTION,
  'now?': FUNCTION,
} as const;

const WHAT = 'the options of the verify client';
const EXCLUDED = checkedBy('left out', () => 'cannot be combined with credentials');

const readAccount = optionsReader<VerifyClientOptions & { readonly username: string; readonly password: string }>(
  WHAT,
  { ...KINDS, username: TEXT, password: TEXT, 'credentials?': FUNCTION },
);
const readAskedAccount = optionsReader<VerifyClientOptions>(WHAT, {
  ...KINDS,
  ...{ 'username?': EXCLUDED, 'password?': EXCLUDED, 'credentials?': FUNCTION },
});

/** Every option as an own property, so that none is ever read from a polluted `Object.prototype`. */
const ABSENT: object = Object.fromEntries(
  [...Object.keys(KINDS), 'username', 'password', 'credentials'].map((name) => [name.replace('?', ''), undefined]),
);
/** Beside an agent, `idleMs` has no default. */
const { idleMs: _, ...DEFAULTS } = CLIENT_DEFAULTS;

/** The checked options. `baseUrl` does not end in a slash; each token path is a list of its steps. */
export type Settings = ReturnType<typeof readOptions>;

/** Checks a client's options. Throws CONFIGURATION_INVALID with all problems; it names options, never a value. */
export function readOptions(options: VerifyClientOptions) {
  return readGiven('CONFIGURATION_INVALID', WHAT, () => settingsOf(options));
}

function settingsOf(options: VerifyClientOptions) {
  const read = ownValue(options, 'credentials') === undefined ? readAccount : readAskedAccount;
  const given = { ...ABSENT, ...DEFAULTS, ...read(options) };
  const baseUrl = parseBaseUrl(given.baseUrl) ?? '';
  if (!given.allowClearText && isClearText(baseUrl)) {
    throw invalid(`baseUrl ${CLEAR_TEXT_PROBLEM}: use https, or set allowClearText: true`);
  }
  const connection = readConnection(given, baseUrl);
  if (typeof connection === 'string') throw invalid(connection);
  return {
    ...{ ...given, ...connection, baseUrl },
    tokenPath: stepsOf(given.tokenPath),
    requestIdHeader: [given.requestIdHeader].flat(),
    requestIdPath: stepsOf(given.requestIdPath),
  };
}

function invalid(problem: string): VerdictError {
  return new VerdictError('CONFIGURATION_INVALID', `${WHAT} cannot be used: ${problem}`);
}

function parseBaseUrl(text: string): string | undefined {
  // Checked in the text, because a URL object does not show an empty query or fragment.
  if (/[?#]/.test(text)) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function stepsOf(paths: string | readonly string[]): readonly (readonly string[])[] {
  return [paths].flat().map((path) => path.split('.'));
}
