/** Options and arguments as a caller gives them -> the same, checked; a VerdictError names what is wrong. */

import { type ErrorCode, VerdictError } from '../../errors.ts';
import { nearest } from '../../text.ts';
import { isDelay, MAX_TIMER_MS, ownCopy, readGiven } from './read-given.ts';

/** What a value has to be: in words, which follow "has to be" or "must be", and as a check. */
export interface Kind {
  readonly expected: string;
  is(value: unknown): boolean;
  /** What is wrong with any other value, where more can be said of it; continues the name of the option. */
  why?(value: unknown): string | undefined;
}

/** The kind of each option. The name of an option that may be absent ends in `?`. */
export type Kinds<Options> = {
  readonly [Name in keyof Options & string as object extends Pick<Options, Name> ? `${Name}?` : Name]-?: Kind;
};

export const TEXT: Kind = { expected: 'a non-empty text', is: (value) => typeof value === 'string' && value !== '' };
/** May be empty. */
export const ANY_TEXT: Kind = { expected: 'a text', is: (value) => typeof value === 'string' };
export const FLAG: Kind = { expected: 'true or false', is: (value) => typeof value === 'boolean' };
export const FUNCTION: Kind = { expected: 'a function', is: (value) => typeof value === 'function' };
export const ANYTHING: Kind = { expected: 'given', is: () => true };
export const OBJECT: Kind = { expected: 'an object', is: isObject };
export const MAP: Kind = { expected: 'a Map', is: (value) => value instanceof Map };
export const BYTES: Kind = { expected: 'bytes: a Uint8Array', is: (value) => value instanceof Uint8Array };
/** `aborted` fails for what only inherits from a signal. */
export const SIGNAL: Kind = {
  expected: 'an AbortSignal',
  is: (value) => value instanceof AbortSignal && typeof value.aborted === 'boolean',
};

/** A time that a timer can wait for, in milliseconds. */
export function milliseconds(least: number): Kind {
  const expected = `a whole number from ${least} to ${MAX_TIMER_MS}: milliseconds`;
  return { expected, is: (value) => isDelay(value, least) };
}

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): Kind {
  const expected = `a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}`;
  return { expected, is: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most };
}

/** A kind whose check says what is wrong, which continues the name of the option: `has a name twice`. */
export function checkedBy(expected: string, problemOf: (value: unknown) => string | undefined): Kind {
  return { expected, is: (value) => problemOf(value) === undefined, why: problemOf };
}

/** One of some texts. */
export function oneOf(texts: readonly string[]): Kind {
  return { expected: texts.join(' or '), is: (value) => texts.some((text) => text === value) };
}

/** A list of values of one kind. */
export function listOf({ is }: Kind, expected: string): Kind {
  return { expected, is: (value) => Array.isArray(value) && Array.from(value).every(is) };
}

/** An object whose values are of one kind. */
export function mapOf({ is }: Kind, expected: string): Kind {
  return { expected, is: (value) => isObject(value) && Object.values(value).every(is) };
}

/** The maximum number of keys that a message lists. */
const MAX_LISTED = 5;

/**
 * Creates the reader of an options object. It returns a copy without the options that are undefined, or throws an
 * error that names every problem and repeats no value. `what` begins the message: `the options of the decider`.
 */
export function optionsReader<Options>(
  what: string,
  kinds: Kinds<Options>,
  code: ErrorCode = 'CONFIGURATION_INVALID',
): (input: unknown) => Options {
  const options = new Map(
    Object.entries<Kind>(kinds).map(([name, kind]) => {
      const isOptional = name.endsWith('?');
      return [isOptional ? name.slice(0, -1) : name, { kind, isOptional }];
    }),
  );
  return (input) =>
    readGiven(code, what, () => {
      if (!isObject(input)) throw invalid(code, `${what} must be an object`);
      const values = ownCopy(input) as Record<string, unknown>;
      const problems: string[] = [];
      for (const [name, { kind, isOptional }] of options) {
        if (values[name] === undefined) {
          delete values[name];
          if (!isOptional) problems.push(`${name} is missing: it has to be ${kind.expected}`);
        } else if (!kind.is(values[name]))
          problems.push(`${name} ${kind.why?.(values[name]) ?? `has to be ${kind.expected}`}`);
      }
      const names = [...options.keys()];
      const unknown = Object.keys(values).filter((name) => !options.has(name));
      for (const name of unknown.slice(0, MAX_LISTED)) problems.push(describeUnknownKey(name, names));
      if (unknown.length > 0 && names.length <= MAX_LISTED) problems.push(`expected ${names.join(', ') || 'none'}`);
      if (problems.length === 0) return values as Options;
      throw invalid(code, `${what} cannot be used: ${problems.join('; ')}`);
    });
}

/** An argument of a kind. Throws REQUEST_INVALID for any other value. `what` begins the message: `the policy`. */
export function readArgument<Value>(what: string, { expected, is }: Kind, value: Value): Value {
  if (readGiven('REQUEST_INVALID', what, () => is(value))) return value;
  throw invalid('REQUEST_INVALID', `${what} must be ${expected}`);
}

function invalid(code: ErrorCode, message: string): VerdictError {
  return new VerdictError(code, message, { carriedOut: 'no' });
}

/** Whether a value is an object that can hold options, rather than a list, Map, Date, URL or function. */
function isObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** Keys that look like identifiers; any other key may be a misplaced value. */
const NAME = /^[a-z]\w{0,39}$/i;

/** The message for an unknown key. */
export function describeUnknownKey(key: string, knownKeys: readonly string[]): string {
  if (!NAME.test(key)) return 'there is an unknown key';
  const match = nearest(key, knownKeys) ?? knownKeys.find((each) => each.startsWith(key));
  return `unknown key "${key}"${match === undefined ? '' : ` (did you mean "${match}"?)`}`;
}
