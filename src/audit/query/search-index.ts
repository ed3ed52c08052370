/** An index and a filter -> the decisions on record that match. The index leads to records, which are compared. */

import type { FoundPosition, IndexedPosition, IndexSearch } from '../index/index-file.ts';
import type { LogIndex } from '../index/log-index.ts';
import { positionWords, TamperedError } from '../store/io-errors.ts';
import { passes } from './filter.ts';
import { readAt } from './read-log.ts';
import { type CollectedResults, ResultCollector, readSearchEntry, type SearchEntry } from './search-entry.ts';

/**
 * Searches what is new too. Rejects with AUDIT_FAILED if a record is not what the index says, or cannot be read. Unless
 * it is to count, `total` and `undecidable` are 0.
 */
export async function searchIndex(index: LogIndex, search: IndexSearch): Promise<CollectedResults> {
  await index.catchUp();
  const { found, total, undecidable } = await index.search(search);
  const collector = new ResultCollector(search.limit);
  const entries = new EntryReader(index.dir);
  // All at once: most of the time of one is spent waiting for the disk.
  await Promise.all(found.flatMap((decision) => [decision, ...decision.others]).map((each) => entries.read(each)));
  for (const decision of found) {
    const entry = await entries.read(decision);
    if (entry?.kind !== 'decision' || !isSame(entry, decision) || !passes(entry, search.filter)) {
      throw new TamperedError(`${positionWords(decision)} is not what the index says: ${REMOVE_IT}`);
    }
    collector.addDecision(entry);
    for (const position of decision.others) {
      const other = await entries.read(position);
      if (other?.kind === 'note') collector.addNote(other);
      else if (other?.kind === 'erasure') collector.addErasure(other.records);
    }
  }
  return { ...collector.results(), total, undecidable };
}

const REMOVE_IT = 'remove index.sqlite, which is made again, and verify the log with verdict audit verify';

function isSame(entry: { readonly id: string; readonly at: string }, { id, at }: FoundPosition): boolean {
  return entry.id === id && Date.parse(entry.at) === at;
}

/** Reads entries at their positions; an erasure of many decisions once. */
class EntryReader {
  readonly #dir: string;
  readonly #read = new Map<string, Promise<SearchEntry | undefined>>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  read(position: IndexedPosition): Promise<SearchEntry | undefined> {
    const name = `${position.chain} ${position.segment} ${position.start}`;
    const read = this.#read.get(name) ?? this.#readNow(position);
    this.#read.set(name, read);
    return read;
  }

  async #readNow(position: IndexedPosition): Promise<SearchEntry | undefined> {
    for await (const { bytes } of readAt(this.#dir, [position])) return readSearchEntry(bytes);
    return undefined;
  }
}
