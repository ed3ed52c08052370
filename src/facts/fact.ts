/** The types of a fact that has been read: present with a value, or missing with a cause. */

/**
 * Why a fact is missing. For an answer of the service, the first cause that applies:
 *
 * - `notRequested`: its identity variable was not sent, or its service was not requested
 * - `sourceFailed`: the call, or the source of the fact, failed
 * - `unmapped`: the mapping has no path for it
 * - `notReturned`: the answer has no value for it
 * - `invalid`: the value cannot be read as the fact's type
 *
 * A fact derived from numbering plans or borders is `unmapped` too if they have none. `notGiven`: the fact was not
 * supplied. A velocity is `sourceFailed` if its store did not answer, `notRequested` without a store, and `notGiven`
 * for an applicant without the value that it is counted by. `incomplete`: its window reaches into a time that was not
 * counted. `noneSeen`: no such application came before, so it has no time to give.
 */
export const CAUSES = [
  'notRequested',
  'sourceFailed',
  'unmapped',
  'notReturned',
  'invalid',
  'notGiven',
  'incomplete',
  'noneSeen',
] as const;

/** Why a fact is missing. */
export type Cause = (typeof CAUSES)[number];

/**
 * A fact's value, depending on the type in its definition: a finite number; a boolean; a text (enums and levels by
 * name, strings folded, dates as yyyy-MM-dd or `never`).
 */
export type FactValue = number | boolean | string;

/** A fact with a value. */
export interface PresentFact {
  /** The value that tests compare. */
  readonly value: FactValue;
  /** The original text, if folding changed it; evidence and messages show this one. */
  readonly text?: string;
}

/** A fact without a value. */
export interface MissingFact {
  readonly missing: Cause;
  /** With `invalid`: the value that could not be read, cut at 200 characters. */
  readonly raw?: string;
  /** With `incomplete`: the day from which on it is complete, yyyy-MM-dd. */
  readonly completeOn?: string;
}

/** A fact: present, or missing with a cause. */
export type Fact = PresentFact | MissingFact;

/** A fact as supplied, before it is read: any value, or the cause why it is missing. */
export type GivenFact = { readonly value: unknown } | MissingFact;

/** Facts by path. A fact whose path is absent was not given. */
export type Facts = ReadonlyMap<string, Fact>;

/** The date value of something that never happened. */
export const NEVER = 'never';

/** Whether a fact is missing. */
export function isMissing(fact: Fact | GivenFact): fact is MissingFact {
  // Own properties only: `Object.prototype` may be polluted. The plain read comes first because it is fast.
  return (fact as Partial<MissingFact>).missing !== undefined && Object.hasOwn(fact, 'missing');
}

/** A fact's value as people see it: the original text, not the folded one. */
export function shownValue(fact: PresentFact): FactValue {
  return fact.text !== undefined && Object.hasOwn(fact, 'text') ? fact.text : fact.value;
}

/** Enough to see what is wrong, without keeping more of what may be personal data. */
const RAW_LENGTH = 200;

/** `raw` holds a text as it is, an object or list as JSON, and anything else as `String` prints it. */
export function invalidFact(raw: unknown): MissingFact {
  const text = textOf(raw);
  return text === undefined ? { missing: 'invalid' } : { missing: 'invalid', raw: cut(text) };
}

function textOf(raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw;
  try {
    return typeof raw !== 'object' || raw === null ? String(raw) : JSON.stringify(raw);
  } catch {
    return undefined; // circular, nested deeper than the stack allows, or with a function that throws
  }
}

/** At most 200 UTF-16 code units, never half a surrogate pair, which canonical JSON, the form of records, forbids. */
function cut(text: string): string {
  if (text.length <= RAW_LENGTH) return text.toWellFormed();
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(RAW_LENGTH - 1));
  return text.slice(0, isHalf ? RAW_LENGTH - 1 : RAW_LENGTH).toWellFormed();
}
