/** Facts -> numbers and texts in the order of a fact table, encoded once for many decisions. */

import { type FactDefinition, type FactTable, LEVELS } from '../../facts/catalog.ts';
import { dayNumber, dayOfNumber, FIRST_DAY, LAST_DAY } from '../../facts/day.ts';
import { type Fact, type Facts, type FactValue, isMissing, NEVER } from '../../facts/fact.ts';
import { asRead, markRead, newFacts } from '../../facts/fact-reader.ts';
import { cached } from '../../platform/cached.ts';
import { MAP, readArgument } from '../../platform/given/options.ts';
import { readGiven } from '../../platform/given/read-given.ts';

/** The number of a missing fact, and of a date that is known never to have happened. */
export const MISSING_NUMBER = Number.NaN;
export const NEVER_NUMBER = Number.POSITIVE_INFINITY;

/**
 * Facts in the form that a matcher reads, so that none is looked up by name. It saves time if several policies, or
 * several versions of one, decide on the same facts. It is a copy: later changes to the facts do not affect it.
 */
export class EncodedFacts {
  readonly facts: Facts;
  readonly table: FactTable;
  /**
   * The facts that are not strings, in the order of the table: a number as it is; a date in days since 1970; a
   * boolean as 0 or 1; a level or an enum value by its index in its definition.
   */
  readonly numbers: readonly number[];
  /** The strings, in the same order. */
  readonly texts: readonly (string | undefined)[];
  /** The latest date of the past, in days since 1970: on a day before it, facts have other values. */
  readonly latest: number;

  /** Use `encodeFacts`. */
  constructor(facts: Facts, table: FactTable, encoded: Pick<EncodedFacts, 'numbers' | 'texts' | 'latest'>) {
    this.facts = facts;
    this.table = table;
    this.numbers = encoded.numbers;
    this.texts = encoded.texts;
    this.latest = encoded.latest;
  }
}

/**
 * Encodes facts by a table, such as `policy.facts`, for every policy with the same table. Throws REQUEST_INVALID for
 * facts or a table that cannot be read.
 */
export function encodeFacts(facts: Facts, table: FactTable): EncodedFacts {
  readArgument('the facts', MAP, facts);
  readArgument('the table of facts', MAP, table);
  return readGiven('REQUEST_INVALID', 'the facts', () => encode(facts, table));
}

function encode(facts: Facts, table: FactTable): EncodedFacts {
  // For any day: a date of the past that is ahead of a decision's day is read again then.
  const read = asRead(facts, table, LAST_DAY);
  let latest = LEAST;
  const numbers: number[] = [];
  const texts: (string | undefined)[] = [];
  for (const [path, definition] of table) {
    const fact = read.get(path);
    if (isText(definition)) {
      texts.push(textOf(fact));
      continue;
    }
    const number = numberOf(fact, encoderOf(definition));
    numbers.push(number);
    if (definition.past && number > latest && number !== NEVER_NUMBER) latest = number;
  }
  return new EncodedFacts(markRead(newFacts(read), table, dayOfNumber(latest)), table, { numbers, texts, latest });
}

const LEAST = dayNumber(FIRST_DAY);

/** Whether a fact is encoded among the texts. */
export function isText({ type }: FactDefinition): boolean {
  return type === 'string';
}

/** The index of each fact of a table, among the numbers or among the texts. */
export function slotsOf(table: FactTable): ReadonlyMap<string, number> {
  const slots = new Map<string, number>();
  let texts = 0;
  for (const [path, definition] of table) slots.set(path, isText(definition) ? texts++ : slots.size - texts);
  return slots;
}

/** A value -> its number; `MISSING_NUMBER` for a value that the fact cannot have. */
export type Encoder = (value: FactValue) => number;

/** The number of a fact. */
export function numberOf(fact: Fact | undefined, encode: Encoder): number {
  return fact === undefined || isMissing(fact) ? MISSING_NUMBER : encode(fact.value);
}

/** The text of a fact; undefined if it is missing. */
export function textOf(fact: Fact | undefined): string | undefined {
  if (fact === undefined || isMissing(fact)) return undefined;
  return typeof fact.value === 'string' ? fact.value : undefined;
}

/** The encoder of a fact that is not a string. */
export function encoderOf({ type, values = NONE }: FactDefinition): Encoder {
  switch (type) {
    case 'boolean':
      return encodeBoolean;
    case 'date':
      return encodeDate;
    case 'level':
      return encodeLevel;
    case 'enum':
      return encoderAmong(values);
    case 'integer':
      return encodeInteger;
    default:
      return encodeNumber;
  }
}

const NONE: readonly string[] = [];

const encodeNumber: Encoder = (value) => (Number.isFinite(value) ? (value as number) : MISSING_NUMBER);
const encodeInteger: Encoder = (value) => (Number.isSafeInteger(value) ? (value as number) : MISSING_NUMBER);
const encodeBoolean: Encoder = (value) => (typeof value === 'boolean' ? Number(value) : MISSING_NUMBER);
const encodeDate: Encoder = (value) => {
  if (typeof value !== 'string') return MISSING_NUMBER;
  return value === NEVER ? NEVER_NUMBER : dayNumber(value);
};

/** The encoder of a list of names, made once: a name's number is its index. */
const encoderAmong = cached((names: readonly string[]): Encoder => {
  const indexes: ReadonlyMap<FactValue, number> = new Map(names.map((name, index) => [name, index]));
  return (value) => indexes.get(value) ?? MISSING_NUMBER;
});

const encodeLevel = encoderAmong(LEVELS);
