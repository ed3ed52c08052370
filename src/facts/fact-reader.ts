/** Facts as given by an answer, a file or a caller -> facts: types checked, strings folded, derived facts computed. */

import { cached } from '../platform/cached.ts';
import { fold } from '../platform/formats/fold.ts';
import { readFormat } from '../platform/formats/format.ts';
import type { Geodata } from '../platform/formats/geo/geodata.ts';
import { mailboxOf } from '../platform/formats/mailbox.ts';
import { MAP, readArgument } from '../platform/given/options.ts';
import { readGiven } from '../platform/given/read-given.ts';
import { trimWhiteSpace } from '../text.ts';
import { type FactDefinition, type FactTable, type FactType, LEVELS } from './catalog.ts';
import { computedIn, computeFact, deriveFact, setComputed } from './compute.ts';
import { daysBetween, isDay, readDay } from './day.ts';
import {
  type Fact,
  type Facts,
  type FactValue,
  type GivenFact,
  invalidFact,
  isMissing,
  type MissingFact,
  NEVER,
  shownValue,
} from './fact.ts';

export type { GivenFact } from './fact.ts';

/** A fact that was not given. */
export const NOT_GIVEN: MissingFact = Object.freeze({ missing: 'notGiven' });

/**
 * Reads one fact. Null and blank text are `notGiven`. A value that is not exactly of the definition's type is
 * `invalid`, and kept, cut at 200 characters.
 *
 * @param day the day of the decision, yyyy-MM-dd; `past` dates are checked against it
 */
export function readFact(definition: FactDefinition, given: GivenFact, day: string): Fact {
  if (isMissing(given)) return given;
  const raw = given.value;
  if (raw === null || raw === undefined || (typeof raw === 'string' && trimWhiteSpace(raw) === '')) {
    return NOT_GIVEN;
  }
  const value = READERS[definition.type](raw, definition, day);
  if (value === undefined) return invalidFact(raw);
  // The text has only ignorable code points.
  if (value === '') return NOT_GIVEN;
  return definition.type === 'string' && value !== raw ? { value, text: String(raw) } : { value };
}

/**
 * Reads all facts of a table, in its order; paths that are not in the table are ignored. A derived fact is derived from
 * the others only if its path is absent from `given`; a given null or cause counts as present. A fact that the policy
 * computes is always computed, whatever is given. Without geodata, a fact that is derived with them is `unmapped`.
 * Throws REQUEST_INVALID for a day that does not exist, and if `given` or the table cannot be read.
 *
 * @param day the day of the decision, yyyy-MM-dd
 */
export function readFactsWith(
  geodata: Geodata | undefined,
  given: ReadonlyMap<string, GivenFact>,
  table: FactTable,
  day: string,
): Map<string, Fact> {
  readArgument('the given facts', MAP, given);
  readArgument('the table of facts', MAP, table);
  readDay(day);
  return readGiven('REQUEST_INVALID', 'the facts', () => {
    const facts = newFacts();
    for (const [path, definition] of table) facts.set(path, readFact(definition, given.get(path) ?? NOT_GIVEN, day));
    derive(geodata, facts, table, day, (path, { compute }) => compute !== undefined || !given.has(path));
    return markRead(facts, table, day);
  });
}

/**
 * Reads more facts of a table into facts that `readFactsWith` returned, and derives the facts that depend on them
 * again. A derived fact whose inputs are the same as before is not computed again.
 */
export function addFactsWith(
  geodata: Geodata | undefined,
  facts: Map<string, Fact>,
  given: Iterable<readonly [string, GivenFact]>,
  table: FactTable,
  day: string,
): void {
  const added = new Set<string>();
  for (const [path, fact] of given) {
    const definition = table.get(path);
    if (!definition || definition.compute) continue;
    facts.set(path, readFact(definition, fact, day));
    added.add(path);
  }
  const needsDeriving = (path: string, { inputs = [] }: FactDefinition) => {
    const isChanged = !added.has(path) && inputs.some((input) => added.has(input));
    if (isChanged) added.add(path);
    return isChanged;
  };
  derive(geodata, facts, table, day, needsDeriving);
  markRead(facts, table, day);
}

function derive(
  geodata: Geodata | undefined,
  facts: Map<string, Fact>,
  table: FactTable,
  day: string,
  needsDeriving: (path: string, definition: FactDefinition) => boolean,
): void {
  // INVARIANT: in a table a derived fact comes after its inputs, so the inputs are already computed.
  for (const [path, definition] of table) {
    const { origin, compute } = definition;
    if (origin !== 'derived' || !needsDeriving(path, definition)) continue;
    if (compute) facts.set(path, computeFact(definition, compute, facts));
    else facts.set(path, readFact(definition, deriveFact(path, definition, facts, geodata), day));
  }
}

/** Undefined if the raw value is not of the type. */
type Reader = (raw: unknown, definition: FactDefinition, day: string) => FactValue | undefined;

const READERS: Readonly<Record<FactType, Reader>> = {
  number: (raw, definition) => (Number.isFinite(raw) ? inRange(raw as number, definition) : undefined),
  integer: (raw, definition) => (Number.isSafeInteger(raw) ? inRange(raw as number, definition) : undefined),
  boolean: (raw) => (typeof raw === 'boolean' ? raw : undefined),
  level: (raw) => oneOf(raw, LEVELS),
  enum: (raw, { values }) => oneOf(raw, values ?? []),
  string: (raw, { format, isMailbox }) => {
    if (typeof raw !== 'string' || !raw.isWellFormed()) return undefined;
    if (!format) return fold(raw);
    const read = readFormat(format, raw);
    if ('problem' in read) return undefined;
    return isMailbox ? mailboxOf(read.value) : read.value;
  },
  date: (raw, { past }, day) => {
    if (raw === NEVER) return NEVER;
    if (typeof raw !== 'string' || !isDay(raw)) return undefined;
    const daysAhead = past ? daysBetween(day, raw) : 0;
    // The sender may be east of UTC, where it is already tomorrow.
    if (daysAhead === 1) return day;
    return daysAhead > 1 ? undefined : raw;
  },
};

function inRange(raw: number, { range }: FactDefinition): number | undefined {
  if (range && (raw < range[0] || raw > range[1])) return undefined;
  return raw + 0; // -0 becomes 0
}

function oneOf(raw: unknown, names: readonly string[]): string | undefined {
  return names.find((name) => name === raw);
}

/**
 * Facts that a reader has made, with the table and the day by which it read them: runners do not read them again.
 * A later change removes that mark.
 */
class ReadFacts extends Map<string, Fact> {
  #table: FactTable | undefined;
  #day: string | undefined;

  constructor(facts: Iterable<readonly [string, Fact]> = []) {
    super();
    // `Map` would call `set` before this object has its fields.
    for (const [path, fact] of facts) super.set(path, fact);
  }

  override set(path: string, fact: Fact): this {
    this.#day = undefined;
    return super.set(path, fact);
  }

  override delete(path: string): boolean {
    this.#day = undefined;
    return super.delete(path);
  }

  override clear(): void {
    this.#day = undefined;
    super.clear();
  }

  mark(table: FactTable | undefined, day: string): void {
    this.#table = table;
    this.#day = day;
  }

  /** Whether they were read by a day as early, so that no date of the past is ahead of this one. */
  isReadOn(day: string): boolean {
    return this.#day !== undefined && (this.#day === day || this.#day < day);
  }

  /** Whether they were read by this table, or by one that reads in the same way, which is then this one. */
  isReadBy(table: FactTable): boolean {
    if (this.#table === table) return true;
    if (this.#table === undefined || !isSameTable(this.#table, table)) return false;
    this.#table = table;
    return true;
  }

  /** The table by which they were read; undefined for facts on record. */
  get table(): FactTable | undefined {
    return this.#table;
  }
}

/** A map for facts that are being read. It counts as read once it is marked, until it is changed. */
export function newFacts(facts?: Facts): Map<string, Fact> {
  return new ReadFacts(facts);
}

/** Marks facts of `newFacts` as read by a table on a day; without a table, as facts on record. */
export function markRead<Made extends Facts>(facts: Made, table: FactTable | undefined, day: string): Made {
  if (facts instanceof ReadFacts) facts.mark(table, day);
  return facts;
}

/**
 * The facts as every runner reads them: those that a reader has made by this table for this day, or else a copy in
 * which each is read again. Runners would differ in what they do with a value that its fact cannot have, so none of
 * them may see one. Facts that the policy computes are computed again, whatever is given; those on record are not,
 * since an earlier version may have computed them in another way.
 * Throws REQUEST_INVALID for anything but a fact.
 */
export function asRead(facts: Facts, table: FactTable, day: string): Facts {
  const isRead = facts instanceof ReadFacts && facts.isReadOn(day);
  if (isRead && facts.isReadBy(table)) return facts;
  const isOnRecord = isRead && facts.table === undefined;
  const lacking = new Set(
    computedIn(table)
      .keys()
      .filter((path) => !(isOnRecord && facts.has(path))),
  );
  if (isOnRecord && lacking.size === 0) return facts;
  return readGiven('REQUEST_INVALID', 'the facts', () => {
    const copy = newFacts(facts);
    if (!isOnRecord) for (const [path, fact] of facts) copy.set(path, factAsRead(table.get(path), fact, day));
    setComputed(copy, table, lacking);
    return markRead(copy, table, day);
  });
}

/** A fact that may not have been read, read by its definition; as it is without one. */
export function factAsRead(definition: FactDefinition | undefined, fact: Fact, day: string): Fact {
  if (definition === undefined || isMissing(fact)) return fact;
  return readFact(definition, { value: shownValue(fact) }, day);
}

const comparedWith = cached((one: FactTable) => cached((other: FactTable) => compareTables(one, other)));

/** Whether two tables have the same facts in the same order, and read and compute each in the same way. */
export function isSameTable(one: FactTable, other: FactTable): boolean {
  return one === other || comparedWith(one)(other);
}

function compareTables(one: FactTable, other: FactTable): boolean {
  if (one.size !== other.size) return false;
  const others = other.entries();
  for (const [path, definition] of one) {
    const [otherPath, otherDefinition] = others.next().value ?? [];
    if (path !== otherPath || readingOf(definition) !== readingOf(otherDefinition)) return false;
  }
  return true;
}

/** Equal for definitions by which a value is read, or computed, in the same way. */
function readingOf(definition: FactDefinition | undefined): string {
  const { type, values, range, format, isMailbox, past, compute } = definition ?? {};
  return JSON.stringify([type, values, range, format, isMailbox, past, compute]);
}

/** A fact that was read; missing as `invalid` if a definition, perhaps of another policy, does not have its value. */
export function factAsDeclared(definition: FactDefinition, fact: Fact): Fact {
  return isMissing(fact) || canHave(definition, fact.value) ? fact : { missing: 'invalid' };
}

/** Whether a definition allows a value. Texts are folded already, and days in the future are the reader's concern. */
function canHave({ type, values = [], range }: FactDefinition, value: FactValue): boolean {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string';
    case 'date':
      return typeof value === 'string' && (value === NEVER || isDay(value));
    case 'level':
    case 'enum': {
      const names: readonly FactValue[] = type === 'level' ? LEVELS : values;
      return names.includes(value);
    }
    default: {
      if (type === 'integer' ? !Number.isSafeInteger(value) : !Number.isFinite(value)) return false;
      return !range || ((value as number) >= range[0] && (value as number) <= range[1]);
    }
  }
}
