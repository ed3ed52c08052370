/** Facts in hand -> a row of numbers, a place for each fact of a table: what can be laid out once for many decisions. */

import { type FactDefinition, type FactTable, LEVELS } from '../../facts/catalog.ts';
import { dayNumber } from '../../facts/day.ts';
import { type Fact, type Facts, type FactValue, isMissing, NEVER } from '../../facts/fact.ts';

/** The number of what is missing, and of a date that is known not to have happened. */
export const MISSING_NUMBER = Number.NaN;
export const NEVER_NUMBER = Number.POSITIVE_INFINITY;

/**
 * Facts as a matcher reads them, which saves finding each by its name: for those on whom several policies, or several
 * versions of one, decide. It is a copy: what is changed in the facts later does not reach it.
 */
export class EncodedFacts {
  readonly facts: Facts;
  readonly table: FactTable;
  /**
   * Of the facts that are no strings, in the order of the table: a number as it is; days since 1970; 0 or 1; the step of a
   * level; the place of an enum's value in its definition.
   */
  readonly numbers: readonly number[];
  /** Of the strings, in the same order. */
  readonly texts: readonly (string | undefined)[];

  /** Use `encodeFacts`. */
  constructor(facts: Facts, table: FactTable, numbers: readonly number[], texts: readonly (string | undefined)[]) {
    this.facts = facts;
    this.table = table;
    this.numbers = numbers;
    this.texts = texts;
  }
}

/** Lays facts out by a table, such as `policy.facts`; they serve every policy with the same table. */
export function encodeFacts(facts: Facts, table: FactTable): EncodedFacts {
  const numbers: number[] = [];
  const texts: (string | undefined)[] = [];
  for (const [path, definition] of table) {
    const fact = facts.get(path);
    if (isText(definition)) texts.push(textOf(fact));
    else numbers.push(numberOf(fact, encoderOf(definition)));
  }
  return new EncodedFacts(new Map(facts), table, numbers, texts);
}

/** Whether a fact stands among the texts of a row. */
export function isText({ type }: FactDefinition): boolean {
  return type === 'string';
}

/** The place of each fact of a table, among the numbers of a row or among its texts. */
export function slotsOf(table: FactTable): ReadonlyMap<string, number> {
  const slots = new Map<string, number>();
  let texts = 0;
  for (const [path, definition] of table) slots.set(path, isText(definition) ? texts++ : slots.size - texts);
  return slots;
}

/** Whether rows that are laid out by one table have each fact at the same place as those by another, and as the same. */
export function isSameTable(one: FactTable, other: FactTable): boolean {
  if (one === other) return true;
  if (one.size !== other.size) return false;
  const others = other.entries();
  for (const [path, definition] of one) {
    const [otherPath, otherDefinition] = others.next().value ?? [];
    if (path !== otherPath || numbersOf(definition) !== numbersOf(otherDefinition)) return false;
  }
  return true;
}

/** Equal for facts whose values have the same numbers. */
function numbersOf(definition: FactDefinition | undefined): string {
  return JSON.stringify([definition?.type, definition?.values]);
}

/** A value that is not missing -> its number; `MISSING_NUMBER` for one that the fact cannot have. */
export type Encoder = (value: FactValue) => number;

/** The number of a fact. */
export function numberOf(fact: Fact | undefined, encode: Encoder): number {
  return fact === undefined || isMissing(fact) ? MISSING_NUMBER : encode(fact.value);
}

/** The text of a fact that is a string. */
export function textOf(fact: Fact | undefined): string | undefined {
  if (fact === undefined || isMissing(fact)) return undefined;
  return typeof fact.value === 'string' ? fact.value : undefined;
}

/** The numbers of a fact's values. A string has none. */
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

const encoders = new WeakMap<readonly string[], Encoder>();

/** The encoder of some names, made once: their places in the list. */
function encoderAmong(names: readonly string[]): Encoder {
  let encode = encoders.get(names);
  if (!encode) {
    const places: ReadonlyMap<FactValue, number> = new Map(names.map((name, place) => [name, place]));
    encode = (value) => places.get(value) ?? MISSING_NUMBER;
    encoders.set(names, encode);
  }
  return encode;
}

const encodeLevel = encoderAmong(LEVELS);
