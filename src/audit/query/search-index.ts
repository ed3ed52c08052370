/** An index and a filter -> the decisions on record that match. The index leads to records, which are compared. */

import { type DecisionFields, type Entry, type NoteFields, parseEntry } from '../entry/entry.ts';
import type { DecisionPosition, IndexSearch } from '../index/index-sql.ts';
import type { LogIndex } from '../index/log-index.ts';
import { type Filter, passes } from '../read/filter.ts';
import type { IndexedPosition } from '../read/read-log.ts';
import { lineError, readAt } from '../read/read-log.ts';
import { type CollectedResults, ResultCollector, readSearchEntry } from '../read/search-entry.ts';
import { positionWords, TamperedError } from '../store/io-errors.ts';

/**
 * Searches what is new too. Rejects with AUDIT_FAILED if a record is not what the index says, or cannot be read. Unless
 * it is to count, `total` and `undecidable` are 0.
 */
export async function searchIndex(index: LogIndex, search: IndexSearch): Promise<CollectedResults> {
  await index.catchUp();
  const { found, total, undecidable } = await index.search(search);
  const collector = new ResultCollector(search.limit);
  // An erasure of many decisions is read once.
  const others = new Map(found.flatMap((decision) => decision.others).map((other) => [nameOf(other), other]));
  for await (const { bytes } of readAt(index.log, [...others.values()].sort(byPosition))) {
    await collector.addOther(bytes);
  }
  for await (const { bytes, position } of readAt(index.log, inOrder(found))) {
    const entry = readSearchEntry(bytes);
    if (entry?.kind !== 'decision' || !isSame(entry, position)) throw otherThanIndexed(position);
    if (!passes(entry, search.filter, collector.judgedOf(entry.id))) throw otherThanIndexed(position);
    collector.addDecision(entry);
  }
  return { ...collector.results(), total, undecidable };
}

/**
 * Where the decisions are that pass a filter, or of which that cannot be told, in the order of the log or of `rank`,
 * which leaves out what it has no number for. Undefined if they are not few, or the filter has no criterion.
 */
export async function narrowed(
  index: LogIndex,
  filter: Filter,
  rank: (position: DecisionPosition) => number | undefined = () => 0,
): Promise<readonly DecisionPosition[] | undefined> {
  const positions = Object.keys(filter).length === 0 ? undefined : await index.narrow(filter);
  if (!positions) return undefined;
  const ranked = inOrder(positions).flatMap((position) => {
    const n = rank(position);
    return n === undefined ? [] : [{ position, n }];
  });
  return ranked.sort((one, other) => one.n - other.n).map(({ position }) => position);
}

/** The error for a line that is another one than the index says. */
export function otherThanIndexed(position: IndexedPosition): TamperedError {
  return new TamperedError(`${positionWords(position)} is not what the index says: ${REMOVE_IT}`);
}

/** Adds what came later about some decisions. */
export async function collectOthers(index: LogIndex, ids: readonly string[], collector: ResultCollector) {
  for (const { bytes } of await readAbout(index, ids)) await collector.addOther(bytes);
}

/** The lines about some decisions, each once. */
export async function readAbout(index: LogIndex, ids: readonly string[]) {
  const found = new Map((await index.about(ids)).map((position) => [nameOf(position), position]));
  return Array.fromAsync(readAt(index.log, [...found.values()].sort(byPosition)));
}

/** A decision with what is on record about it. */
export interface AboutDecision {
  readonly entry: DecisionEntry;
  readonly notes: readonly (Entry & NoteFields)[];
  readonly isErased: boolean;
}

export type DecisionEntry = Entry & DecisionFields;

/** Some decisions, in the order of the log. Rejects with AUDIT_FAILED if a line is not as it was written. */
export async function readDecisionsAbout(index: LogIndex, ids: readonly string[]): Promise<readonly AboutDecision[]> {
  const entries = (await readAbout(index, ids)).map(({ bytes, position }) => {
    const parsed = parseEntry(bytes);
    if ('problem' in parsed) throw lineError(position, parsed.problem);
    return parsed.line;
  });
  const notes = Map.groupBy(
    entries.filter((entry) => entry.kind === 'note'),
    ({ decision }) => decision,
  );
  const asked = new Set(ids);
  const erased = new Set(entries.flatMap((entry) => (entry.kind === 'erasure' ? entry.records : [])));
  return entries.flatMap((entry) => {
    if (entry.kind !== 'decision' || !asked.has(entry.id)) return [];
    return [{ entry, notes: notes.get(entry.id) ?? [], isErased: erased.has(entry.id) }];
  });
}

/** Sorts decisions by their time; of one instant, by their ids. */
export function inTime(one: Pick<DecisionEntry, 'at' | 'id'>, other: Pick<DecisionEntry, 'at' | 'id'>): number {
  if (one.at !== other.at) return one.at < other.at ? -1 : 1;
  return one.id === other.id ? 0 : one.id < other.id ? -1 : 1;
}

const REMOVE_IT =
  'make the index again (remove index.sqlite; in a database run verdict audit index), and verify the log';

export function isSame(entry: { readonly id: string; readonly at: string }, { id, at }: DecisionPosition): boolean {
  return entry.id === id && Date.parse(entry.at) === at;
}

function nameOf({ chain, segment, start }: IndexedPosition): string {
  return `${chain} ${segment} ${start}`;
}

/** In the order of the log. Throws if the index has a line twice, as after a change of what it was read to. */
function inOrder(positions: readonly DecisionPosition[]): readonly DecisionPosition[] {
  const ordered = positions.toSorted(byPosition);
  const twice = ordered.find((position, i) => i > 0 && byPosition(ordered[i - 1] as DecisionPosition, position) === 0);
  if (twice) throw otherThanIndexed(twice);
  return ordered;
}

/** In the order of the files, so that each is opened once. */
function byPosition(one: IndexedPosition, other: IndexedPosition): number {
  if (one.chain !== other.chain) return one.chain < other.chain ? -1 : 1;
  return one.segment - other.segment || one.start - other.start;
}
