/** A caller's objects and functions -> what they give: own properties only, and a VerdictError if they throw. */

import { type ErrorCode, VerdictError } from '../../errors.ts';

/** The longest delay of a Node timer; a longer delay fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Reads what the caller gave: getters, proxies and functions of the caller may throw anything. Their error is not
 * kept, since it may quote personal data. `what` begins the message: `the applicant`.
 */
export function readGiven<Result>(code: ErrorCode, what: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw unreadable(code, what, error);
  }
}

/** The error to throw when reading the caller's value threw: that VerdictError, or a new one that repeats nothing. */
export function unreadable(code: ErrorCode, what: string, thrown: unknown): VerdictError {
  if (VerdictError.is(thrown)) return thrown;
  return new VerdictError(code, `${what} cannot be read: malformed, or code of the caller threw an error`, {
    carriedOut: 'no',
  });
}

/** Whether a value is a delay that a timer can wait for. */
export function isDelay(value: unknown, least = 1): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= MAX_TIMER_MS;
}

/** The last millisecond of the year 9999, the last that a day of a decision can have. */
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The time by a caller's clock. Throws CONFIGURATION_INVALID if the clock throws or returns something else. */
export function readClock(now: () => number): number {
  const epochMs: unknown = readGiven('CONFIGURATION_INVALID', 'the clock `now`', now);
  if (typeof epochMs === 'number' && epochMs >= 0 && epochMs <= LAST_INSTANT) return epochMs;
  throw new VerdictError(
    'CONFIGURATION_INVALID',
    'the clock `now` does not give a time: expected the milliseconds since 1970, up to the year 9999',
    { carriedOut: 'no' },
  );
}

/** A clock that repeats its last time whenever the caller's clock fails, so that a running call is not lost. */
export function steadyClock(now: () => number): () => number {
  let last = 0;
  return () => {
    try {
      last = readClock(now);
    } catch {
      // The next call fails before it is sent: `readClock` is its first step.
    }
    return last;
  };
}

/** A copy of an object with its own enumerable properties and no prototype. Other values are returned as they are. */
export function ownCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.assign(Object.create(null), value);
}

/** An object's own property; undefined if it has none, or is not an object. */
export function ownValue(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
