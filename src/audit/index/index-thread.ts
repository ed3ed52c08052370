/** The folder of a log -> its index, kept in a thread of its own: SQLite is synchronous. Called by `log-index.ts`. */

import { hash } from 'node:crypto';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { VerdictError } from '../../errors.ts';
import { splitChunks, splitLines } from '../../platform/files/lines.ts';
import { offer } from '../../platform/thread.ts';
import { type EntryPosition, MAX_LINE_BYTES, type RecordedOutcome } from '../entry/entry.ts';
import type { Filter } from '../read/filter.ts';
import type { IndexedPosition } from '../read/read-log.ts';
import { isBlank, readSearchEntry, type SearchEntry } from '../read/search-entry.ts';
import { type ChainFolder, listChainFolder, listChains, readPieces } from '../store/chain-folder.ts';
import { positionWords } from '../store/io-errors.ts';
import { SEGMENTS } from '../store/segment.ts';
import { isDamaged, removeIndex } from './index-database.ts';
import { IndexFile, type IndexSearch, type NewLine, type ReadTo } from './index-file.ts';

/** What the thread works with. */
export interface IndexSetting {
  /** The folder of the log. */
  readonly dir: string;
  readonly file: string;
}

const { dir, file }: IndexSetting = workerData;
let index = new IndexFile(file);
/** Segments whose last line was compared with the index since it was opened. */
let compared = new Set<string>();

/** Runs work on the index; makes one again that is damaged or was removed, and runs the work once more. */
async function onIndex<Result>(work: () => Promise<Result> | Result): Promise<Result> {
  if (index.isReplaced) openAgain();
  try {
    return await work();
  } catch (error) {
    const isGone = index.isReplaced;
    if (!isGone && !isDamaged(error)) throw error;
    if (!isGone) removeIndex(file);
    openAgain();
    await readNew();
    return work();
  }
}

function openAgain(): void {
  const opened = new IndexFile(file);
  index.close();
  [index, compared] = [opened, new Set()];
}

let reading: Promise<void> = Promise.resolve();
let waiting: Promise<void> | undefined;

/** Reads what is new in the log: one reading after the other, and one for all who ask before it begins. */
function catchUp(): Promise<void> {
  if (waiting) return waiting;
  waiting = reading
    .catch(() => {})
    .then(() => {
      waiting = undefined;
      return onIndex(readNew);
    });
  reading = waiting;
  return reading;
}

async function readNew(): Promise<void> {
  for (const chain of await listChains(dir)) {
    const folder = await listChainFolder(join(dir, 'chains', chain));
    const known = new Map(index.readTo(chain).map((each) => [each.segment, each]));
    index.forget(
      chain,
      [...known.keys()].filter((segment) => !folder.segments.has(segment)),
    );
    const last = [...folder.segments.keys()].at(-1);
    for (const [segment, size] of folder.segments) {
      const from = await continued(chain, folder, known.get(segment), size);
      if (from?.end !== size) await readSegment(chain, folder, { segment, size, from, isLast: segment === last });
    }
  }
}

/** Where a segment was read to; undefined if it is not the one that was read, which is then forgotten. */
async function continued(
  chain: string,
  { path }: ChainFolder,
  from: ReadTo | undefined,
  size: number,
): Promise<ReadTo | undefined> {
  const name = `${chain} ${from?.segment}`;
  if (!from || (size >= from.end && compared.has(name))) return from;
  compared.add(name);
  if (size >= from.end) {
    const { start, end, digest } = from;
    const pieces = readPieces(join(path, SEGMENTS.of(from.segment)), end - start, start);
    const lines = await Array.fromAsync(splitLines(pieces, MAX_LINE_BYTES));
    if (digestOf(lines[0]?.bytes) === digest) return from;
  }
  index.forget(chain, [from.segment]);
  return undefined;
}

interface Unread {
  readonly segment: number;
  readonly size: number;
  readonly from: ReadTo | undefined;
  readonly isLast: boolean;
}

/** How much of a segment is added at once: each time, the keys of people change pages all over the index. */
const BATCH_BYTES = 16 * 1024 * 1024;

/** Rejects with AUDIT_FAILED at a line that a search could not read; what is before it is indexed. */
async function readSegment(chain: string, { path }: ChainFolder, { segment, size, from, isLast }: Unread) {
  let before = from;
  let last: { readonly position: IndexedPosition; readonly bytes: Buffer | undefined } | undefined;
  let found: NewLine[] = [];
  const add = () => {
    if (!last) return;
    const { line, start, end } = last.position;
    const to = { segment, line, start, end, digest: digestOf(last.bytes) };
    const [from, lines] = [before, found];
    [before, last, found] = [to, undefined, []];
    index.add(chain, from, to, lines);
  };
  const [begin, lines] = [from?.end ?? 0, from?.line ?? 0];
  const chunks = readPieces(join(path, SEGMENTS.of(segment)), size - begin, begin);
  try {
    for await (const chunk of splitChunks(chunks, MAX_LINE_BYTES)) {
      for (const { bytes, isEnded, number, start, end } of chunk) {
        // It may be being written.
        if (isLast && !isEnded) break;
        const position = { chain, segment, line: lines + number, start: begin + start, end: begin + end };
        const entry = readLine(bytes, position);
        if (entry) found.push({ position, entry });
        last = { position, bytes };
      }
      if (last && last.position.end - (before?.end ?? 0) >= BATCH_BYTES) add();
    }
  } finally {
    add();
  }
  add();
}

/** Undefined for a blank line. Throws AUDIT_FAILED. */
function readLine(bytes: Buffer | undefined, position: EntryPosition): SearchEntry | undefined {
  if (bytes && isBlank(bytes)) return undefined;
  const entry = bytes && readSearchEntry(bytes);
  if (entry) return entry;
  const where = positionWords(position);
  throw new VerdictError('AUDIT_FAILED', `${where} cannot be read: verify the log with verdict audit verify`);
}

function digestOf(bytes: Buffer | undefined): string {
  return hash('sha256', bytes ?? '', 'base64');
}

/** An entry as a reader of the log's news gets it: its clear fields. */
export interface NewEntry {
  readonly chain: string;
  readonly entry: Exclude<SearchEntry, { readonly kind: 'open' | 'seal' }>;
}

/** Where a reader of the log's news has read to in each chain. */
export type NewsPosition = Readonly<Record<string, { readonly segment: number; readonly end: number }>>;

/**
 * The entries after a position, in the order of each chain, and the position after them. Entries of pruned segments are
 * left out. Rejects with AUDIT_FAILED at a line that cannot be read, and with REQUEST_INVALID for a position that is
 * within a line. `outcome`: decisions with another one, which replace none, are not copied to the caller.
 */
async function readNews(after: NewsPosition, limit: number, outcome?: RecordedOutcome) {
  const entries: NewEntry[] = [];
  const next: Record<string, { segment: number; end: number }> = {};
  for (const chain of await listChains(dir)) {
    const { path, segments } = await listChainFolder(join(dir, 'chains', chain));
    const last = [...segments.keys()].at(-1);
    const from = after[chain] ?? { segment: 0, end: 0 };
    next[chain] = from;
    for (const [segment, size] of segments) {
      if (segment < from.segment || entries.length >= limit) continue;
      const start = segment === from.segment ? from.end : 0;
      const file = join(path, SEGMENTS.of(segment));
      if (start > 0 && !(await endsLine(file, start, size))) {
        throw new VerdictError('REQUEST_INVALID', 'the position is not one of this log');
      }
      for await (const raw of splitLines(readPieces(file, size - start, start), MAX_LINE_BYTES)) {
        if ((segment === last && !raw.isEnded) || entries.length >= limit) break;
        const entry = readLine(raw.bytes, { chain, segment, line: raw.number });
        next[chain] = { segment, end: start + raw.end };
        if (!entry || entry.kind === 'open' || entry.kind === 'seal') continue;
        if (entry.kind === 'decision' && !isAsked(entry, outcome)) continue;
        entries.push({ chain, entry: clearOf(entry) });
      }
    }
  }
  return { entries, next };
}

function isAsked(decision: Extract<SearchEntry, { kind: 'decision' }>, outcome: RecordedOutcome | undefined): boolean {
  return outcome === undefined || decision.outcome === outcome || decision.replaces !== undefined;
}

async function endsLine(file: string, at: number, size: number): Promise<boolean> {
  const bytes = at > size ? undefined : Buffer.concat(await Array.fromAsync(readPieces(file, 1, at - 1)));
  return bytes?.[0] === 0x0a;
}

/** Without the body and the lists of missing facts, which are long, and the hashes of people. */
function clearOf(entry: NewEntry['entry']): NewEntry['entry'] {
  const clear = Object.entries(entry).filter(([name]) => !LEFT_OUT.includes(name));
  return Object.fromEntries(clear) as unknown as NewEntry['entry'];
}

const LEFT_OUT = ['sealed', 'plain', 'key', 'subjects', 'reference', 'missing', 'hash', 'prev', 'mapping', 'writtenAt'];

const FUNCTIONS = {
  /** Reads what is new, and says how far. */
  catchUp: async () => {
    await catchUp();
    return index.state;
  },
  entries: () => onIndex(() => index.entries),
  /** How many bytes of the log are not read yet. */
  behind: async () => {
    let bytes = 0;
    for (const chain of await listChains(dir)) {
      const known = new Map(index.readTo(chain).map(({ segment, end }) => [segment, end]));
      const { segments } = await listChainFolder(join(dir, 'chains', chain));
      for (const [segment, size] of segments) bytes += Math.max(0, size - (known.get(segment) ?? 0));
    }
    return bytes;
  },
  /** The entries about an id, new ones too. */
  find: async (id: string, withEvents?: boolean) => {
    await catchUp();
    return onIndex(() => index.find(id, withEvents));
  },
  about: (ids: readonly string[]) => onIndex(() => ids.flatMap((id) => index.find(id))),
  narrow: async (filter: Filter) => {
    await catchUp();
    return onIndex(() => index.narrow(filter));
  },
  readNews,
  /** The position at the end of the log: what comes from now on is after it. */
  newsEnd: async () => {
    await catchUp();
    const ends = (await listChains(dir)).map((chain) => [chain, index.readTo(chain).at(-1)] as const);
    const read = ends.flatMap(([chain, last]) => (last ? [[chain, { segment: last.segment, end: last.end }]] : []));
    return Object.fromEntries(read) as NewsPosition;
  },
  search: (search: IndexSearch) => onIndex(() => index.search(search)),
  dayCounts: (...asked: Parameters<IndexFile['dayCounts']>) => onIndex(() => index.dayCounts(...asked)),
};

export type IndexFunctions = typeof FUNCTIONS;

offer(FUNCTIONS);
