/** Facts as given by an answer, a file or a caller -> facts: types checked, strings folded, derived facts computed. */

import { fold } from '../formats/fold.ts';
import { readFormat } from '../formats/format.ts';
import type { Geodata } from '../formats/geo/geodata.ts';
import { MAP, readArgument } from '../given/options.ts';
import { readGiven } from '../given/read-given.ts';
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
} from './fact.ts';

export type { GivenFact } from './fact.ts';

/** A fact that was not given. */
export const NOT_GIVEN: MissingFact = { missing: 'notGiven' };

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
    const facts = markRead(new Map<string, Fact>(), table);
    for (const [path, definition] of table) facts.set(path, readFact(definition, given.get(path) ?? NOT_GIVEN, day));
    derive(geodata, facts, table, day, (path, { compute }) => compute !== undefined || !given.has(path));
    return facts;
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
  string: (raw, { format }) => {
    if (typeof raw !== 'string' || !raw.isWellFormed()) return undefined;
    if (!format) return fold(raw);
    const read = readFormat(format, raw);
    return 'value' in read ? read.value : undefined;
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

/** The facts that a reader has made, with the table of their computed facts; undefined if there is no table. */
const readFactTables = new WeakMap<Facts, FactTable | undefined>();

/** Marks facts that a reader has made, so that they are not checked again at each decision. */
export function markRead<Given extends Facts>(facts: Given, table?: FactTable): Given {
  readFactTables.set(facts, table);
  return facts;
}

/**
 * Makes facts safe for every runner. Facts from a reader are returned as they are; in a copy of any others, a value
 * that its fact cannot have is `invalid`, because runners differ in what they do with such values. Facts that the
 * policy computes are computed again unless the reader did so by the same table.
 * Throws REQUEST_INVALID for anything that is not a fact.
 */
export function asRead(facts: Facts, table: FactTable): Facts {
  const readTable = readFactTables.get(facts);
  if (readTable === table) return facts;
  const isRead = readTable !== undefined || readFactTables.has(facts);
  const hasComputed = computedIn(table).size > 0;
  if (isRead && !hasComputed) return facts;
  return readGiven('REQUEST_INVALID', 'the facts', () => {
    // Usually every value is valid, and no copy is needed.
    let copy: Map<string, Fact> | undefined;
    for (const [path, fact] of isRead ? [] : facts) {
      const definition = table.get(path);
      const validFact = definition ? factAsRead(definition, fact) : fact;
      if (validFact === fact) continue;
      copy ??= new Map(facts);
      copy.set(path, validFact);
    }
    if (!hasComputed) return copy ?? facts;
    copy ??= new Map(facts);
    setComputed(copy, table);
    return copy;
  });
}

/** The fact, or missing as `invalid` if its definition does not allow its value. */
export function factAsRead(definition: FactDefinition, fact: Fact): Fact {
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
