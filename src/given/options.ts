/** Options and arguments as a caller gives them -> the same, checked; a VerdictError names what is wrong. */

import { type ErrorCode, VerdictError } from '../errors.ts';
import { nearest } from '../text.ts';
import { isDelay, MAX_TIMER_MS, ownCopy, readGiven } from './read-given.ts';

/** What a value has to be: in words, which follow "has to be" or "must be", and as a check. */
export interface Kind {
  readonly expected: string;
  is(value: unknown): boolean;
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

/** The most keys that a message lists. */
const FEW = 5;

/**
 * Creates the reader of an object of options: it gives a copy with the options that are there and not undefined, or
 * throws an error that names every problem and repeats no value. `what` begins the message: `the options of the
 * decider`.
 */
export function optionsReader<Options>(
  what: string,
  kinds: Kinds<Options>,
  code: ErrorCode = 'CONFIGURATION_INVALID',
): (given: unknown) => Options {
  const options = new Map(
    Object.entries<Kind>(kinds).map(([name, kind]) => {
      const isOptional = name.endsWith('?');
      return [isOptional ? name.slice(0, -1) : name, { kind, isOptional }];
    }),
  );
  return (given) =>
    readGiven(code, what, () => {
      if (!isObject(given)) throw invalid(code, `${what} must be an object`);
      const found = ownCopy(given) as Record<string, unknown>;
      const problems: string[] = [];
      for (const [name, { kind, isOptional }] of options) {
        if (found[name] === undefined) {
          delete found[name];
          if (!isOptional) problems.push(`${name} is missing: it has to be ${kind.expected}`);
        } else if (!kind.is(found[name])) problems.push(`${name} has to be ${kind.expected}`);
      }
      const names = [...options.keys()];
      const unknown = Object.keys(found).filter((name) => !options.has(name));
      for (const name of unknown.slice(0, FEW)) problems.push(describeUnknownKey(name, names));
      if (unknown.length > 0 && names.length <= FEW) problems.push(`expected ${names.join(', ') || 'none'}`);
      if (problems.length === 0) return found as Options;
      throw invalid(code, `${what} cannot be used: ${problems.join('; ')}`);
    });
}

/** An argument of a kind. Throws REQUEST_INVALID for any other value. `what` begins the message: `the policy`. */
export function readArgument<Value>(what: string, { expected, is }: Kind, given: Value): Value {
  if (readGiven('REQUEST_INVALID', what, () => is(given))) return given;
  throw invalid('REQUEST_INVALID', `${what} must be ${expected}`);
}

function invalid(code: ErrorCode, message: string): VerdictError {
  return new VerdictError(code, message, { carriedOut: 'no' });
}

/** An object that can hold options: no list, Map, Date, URL or function. */
function isObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** Keys that look like identifiers; any other key may be a misplaced value. */
const NAME = /^[a-z]\w{0,39}$/i;

/** The words for a key that is not known. */
export function describeUnknownKey(key: string, known: readonly string[]): string {
  if (!NAME.test(key)) return 'there is an unknown key';
  const near = nearest(key, known) ?? known.find((each) => each.startsWith(key));
  return `unknown key "${key}"${near === undefined ? '' : ` (did you mean "${near}"?)`}`;
}
