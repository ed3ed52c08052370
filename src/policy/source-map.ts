/** A policy -> its data, and the mapping it was read with; a part -> its position. Stored as long as policy or part. */

import type { Place } from '../diagnostics.ts';
import { Source, type Span } from '../platform/files/source.ts';
import { type Kind, readArgument } from '../platform/given/options.ts';
import type { NamedList } from './arguments.ts';
import type { Condition, Guarantee, Policy, Rule, ScoreBands } from './language.ts';

/** Canonical JSON. */
const DATA = new WeakMap<Policy, string>();
const MAPPINGS = new WeakMap<Policy, object>();
const SPANS = new WeakMap<object, Span>();
const KEYS = new WeakMap<Policy, KeySpans>();
const RELEASES = new WeakMap<Policy, number>();
const ENTRIES = new WeakMap<NamedList, EntryStarts>();

/** The spans of keys, by path as JSON. */
type KeySpans = ReadonlyMap<string, Span>;

/** The offsets of entries: only numbers, since a list may have a hundred thousand entries. */
interface EntryStarts {
  readonly source: Source;
  readonly starts: Uint32Array;
}

/** A policy that was read. A modified copy does not count: its digest would no longer match. */
export const POLICY: Kind = {
  expected: 'a policy as it was read, not a copy of one',
  is: (value) => DATA.has(value as Policy),
};

/** Records the data of a policy, as canonical JSON, which takes less memory than objects. */
export function keepData(policy: Policy, canonical: string): Policy {
  DATA.set(policy, canonical);
  return policy;
}

/**
 * The policy as JSON data, with its rule sets and list files inlined. `policy.digest` is the digest of these data, and
 * `policyFromData` reads them again. Each call gives a new copy.
 * Throws REQUEST_INVALID for an object that was not read, such as a changed copy of a policy.
 */
export function policyData(policy: Policy): unknown {
  return JSON.parse(canonicalData(policy));
}

/** Records the mapping, or the table of facts, that a policy was read with. */
export function keepMapping(policy: Policy, mapping: object): void {
  MAPPINGS.set(policy, mapping);
}

/** What a policy was read with; undefined if that was the catalog of facts alone. */
export function mappingOf(policy: Policy): object | undefined {
  return MAPPINGS.get(policy);
}

type Data = Readonly<Record<string, unknown>>;

/** The data of a file of a policy, and those of its rule sets, in their order. */
export function filesIn(data: Data): readonly Data[] {
  return [data, ...((data['ruleSets'] ?? []) as readonly Data[]).flatMap(filesIn)];
}

/** The same as canonical JSON. */
export function canonicalData(policy: Policy): string {
  return DATA.get(readArgument('the policy', POLICY, policy)) as string;
}

/** Records the span of a rule, a row, a guarantee, a condition or a score; for a policy, that of its default. */
export function keepSpan(thing: object, { source, start, end }: Span): void {
  // The node itself would keep the whole tree in memory.
  SPANS.set(thing, { source, start, end });
}

/** A part of a policy that has a position in its files. */
type Placed = Rule | Guarantee | Condition | ScoreBands | Policy;

/**
 * The position of a rule, a row of a table, a guarantee, a condition or the score in the policy's files, and of a
 * policy that of its default; undefined for one that was not read.
 */
export function placeOf(thing: Placed): Place | undefined {
  const span = spanOf(thing);
  return span && placeOfSpan(span);
}

/** The same as a span, with the text that it is part of. */
export function spanOf(thing: Placed): Span | undefined {
  return SPANS.get(thing);
}

/** Records the keys of a policy's files: settings, declarations and tables, with their own keys. */
export function keepKeys(policy: Policy, keys: KeySpans): void {
  KEYS.set(policy, keys);
}

/**
 * The position of a key in the policy's files, such as `['parameters', 'least']` or `['tables', 'limits', 'final']`, or
 * of the declaration that lacks it; undefined if neither is written, or if its value was set from outside.
 */
export function placeOfKey(policy: Policy, path: readonly string[]): Place | undefined {
  const span = spanOfKey(policy, path);
  return span && placeOfSpan(span);
}

/** The same as a span, with the text that it is part of. */
export function spanOfKey(policy: Policy, path: readonly string[]): Span | undefined {
  const spanAt = (keys: readonly string[]) => KEYS.get(policy)?.get(JSON.stringify(keys));
  return spanAt(path) ?? spanAt(path.slice(0, 2));
}

/** Records where the entries of a list start: first its texts, then its blocks, each in the order of the list. */
export function keepEntryStarts(list: NamedList, source: Source, starts: readonly number[]): void {
  ENTRIES.set(list, { source, starts: Uint32Array.from(starts) });
}

/** The position of an entry, by its number in that order. */
export function placeOfEntry(list: NamedList, index: number): Place | undefined {
  const { source, starts } = ENTRIES.get(list) ?? {};
  const start = starts?.[index];
  return start === undefined ? undefined : source?.placeOf(start, start + 1);
}

/** The place of a span in its file. */
export function placeOfSpan({ source, start, end }: Span): Place {
  return source.placeOf(start, end);
}

/** The positions of a policy's parts, as data that can be passed between threads: few objects, which is quick. */
export interface Positions {
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** For each part, in the order of `partsOf`: the number of its file, or -1, and where it starts and ends. */
  readonly parts: Int32Array;
  /** The paths of keys, and the same for each. */
  readonly keys: readonly string[];
  readonly keySpans: Int32Array;
  /** By list: the number of the file, and where each of its entries starts. */
  readonly entries: readonly (readonly [list: string, file: number, starts: Uint32Array])[];
}

/** The positions of the parts of a policy that was read. */
export function positionsOf(policy: Policy): Positions {
  const files = new Map<Source, number>();
  const numberOf = ({ ofFile }: Source): number => {
    const number = files.get(ofFile) ?? files.size;
    files.set(ofFile, number);
    return number;
  };
  const numbersOf = (span: Span | undefined): readonly number[] => {
    if (!span) return [-1, 0, 0];
    const { source, start, end } = span;
    const { position } = source.placeOf(start, end);
    // A cell or a corrected text is a source of its own, with other offsets than its file.
    const offset = position ? source.ofFile.offsetOf(position) : 0;
    return [numberOf(source), offset, offset + (position?.length ?? 0)];
  };
  const keys = KEYS.get(policy) ?? new Map<string, Span>();
  const entries = [...policy.lists].flatMap(([name, list]) => {
    const { source, starts } = ENTRIES.get(list) ?? {};
    return source && starts ? [[name, numberOf(source), starts] as const] : [];
  });
  return {
    parts: Int32Array.from(partsOf(policy).flatMap((part) => numbersOf(SPANS.get(part)))),
    keys: [...keys.keys()],
    keySpans: Int32Array.from([...keys.values()].flatMap(numbersOf)),
    entries,
    // The last, because the others number them.
    files: [...files.keys()].map(({ file: name, text }) => ({ name, text })),
  };
}

/** Gives the parts of a policy the positions of one with the same data. */
export function keepPositions(policy: Policy, { files, parts, keys, keySpans, entries }: Positions): void {
  const sources = files.map(({ name, text }) => new Source(name, text, []));
  const spanAt = (numbers: Int32Array, i: number): Span | undefined => {
    const [file = -1, start = 0, end = 0] = numbers.subarray(3 * i, 3 * i + 3);
    const source = sources[file];
    return source && { source, start, end };
  };
  for (const [i, part] of partsOf(policy).entries()) {
    const span = spanAt(parts, i);
    if (span) SPANS.set(part, span);
    else SPANS.delete(part);
  }
  const spans = keys.flatMap((path, i) => {
    const span = spanAt(keySpans, i);
    return span ? [[path, span] as const] : [];
  });
  KEYS.set(policy, new Map(spans));
  for (const [name, file, starts] of entries) {
    const [list, source] = [policy.lists.get(name), sources[file]];
    if (list && source) ENTRIES.set(list, { source, starts });
  }
}

/** The parts that have a position, in an order that the data determine. */
function partsOf(policy: Policy): readonly Placed[] {
  const { score, rules, guarantees, conditions } = policy;
  const parts: Placed[] = [policy, score, ...rules, ...guarantees];
  const add = (condition: Condition) => {
    parts.push(condition);
    if (condition.kind !== 'test') for (const child of condition.of) add(child);
  };
  for (const { when } of [...rules, ...guarantees]) add(when);
  for (const condition of conditions.values()) add(condition);
  return parts;
}

/** Keeps the number of the release that a policy is of. */
export function keepRelease(policy: Policy, number: number): void {
  RELEASES.set(policy, number);
}

/** The number of the release that a policy is of; undefined where rules are not released. */
export function releaseOf(policy: Policy): number | undefined {
  return RELEASES.get(policy);
}
