/** An answer and the mapping of one signal -> its value, or a missing fact: `notReturned` or `invalid`. */

import { trimWhiteSpace } from '../../text.ts';
import { LEVELS } from '../catalog.ts';
import { type FactValue, type GivenFact, type MissingFact, NEVER, type PresentFact, shownValue } from '../fact.ts';
import type { Path } from './path.ts';
import type { NeverMapping, SignalMapping, Take } from './signal.ts';
import { coerce, meansNoDate, type ReadingContext } from './value/coerce.ts';
import { invalidFact } from './value/invalid-fact.ts';
import { isOneOf } from './value/same-json.ts';
import { isScalar, spellingKey } from './value/spelling-key.ts';
import { type SplitMapping, splitEntry } from './value/split.ts';

export const NOT_RETURNED: MissingFact = { missing: 'notReturned' };

/** The values that a path finds; with `take`, the entries of the lists that it names. */
interface Found {
  readonly entries: readonly unknown[];
  /** Whether there can be any number of entries, including none. */
  readonly isList: boolean;
}

/** Reads one signal. Throws if the answer nests too deep to be searched. */
export function extractFact(body: unknown, context: ReadingContext): GivenFact {
  const { signal } = context;
  const found = findEntries(body, signal);
  if (signal.never && saysNever(body, signal.never)) return readNever(found, signal.never, context);
  return found ? readFound(found, context) : NOT_RETURNED;
}

/** The entries at the first path that finds something, even null. */
function findEntries(body: unknown, { paths, take }: SignalMapping): Found | undefined {
  const match = firstMatch(body, paths);
  if (!match) return undefined;
  const { path, values } = match;
  const isList = !path.singular || values.some(Array.isArray);
  return { entries: take !== undefined && path.endsInName ? values.flat() : values, isList };
}

/** In the order of the mapping format: placeholders, `split` and `part`, then each value by itself, then `take`. */
function readFound({ entries, isList }: Found, context: ReadingContext): GivenFact {
  const { split, take } = context.signal;
  const known = withoutPlaceholders(entries, context);
  if (!known.entries) return take === 'count' && known.isEmpty ? { value: 0 } : known.missing;
  const pieces = split ? splitAll(known.entries, split, context) : known;
  if (!pieces.entries) return pieces.missing;
  if (take === 'count') return isList || split ? { value: pieces.entries.length } : invalidFact(pieces.entries[0]);
  const values = [];
  for (const entry of pieces.entries) {
    const value = coerce(entry, context);
    if (value === undefined) return invalidFact(entry);
    values.push(value);
  }
  const taken = pickOne(values, take);
  if (taken === 'contradiction') return invalidFact(pieces.entries);
  return taken === undefined ? NOT_RETURNED : { value: shownValue(taken) };
}

/** At least one entry and no placeholder among them; or the missing fact that follows. */
type Entries =
  | { readonly entries: readonly unknown[] }
  | { readonly entries: undefined; readonly missing: MissingFact; readonly isEmpty: boolean };

function withoutPlaceholders(entries: readonly unknown[], context: ReadingContext): Entries {
  const needed = context.signal.take === 'first' ? entries.slice(0, 1) : entries;
  const known = needed.filter((entry) => !isPlaceholder(entry, context));
  if (known.length === 0) return { entries: undefined, missing: NOT_RETURNED, isEmpty: needed.length === 0 };
  // One unknown day among several may be the latest; choosing among the others would be a guess.
  if (known.length < needed.length) return { entries: undefined, missing: invalidFact(needed), isEmpty: false };
  return { entries: known };
}

/** The pieces of all texts; a piece may be a placeholder too. */
function splitAll(entries: readonly unknown[], split: SplitMapping, context: ReadingContext): Entries {
  const pieces: unknown[] = [];
  for (const entry of entries) {
    // A number instead of a list may already be a count, so it does not count as a list of one.
    const isCountable = context.signal.take !== 'count' || typeof entry === 'string';
    const parts = isCountable ? splitEntry(entry, split) : undefined;
    if (!parts) return { entries: undefined, missing: invalidFact(entry), isEmpty: false };
    for (const part of parts) pieces.push(part);
  }
  return withoutPlaceholders(pieces, context);
}

/** `never`, unless a value contradicts it. */
function readNever(found: Found | undefined, { is }: NeverMapping, context: ReadingContext): GivenFact {
  const others = found?.entries.filter((entry) => !isOneOf(entry, is) && !isPlaceholder(entry, context)) ?? [];
  return others.length === 0 ? { value: NEVER } : invalidFact(others.length === 1 ? others[0] : others);
}

/** False if no path finds anything: absence does not mean `never`. */
function saysNever(body: unknown, { paths, is }: NeverMapping): boolean {
  return firstMatch(body, paths)?.values.every((value) => isOneOf(value, is)) ?? false;
}

/** The first path that finds something, with at least one value. */
function firstMatch(body: unknown, paths: readonly Path[]) {
  for (const path of paths) {
    const values = path.find(body);
    if (values.length > 0) return { path, values };
  }
  return undefined;
}

function isPlaceholder(value: unknown, context: ReadingContext): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === 'string' && trimWhiteSpace(value) === '') return true;
  return isScalar(value) && (context.signal.placeholders.has(spellingKey(value)) || meansNoDate(value, context));
}

/** `contradiction` if one value is expected and different ones are found; undefined if there is no such value. */
type Picked = PresentFact | 'contradiction' | undefined;

const STEPS: readonly FactValue[] = LEVELS;

/** Picks one of the values. INVARIANT: there is at least one. */
function pickOne(values: readonly PresentFact[], take: Exclude<Take, 'count'> | undefined): Picked {
  const [first] = values;
  if (take === undefined || take === 'first')
    return values.every(({ value }) => value === first?.value) ? first : 'contradiction';
  return values.toSorted(byRank).at(POSITIONS[take]);
}

/** Positions in the values sorted from least to greatest. */
const POSITIONS: Readonly<Record<Exclude<Take, 'count' | 'first'>, number>> = {
  earliest: 0,
  min: 0,
  latest: -1,
  max: -1,
  previous: -2,
};

function byRank(a: PresentFact, b: PresentFact): number {
  const left = rankOf(a.value);
  const right = rankOf(b.value);
  return left < right ? -1 : Number(left > right);
}

/** Numbers as they are, levels by step, days as text (yyyy-MM-dd sorts by time), `never` before every day. */
function rankOf(value: FactValue): FactValue {
  const step = STEPS.indexOf(value);
  if (step >= 0) return step;
  return value === NEVER ? '' : value;
}
