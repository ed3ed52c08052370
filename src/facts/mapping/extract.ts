/** An answer and the mapping of one signal -> the value that stands there, nothing, or something that cannot be read. */

import { trimWhiteSpace } from '../../text.ts';
import { type GivenFact, type MissingFact, NEVER, shownValue } from '../fact.ts';
import type { Path } from './path.ts';
import { pickOne } from './pick.ts';
import type { NeverMapping, SignalMapping } from './signal.ts';
import { coerce, type ReadingContext } from './value/coerce.ts';
import { invalidFact } from './value/invalid-fact.ts';
import { isScalar, spellingKey } from './value/spelling-key.ts';
import { type SplitMapping, splitEntry } from './value/split.ts';

export const NOT_RETURNED: MissingFact = { missing: 'notReturned' };

/** What stands at a place: the values that it finds or, where one is to be taken, the entries of the lists that it names. */
interface Found {
  readonly entries: readonly unknown[];
  /** Whether there can be any number of them, none included. */
  readonly isList: boolean;
}

/** Reads one signal. Throws where the answer nests beyond all measure. */
export function extractFact(body: unknown, reading: ReadingContext): GivenFact {
  const { signal } = reading;
  const found = findFirst(body, signal);
  if (signal.never && saysNever(body, signal.never)) return readNever(found, signal.never, signal);
  return found ? readFound(found, reading) : NOT_RETURNED;
}

/** At the first place that is there, even if null stands there. */
function findFirst(body: unknown, { paths: places, take }: Pick<SignalMapping, 'paths' | 'take'>): Found | undefined {
  for (const place of places) {
    const values = place.find(body);
    if (values.length === 0) continue;
    const isList = !place.singular || values.some(Array.isArray);
    return { entries: take !== undefined && place.endsInName ? values.flat() : values, isList };
  }
  return undefined;
}

/** In the order of the mapping format: placeholder, split and part, then each value by itself, then take. */
function readFound({ entries, isList }: Found, reading: ReadingContext): GivenFact {
  const { split, take } = reading.signal;
  const told = withoutPlaceholders(entries, reading.signal);
  if (!told.entries) return take === 'count' && told.isEmpty ? { value: 0 } : told.missing;
  const pieces = split ? splitAll(told.entries, split, reading.signal) : told;
  if (!pieces.entries) return pieces.missing;
  if (take === 'count') return isList || split ? { value: pieces.entries.length } : invalidFact(pieces.entries[0]);
  const values = [];
  for (const entry of pieces.entries) {
    const value = coerce(entry, reading);
    if (value === undefined) return invalidFact(entry);
    values.push(value);
  }
  const taken = pickOne(values, take);
  if (taken === 'contradiction') return invalidFact(pieces.entries);
  return taken === undefined ? NOT_RETURNED : { value: shownValue(taken) };
}

/** Entries, at least one and none of them a placeholder; or what is missing without them. */
type Entries =
  | { readonly entries: readonly unknown[] }
  | { readonly entries: undefined; readonly missing: MissingFact; readonly isEmpty: boolean };

function withoutPlaceholders(entries: readonly unknown[], signal: SignalMapping): Entries {
  const asked = signal.take === 'first' ? entries.slice(0, 1) : entries;
  const told = asked.filter((entry) => !isPlaceholder(entry, signal));
  if (told.length === 0) return { entries: undefined, missing: NOT_RETURNED, isEmpty: asked.length === 0 };
  // One unknown day among several may be the latest: to choose among the others would be to guess.
  if (told.length < asked.length) return { entries: undefined, missing: invalidFact(asked), isEmpty: false };
  return { entries: told };
}

/** What the texts list, which may be placeholders too. */
function splitAll(entries: readonly unknown[], split: SplitMapping, signal: SignalMapping): Entries {
  const pieces: unknown[] = [];
  for (const entry of entries) {
    // A number in place of a list may be a count already: it is no list of one.
    const isCountable = signal.take !== 'count' || typeof entry === 'string';
    const parts = isCountable ? splitEntry(entry, split) : undefined;
    if (!parts) return { entries: undefined, missing: invalidFact(entry), isEmpty: false };
    for (const part of parts) pieces.push(part);
  }
  return withoutPlaceholders(pieces, signal);
}

/** Something is known not to have happened; a value beside that contradicts it. */
function readNever(found: Found | undefined, { is }: NeverMapping, signal: SignalMapping): GivenFact {
  const others = found?.entries.filter((entry) => !isOneOf(entry, is) && !isPlaceholder(entry, signal)) ?? [];
  return others.length === 0 ? { value: NEVER } : invalidFact(others.length === 1 ? others[0] : others);
}

/** Only where the place is there: silence says nothing. */
function saysNever(body: unknown, { paths: places, is }: NeverMapping): boolean {
  const values = firstMatch(body, places);
  return values.length > 0 && values.every((value) => isOneOf(value, is));
}

function firstMatch(body: unknown, places: readonly Path[]): readonly unknown[] {
  for (const place of places) {
    const values = place.find(body);
    if (values.length > 0) return values;
  }
  return [];
}

function isPlaceholder(value: unknown, { placeholders }: SignalMapping): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === 'string' && trimWhiteSpace(value) === '') return true;
  return isScalar(value) && placeholders.has(spellingKey(value));
}

function isOneOf(value: unknown, expected: readonly unknown[]): boolean {
  return expected.some((one) => isSame(one, value));
}

/** Equal JSON, scalars by their names. It descends no deeper than what is expected, which a mapping's depth bounds. */
function isSame(expected: unknown, found: unknown): boolean {
  if (isScalar(expected)) return isScalar(found) && spellingKey(expected) === spellingKey(found);
  if (Array.isArray(expected)) {
    return Array.isArray(found) && isSameLength(expected, found) && expected.every((one, i) => isSame(one, found[i]));
  }
  if (!isMap(expected)) return expected === found;
  const names = Object.keys(expected);
  if (!isMap(found) || !isSameLength(names, Object.keys(found))) return false;
  return names.every((name) => Object.hasOwn(found, name) && isSame(expected[name], found[name]));
}

function isSameLength(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
