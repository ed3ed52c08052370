/** What a fact is once it has been read: present with a value, or missing with a cause. */

/**
 * Why a fact is missing. For an answer of the service, the first that holds of: its identity variable or service was not
 * asked for; the source did not answer; the mapping has no place for it; nothing stands there; what stands there cannot
 * be read. A fact in hand that nobody gave has the cause `notGiven`.
 */
export const CAUSES = ['notRequested', 'sourceFailed', 'unmapped', 'notReturned', 'invalid', 'notGiven'] as const;

/** Why a fact is missing. */
export type Cause = (typeof CAUSES)[number];

/**
 * A fact's value: a finite number; a boolean; a text (enums and levels by name, strings folded, dates as yyyy-MM-dd or
 * `never`). The fact's definition tells which.
 */
export type FactValue = number | boolean | string;

/** A fact that is known. */
export interface PresentFact {
  /** What tests compare. */
  readonly value: FactValue;
  /** The text as it came, where folding changed it; evidence and messages show this. */
  readonly text?: string;
}

/** A fact that is not known. */
export interface MissingFact {
  readonly missing: Cause;
  /** Beside `invalid`: what was found, cut at 200 characters. */
  readonly raw?: string;
}

/** A fact: known, or not known for a reason. */
export type Fact = PresentFact | MissingFact;

/** What somebody says of a fact before it is read: any value whatever, or why there is none. */
export type GivenFact = { readonly value: unknown } | MissingFact;

/** Facts by path. A path that is not in it was not given. */
export type Facts = ReadonlyMap<string, Fact>;

/** The date value of something that is known not to have happened. */
export const NEVER = 'never';

/** Whether a fact is missing. */
export function isMissing(fact: Fact | GivenFact): fact is MissingFact {
  // Own properties only: somebody may have given `Object.prototype` more than it had. The look before is what is fast.
  return (fact as Partial<MissingFact>).missing !== undefined && Object.hasOwn(fact, 'missing');
}

/** A fact's value as people see it: the text as it came. */
export function shownValue(fact: PresentFact): FactValue {
  return fact.text !== undefined && Object.hasOwn(fact, 'text') ? fact.text : fact.value;
}
