/** An answer of the service and a mapping -> for every service fact a value, or the cause why it is missing. */

import { MAP, readArgument } from '../../platform/given/options.ts';
import { readGiven } from '../../platform/given/read-given.ts';
import { isObject } from '../../platform/json.ts';
import { RISK_SERVICE } from '../../signals/request.ts';
import type { IdentityVariable } from '../../signals/variables.ts';
import { trimWhiteSpace } from '../../text.ts';
import { type FactDefinition, type FactTable, LEVELS } from '../catalog.ts';
import { readDay } from '../day.ts';
import {
  type Cause,
  type FactValue,
  type GivenFact,
  invalidFact,
  isMissing,
  type MissingFact,
  NEVER,
  type PresentFact,
  shownValue,
} from '../fact.ts';
import { MAPPING, type Mapping } from './mapping.ts';
import { locateIn, type Path, type Steps } from './path.ts';
import type { NeverMapping, SignalMapping, SplitMapping, Take } from './signal.ts';
import { meansSuccess, type StatusMapping } from './status.ts';
import { coerce, meansNoDate, type ReadingContext } from './value/coerce.ts';
import { isOneOf, isScalar, spellingKey } from './value/spelling-key.ts';

/** What was requested from the service. */
export interface Asked {
  /** The identity variables that were sent. */
  readonly variables: readonly IdentityVariable[];
  /** Whether another service was requested in addition to the risk service. */
  readonly composite: boolean;
  /** The services that were requested, by name. Default: any, so that all sections of the answer are read. */
  readonly services?: readonly string[];
  /** The caller's reference, if one was sent. */
  readonly clientReference?: string;
}

/** The body of an answer, parsed as JSON; or `failed` if there is no answer. */
export type ServiceAnswer = { readonly body: unknown } | 'failed';

/**
 * Reads every service fact of the table: a value of its type, or missing with the first cause that applies, in this
 * order: `notRequested`, `sourceFailed`, `unmapped`, `notReturned`, `invalid`. `readFacts` then folds the strings and
 * checks the dates. Throws REQUEST_INVALID for malformed arguments, but never because of the body.
 *
 * @param day the day of the decision, yyyy-MM-dd; the format `daysAgo` counts from it
 */
export function normalise(
  answer: ServiceAnswer,
  mapping: Mapping,
  asked: Asked,
  table: FactTable,
  day: string,
): Map<string, GivenFact> {
  readArgument('the mapping', MAPPING, mapping);
  readArgument('the table of facts', MAP, table);
  readDay(day);
  return readGiven('REQUEST_INVALID', 'the answer, or what was asked,', () => {
    const isUsable = answer !== 'failed' && isBelieved(answer.body, mapping, asked);
    return normaliseBelieved(isUsable ? answer : 'failed', mapping, asked, table, day);
  });
}

/** Like `normalise`, for an answer that `isBelieved` accepts. */
export function normaliseBelieved(
  answer: ServiceAnswer,
  mapping: Mapping,
  asked: Asked,
  table: FactTable,
  day: string,
): Map<string, GivenFact> {
  const { body, isWhole } = sectionsAsked(answer === 'failed' ? undefined : answer.body, mapping, asked);
  const failed = answer === 'failed' ? [] : mapping.sources.filter((source) => !isAnswered(source, body));
  const hasFailed = (path: string) =>
    answer === 'failed' ||
    (!isWhole && table.get(path)?.composite === true) ||
    failed.some(({ facts }) => facts.has(path));
  const given = new Map<string, GivenFact>();
  for (const [path, definition] of table) {
    if (definition.origin !== 'service') continue;
    const signal = mapping.signals.get(path);
    const cause = unreadCause(path, definition, asked, hasFailed);
    if (cause !== undefined) given.set(path, { missing: cause });
    else if (!signal) given.set(path, { missing: 'unmapped' });
    else given.set(path, readSignal(body, { definition, signal, today: day }));
  }
  dropIncompleteLocation(given);
  return given;
}

/**
 * The answer with the sections of the services that were asked, and whether each has one. What another service says is
 * not of this request, and a match that only one of two confirms is none.
 */
function sectionsAsked(body: unknown, { sections }: Mapping, { composite, services }: Asked) {
  if (!sections || !composite || !services) return { body, isWhole: true };
  const [found] = locateIn(sections, body).matches;
  if (!isObject(found?.value)) return { body, isWhole: false };
  const asked = [RISK_SERVICE, ...services];
  const own = Object.entries(found.value).filter(([name]) => asked.includes(name));
  const named = new Map(own);
  return {
    body: replaceAt(body, found.steps, Object.fromEntries(own)),
    isWhole: services.every((name) => isObject(named.get(name))),
  };
}

/** A copy with another value at the end of the steps. */
function replaceAt(value: unknown, [step, ...steps]: Steps, by: unknown): unknown {
  if (step === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  return Object.assign(copy, { [step]: replaceAt((value as Record<string | number, unknown>)[step], steps, by) });
}

/** The cause why a fact is missing, whatever the answer has for it. */
function unreadCause(
  path: string,
  { variable, composite }: FactDefinition,
  asked: Asked,
  hasFailed: (path: string) => boolean,
): Cause | undefined {
  if (variable !== undefined && !asked.variables.includes(variable)) return 'notRequested';
  if (composite && !asked.composite) return 'notRequested';
  return hasFailed(path) ? 'sourceFailed' : undefined;
}

/** Whether an answer says that the call succeeded and belongs to this request, as far as the mapping can check it. */
export function isBelieved(body: unknown, { status, reference }: Mapping, { clientReference }: Asked): boolean {
  if (status && !isAnswered(status, body)) return false;
  return !reference || clientReference === undefined || isEcho(reference, clientReference, body);
}

/** Whether the answer has the status, in each entry of a path to several, and it means success. */
function isAnswered(status: StatusMapping, body: unknown): boolean {
  const { path, answered } = status;
  // An error is in the entries that failed, a status in all.
  const statuses = findIn(answered ? (each) => path.findInEach(each, true) : path.find, body);
  return statuses !== undefined && meansSuccess(statuses, status);
}

/** Whether the answer repeats this caller's reference and no other. */
function isEcho(path: Path, clientReference: string, body: unknown): boolean {
  const references = findIn(path.find, body);
  return !!references?.length && references.every((reference) => reference === clientReference);
}

/** Undefined if the answer nests too deep to be searched. */
function findIn(find: Path['find'], body: unknown): readonly unknown[] | undefined {
  try {
    return find(body);
  } catch {
    return undefined;
  }
}

function readSignal(body: unknown, context: ReadingContext): GivenFact {
  try {
    return extractFact(body, context);
  } catch {
    return { missing: 'invalid' };
  }
}

const LOCATION = ['ip.location.latitude', 'ip.location.longitude'] as const;

/** Services write 0, 0 for an unknown location, and half a location is useless. Both become `notReturned`. */
function dropIncompleteLocation(given: Map<string, GivenFact>): void {
  const halves = LOCATION.flatMap((path) => {
    const half = given.get(path);
    return half && !isMissing(half) ? [{ path, value: half.value }] : [];
  });
  const isWhole = halves.length === LOCATION.length && halves.some(({ value }) => value !== 0);
  if (isWhole) return;
  for (const { path } of halves) given.set(path, NOT_RETURNED);
}

const NOT_RETURNED: MissingFact = { missing: 'notReturned' };

/** The values that a path finds; with `take`, the entries of the lists that it names. */
interface FoundEntries {
  readonly entries: readonly unknown[];
  /** Whether there can be any number of entries, including none. */
  readonly isList: boolean;
}

/** Reads one signal. Throws if the answer nests too deep to be searched. */
function extractFact(body: unknown, context: ReadingContext): GivenFact {
  const { signal } = context;
  const entries = findEntries(body, signal);
  if (signal.never && saysNever(body, signal.never)) return readNever(entries, signal.never, context);
  return entries ? readEntries(entries, context) : NOT_RETURNED;
}

/** The entries at the first path that finds something, even null. */
function findEntries(body: unknown, { paths, take }: SignalMapping): FoundEntries | undefined {
  const match = firstMatch(body, paths, take);
  if (!match) return undefined;
  const { path, values } = match;
  const isList = !path.singular || values.some(Array.isArray);
  return { entries: take !== undefined && path.endsInName ? values.flat() : values, isList };
}

/** Applies the keys of a signal in their order: placeholders, `split` and `part`, then each value, then `take`. */
function readEntries({ entries, isList }: FoundEntries, context: ReadingContext): GivenFact {
  const { split, take } = context.signal;
  const usable = withoutPlaceholders(entries, context);
  if (!usable.entries) return take === 'count' && usable.isEmpty ? { value: 0 } : usable.missing;
  const pieces = split ? splitAll(usable.entries, split, context) : usable;
  if (!pieces.entries) return pieces.missing;
  if (take === 'count') return isList || split ? { value: pieces.entries.length } : invalidFact(pieces.entries[0]);
  const values = [];
  for (const entry of pieces.entries) {
    const value = coerce(entry, context);
    if (value === undefined) return invalidFact(entry);
    values.push(value);
  }
  const picked = pickOne(values, take);
  if (picked === 'contradiction') return invalidFact(pieces.entries);
  return picked === undefined ? NOT_RETURNED : { value: shownValue(picked) };
}

/** At least one entry and no placeholder among them; or the resulting missing fact. */
type Entries =
  | { readonly entries: readonly unknown[] }
  | { readonly entries: undefined; readonly missing: MissingFact; readonly isEmpty: boolean };

function withoutPlaceholders(entries: readonly unknown[], context: ReadingContext): Entries {
  const needed = context.signal.take === 'first' ? entries.slice(0, 1) : entries;
  const usable = needed.filter((entry) => !isPlaceholder(entry, context));
  if (usable.length === 0) return { entries: undefined, missing: NOT_RETURNED, isEmpty: needed.length === 0 };
  // One unknown day among several may be the latest; choosing among the others would be a guess.
  if (usable.length < needed.length) return { entries: undefined, missing: invalidFact(needed), isEmpty: false };
  return { entries: usable };
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

/** No signal lists more values; a longer list is an attack or an accident. */
const MAX_PIECES = 10_000;

/** Undefined if the entry cannot be split or lacks the part. A last separator is ignored; a number is one value. */
function splitEntry(entry: unknown, { separator, part }: SplitMapping): readonly unknown[] | undefined {
  if (typeof entry !== 'string' && typeof entry !== 'number') return undefined;
  const pieces = typeof entry === 'string' ? piecesOf(entry, separator) : [entry];
  if (pieces.length > MAX_PIECES) return undefined;
  if (part === undefined) return pieces;
  return part <= pieces.length ? [pieces[part - 1]] : undefined;
}

function piecesOf(text: string, separator: string): readonly string[] {
  const isWhiteSpace = trimWhiteSpace(separator) === '';
  const pieces = trimWhiteSpace(text).split(isWhiteSpace ? /\s+/ : separator, MAX_PIECES + 2);
  const trimmed = pieces.map(trimWhiteSpace);
  return trimmed.length > 1 && trimmed.at(-1) === '' ? trimmed.slice(0, -1) : trimmed;
}

/** `never`, unless a value contradicts it. */
function readNever(values: FoundEntries | undefined, { is }: NeverMapping, context: ReadingContext): GivenFact {
  const others = values?.entries.filter((entry) => !isOneOf(entry, is) && !isPlaceholder(entry, context)) ?? [];
  return others.length === 0 ? { value: NEVER } : invalidFact(others.length === 1 ? others[0] : others);
}

/** False if no path finds anything: absence does not mean `never`. */
function saysNever(body: unknown, { paths, is }: NeverMapping): boolean {
  return firstMatch(body, paths)?.values.every((value) => isOneOf(value, is)) ?? false;
}

/** The first path that finds something, with at least one value; an entry without one has undefined, as for null. */
function firstMatch(body: unknown, paths: readonly Path[], take?: Take) {
  const path = paths.find((each) => each.find(body).length > 0);
  return path && { path, values: path.findInEach(body, take !== undefined) };
}

function isPlaceholder(value: unknown, context: ReadingContext): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === 'string' && trimWhiteSpace(value) === '') return true;
  return isScalar(value) && (context.signal.placeholders.has(spellingKey(value)) || meansNoDate(value, context));
}

/** `contradiction` if one value is expected and the values differ; undefined if there is no value at that position. */
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
