/** A value of an answer -> whether it says that the service, or one source, answered or failed. */

import { type Scalar, spellingKey } from './value/spelling-key.ts';

const keysOf = (words: string): ReadonlySet<string> =>
  new Set(words.split(',').map((word) => spellingKey(word.trim())));

const SUCCESS = keysOf(`
  ok, okay, success, successful, succeeded, complete, completed, done, answered, responded, finished, fulfilled`);
const FAILURE = keysOf(`
  fail, failed, failure, error, errored, timeout, timed out, time out, unavailable, down, no response,
  source unavailable, service unavailable, not answered, unanswered, skipped, not requested, incomplete, degraded,
  partial, source error, source timeout, upstream error, upstream timeout, internal error, unsuccessful, aborted`);
/** For the whole answer: some sources failed and say so themselves. For a source: a failure. */
const PARTIAL = keysOf('partial, partially completed, partial success, partially successful, incomplete, degraded');
/** Words that describe only a call; `completed`, `done` and `unavailable` may describe a porting or a mailbox. */
const PLAIN = keysOf(`
  ok, okay, success, successful, succeeded, answered, responded, fail, failed, failure, error, errored, timeout,
  timed out, time out, no response, source unavailable, service unavailable, source error, source timeout,
  upstream error, upstream timeout, internal error, unsuccessful`);
const FAILURE_WORDS = keysOf('timeout, error, fail, failed, failure');

/** Longer texts are not statuses. */
const MAX_LENGTH = 60;

export function isSuccess(value: Scalar | null): boolean {
  return value === true || value === 200 || (typeof value === 'string' && SUCCESS.has(spellingKey(value)));
}

export function isPartial(value: Scalar | null): boolean {
  return typeof value === 'string' && PARTIAL.has(spellingKey(value));
}

/** `TIMEOUT`, `E_TIMEOUT`, `upstream error`. */
export function isFailure(value: Scalar): boolean {
  if (typeof value !== 'string') return value === false;
  return FAILURE.has(spellingKey(value)) || isPartial(value) || hasFailureWord(value);
}

/** Whether the value can only be the status of a call. */
export function isPlainStatus(value: Scalar): boolean {
  return typeof value === 'string' && (PLAIN.has(spellingKey(value)) || hasFailureWord(value));
}

function hasFailureWord(value: string): boolean {
  if (value.length > MAX_LENGTH) return false;
  return value.split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})/u).some((word) => FAILURE_WORDS.has(spellingKey(word)));
}

/** The name of a field that is present only after a failure: `error`, `errorCode`, `failure_reason`. */
const ERROR_NAME =
  /^(?:errors?|failures?|faults?|exceptions?|err)(?:code|message|msg|text|reason|description|details?|info|type|id)?$/i;

export function isErrorName(name: string): boolean {
  return ERROR_NAME.test(name.replace(/[^\p{L}]/gu, ''));
}

const SUCCESS_FLAG = /^(?:is|was|has)?(?:success|successful|succeeded|ok|answered|responded)$/i;
const FAILURE_FLAG = new RegExp(
  '^(?:is|was|has|had|did)?(?:source|service|lookup|query|request|call|provider|vendor|upstream)?' +
    '(?:failed|fail|failure|timed?out|errored|errors?|unanswered|noresponse|noanswer|aborted|skipped)$',
  'i',
);

/** What `true` means in a flag of that name: `success` in `ok`, `failure` in `timed_out`. */
export function flagSense(name: string): 'success' | 'failure' | undefined {
  const letters = name.replace(/[^\p{L}]/gu, '');
  if (SUCCESS_FLAG.test(letters)) return 'success';
  return FAILURE_FLAG.test(letters) ? 'failure' : undefined;
}

const OPPOSITES: ReadonlyMap<string, string> = new Map([
  ['true', 'false'],
  ['yes', 'no'],
  ['y', 'n'],
]);

/** Whether a value can be that of a flag: `true`, or a text that means the same. A number may be a count. */
export function isFlagValue(value: Scalar): boolean {
  const key = typeof value === 'number' ? '' : spellingKey(value);
  return [...OPPOSITES].flat().includes(key);
}

export function isTrue(value: Scalar): boolean {
  return OPPOSITES.has(spellingKey(value));
}

/** The other value of a flag. */
export function oppositeOf(value: Scalar): Scalar {
  if (typeof value === 'boolean') return !value;
  const pair = [...OPPOSITES].find((two) => two.includes(spellingKey(value)));
  return pair?.find((one) => one !== spellingKey(value)) ?? false;
}

/** The name of a map or list of statuses. */
const STATUS_MAP = /(?:statuses|states|outcomes|sources|availability|answered|responded|succeeded)$/i;

export function isStatusMapName(name: string): boolean {
  return STATUS_MAP.test(name);
}
