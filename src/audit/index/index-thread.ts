/** The folder of a log -> its index, kept in a thread of its own: SQLite is synchronous. Called by `log-index.ts`. */

import { hash } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import { splitChunks, splitLines } from '../../platform/files/lines.ts';
import { offer } from '../../platform/thread.ts';
import { MAX_LINE_BYTES, type RecordedOutcome } from '../entry/entry.ts';
import type { Filter, Term } from '../read/filter.ts';
import type { IndexedPosition } from '../read/read-log.ts';
import { type ChainFolder, listChain, listChains, readPieces } from '../store/chain-folder.ts';
import { folderAt } from '../store/files.ts';
import { SEGMENTS } from '../store/segment.ts';
import { isDamaged, removeIndex } from './index-database.ts';
import { IndexFile, type ReadTo } from './index-file.ts';
import type { IndexSearch, NewLine } from './index-sql.ts';
import { type NewsPosition, readLine, readNews } from './news.ts';

/** What the thread works with. */
export interface IndexSetting {
  /** The folder of the log. */
  readonly dir: string;
  readonly file: string;
}

const { dir, file }: IndexSetting = workerData;
const log = folderAt(dir);
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
  for (const chain of await listChains(log)) {
    const folder = await listChain(log, chain);
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
  folder: ChainFolder,
  from: ReadTo | undefined,
  size: number,
): Promise<ReadTo | undefined> {
  const name = `${chain} ${from?.segment}`;
  if (!from || (size >= from.end && compared.has(name))) return from;
  compared.add(name);
  if (size >= from.end) {
    const { start, end, digest } = from;
    const pieces = readPieces(folder, SEGMENTS.of(from.segment), end - start, start);
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
async function readSegment(chain: string, folder: ChainFolder, { segment, size, from, isLast }: Unread) {
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
  const chunks = readPieces(folder, SEGMENTS.of(segment), size - begin, begin);
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

function digestOf(bytes: Buffer | undefined): string {
  return hash('sha256', bytes ?? '', 'base64');
}

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
    for (const chain of await listChains(log)) {
      const known = new Map(index.readTo(chain).map(({ segment, end }) => [segment, end]));
      const { segments } = await listChain(log, chain);
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
  readNews: (...asked: [after: NewsPosition, limit: number, outcome?: RecordedOutcome]) => readNews(log, ...asked),
  /** The position at the end of the log: what comes from now on is after it. */
  newsEnd: async () => {
    await catchUp();
    const ends = (await listChains(log)).map((chain) => [chain, index.readTo(chain).at(-1)] as const);
    const read = ends.flatMap(([chain, last]) => (last ? [[chain, { segment: last.segment, end: last.end }]] : []));
    return Object.fromEntries(read) as NewsPosition;
  },
  search: (search: IndexSearch) => onIndex(() => index.search(search)),
  dayCounts: (...asked: Parameters<IndexFile['dayCounts']>) => onIndex(() => index.dayCounts(...asked)),
  texts: (kind: Parameters<IndexFile['texts']>[0]) => onIndex(() => index.texts(kind)),
  begins: (terms: readonly Term[]) => onIndex(() => index.begins(terms)),
  counts: (...asked: Parameters<IndexFile['counts']>) => onIndex(() => index.counts(...asked)),
};

export type IndexFunctions = typeof FUNCTIONS;

offer(FUNCTIONS);
