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
 * One fact. Null and blank text are `notGiven`. A value that is not exactly of the definition's type is `invalid`, with
 * the value found, cut at 200 characters.
 *
 * @param day the day of the decision, yyyy-MM-dd; `past` dates are checked against it
 */
export function readFact(definition: FactDefinition, given: GivenFact, day: string): Fact {
  if (isMissing(given)) return given;
  const found = given.value;
  if (found === null || found === undefined || (typeof found === 'string' && trimWhiteSpace(found) === '')) {
    return NOT_GIVEN;
  }
  const value = READERS[definition.type](found, definition, day);
  if (value === undefined) return invalidFact(found);
  // A text of ignorable code points alone.
  if (value === '') return NOT_GIVEN;
  return definition.type === 'string' && value !== found ? { value, text: String(found) } : { value };
}

/**
 * All facts of a table, in its order; paths that are not in the table are ignored. A derived fact is derived from the
 * others if its path is absent from `given`; if it is given, even as null or with a cause, it is not. A fact that the
 * policy computes is always computed, whatever is given. Without geodata, a fact that is derived with them is
 * `unmapped`.
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
 * Reads more facts of a table into facts that `readFactsWith` gave, and derives again what depends on them. A derived
 * fact whose inputs are the same as before is not computed again.
 */
export function addFactsWith(
  geodata: Geodata | undefined,
  facts: Map<string, Fact>,
  given: Iterable<readonly [string, GivenFact]>,
  table: FactTable,
  day: string,
): void {
  const added = new Set<string>();
  for (const [path, found] of given) {
    const definition = table.get(path);
    if (!definition || definition.compute) continue;
    facts.set(path, readFact(definition, found, day));
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

/** Undefined if the value found is not of the type. */
type Reader = (found: unknown, definition: FactDefinition, day: string) => FactValue | undefined;

const READERS: Readonly<Record<FactType, Reader>> = {
  number: (found, definition) => (Number.isFinite(found) ? inRange(found as number, definition) : undefined),
  integer: (found, definition) => (Number.isSafeInteger(found) ? inRange(found as number, definition) : undefined),
  boolean: (found) => (typeof found === 'boolean' ? found : undefined),
  level: (found) => oneOf(found, LEVELS),
  enum: (found, { values }) => oneOf(found, values ?? []),
  string: (found, { format }) => {
    if (typeof found !== 'string' || !found.isWellFormed()) return undefined;
    if (!format) return fold(found);
    const read = readFormat(format, found);
    return 'value' in read ? read.value : undefined;
  },
  date: (found, { past }, day) => {
    if (found === NEVER) return NEVER;
    if (typeof found !== 'string' || !isDay(found)) return undefined;
    const daysAhead = past ? daysBetween(day, found) : 0;
    // The sender may be east of UTC, where it is already tomorrow.
    if (daysAhead === 1) return day;
    return daysAhead > 1 ? undefined : found;
  },
};

function inRange(found: number, { range }: FactDefinition): number | undefined {
  if (range && (found < range[0] || found > range[1])) return undefined;
  return found + 0; // -0 becomes 0
}

function oneOf(found: unknown, names: readonly string[]): string | undefined {
  return names.find((name) => name === found);
}

/** The facts that a reader has made, with the table of their computed facts; undefined if there is no table. */
const read = new WeakMap<Facts, FactTable | undefined>();

/** Marks facts that a reader has made, so that they are not checked again at each decision. */
export function markRead<Given extends Facts>(facts: Given, table?: FactTable): Given {
  read.set(facts, table);
  return facts;
}

/**
 * The facts, or a copy of facts that did not come from a reader, in which a value that its fact cannot have is
 * `invalid`. Runners differ in what they do with such values, so none of them may see one. Facts that the policy
 * computes are computed again unless the reader did so by the same table.
 * Throws REQUEST_INVALID for anything but a fact.
 */
export function asRead(facts: Facts, table: FactTable): Facts {
  const madeBy = read.get(facts);
  if (madeBy === table) return facts;
  const isRead = madeBy !== undefined || read.has(facts);
  const hasComputed = computedIn(table).size > 0;
  if (isRead && !hasComputed) return facts;
  return readGiven('REQUEST_INVALID', 'the facts', () => {
    // Mostly every value is one that its fact can have, and no copy is needed.
    let copy: Map<string, Fact> | undefined;
    for (const [path, fact] of isRead ? [] : facts) {
      const definition = table.get(path);
      const asRead = definition ? factAsRead(definition, fact) : fact;
      if (asRead === fact) continue;
      copy ??= new Map(facts);
      copy.set(path, asRead);
    }
    if (!hasComputed) return copy ?? facts;
    copy ??= new Map(facts);
    setComputed(copy, table);
    return copy;
  });
}

/** A fact; missing as `invalid` if it has a value that it cannot have. */
export function factAsRead(definition: FactDefinition, fact: Fact): Fact {
  return isMissing(fact) || canHave(definition, fact.value) ? fact : { missing: 'invalid' };
}

/** Whether a value is one of the fact's. Texts are folded already, and days in the future are the reader's concern. */
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
