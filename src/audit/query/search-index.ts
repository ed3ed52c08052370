/** An index and a filter -> the decisions on record that match. The index leads to records, which are compared. */

import type { FoundPosition, IndexedPosition, IndexSearch } from '../index/index-file.ts';
import type { LogIndex } from '../index/log-index.ts';
import { positionWords, TamperedError } from '../store/io-errors.ts';
import { passes } from './filter.ts';
import { readAt } from './read-log.ts';
import { type CollectedResults, ResultCollector, readSearchEntry } from './search-entry.ts';

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
  const wanted: Wanted[] = [...found.map((decision) => ({ ...decision, decision })), ...others.values()];
  for await (const { bytes, position } of readAt(index.dir, wanted.sort(byPosition))) {
    const { decision } = position;
    const entry = readSearchEntry(bytes);
    if (decision) {
      if (entry?.kind !== 'decision' || !isSame(entry, decision) || !passes(entry, search.filter)) {
        throw new TamperedError(`${positionWords(decision)} is not what the index says: ${REMOVE_IT}`);
      }
      collector.addDecision(entry);
    } else if (entry?.kind === 'note') collector.addNote(entry);
    else if (entry?.kind === 'erasure') collector.addErasure(entry.records);
  }
  return { ...collector.results(), total, undecidable };
}

const REMOVE_IT = 'remove index.sqlite, which is made again, and verify the log with verdict audit verify';

function isSame(entry: { readonly id: string; readonly at: string }, { id, at }: FoundPosition): boolean {
  return entry.id === id && Date.parse(entry.at) === at;
}

/** A line to be read: a decision that was found, or an entry about one. */
interface Wanted extends IndexedPosition {
  readonly decision?: FoundPosition;
}

function nameOf({ chain, segment, start }: IndexedPosition): string {
  return `${chain} ${segment} ${start}`;
}

/** In the order of the files, so that each is opened once. */
function byPosition(one: IndexedPosition, other: IndexedPosition): number {
  if (one.chain !== other.chain) return one.chain < other.chain ? -1 : 1;
  return one.segment - other.segment || one.start - other.start;
}
