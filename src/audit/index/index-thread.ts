/** The folder of a log -> its index, kept in a thread of its own: SQLite is synchronous. Called by `log-index.ts`. */

import { hash } from 'node:crypto';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { VerdictError } from '../../errors.ts';
import { splitChunks, splitLines } from '../../platform/lines.ts';
import { offer } from '../../platform/thread.ts';
import { MAX_LINE_BYTES } from '../entry/entry.ts';
import { isBlank, readSearchEntry } from '../query/search-entry.ts';
import { type ChainFolder, listChainFolder, listChains, readPieces } from '../store/chain-folder.ts';
import { positionWords } from '../store/io-errors.ts';
import { SEGMENTS } from '../store/segment.ts';
import { IndexFile, type IndexSearch, isDamaged, type NewLine, type ReadTo, removeIndex } from './index-file.ts';

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

/** Runs work on the index; one that turns out to be damaged is made anew, and the work runs once more. */
async function onIndex<Result>(work: () => Promise<Result> | Result): Promise<Result> {
  if (index.isReplaced) openAnew();
  try {
    return await work();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    removeIndex(file);
    openAnew();
    await readNew();
    return work();
  }
}

function openAnew(): void {
  index.close();
  index = new IndexFile(file);
  compared = new Set();
}

let reading: Promise<void> = Promise.resolve();

/** Reads what is new in the log. One call after the other. */
function catchUp(): Promise<void> {
  reading = reading.catch(() => {}).then(() => onIndex(readNew));
  return reading;
}

async function readNew(): Promise<void> {
  for (const chain of await listChains(dir)) {
    const folder = await listChainFolder(join(dir, 'chains', chain));
    const known = new Map(index.readTo(chain).map((each) => [each.segment, each]));
    for (const segment of known.keys()) if (!folder.segments.has(segment)) index.forget(chain, segment);
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
  index.forget(chain, from.segment);
  return undefined;
}

interface Unread {
  readonly segment: number;
  readonly size: number;
  readonly from: ReadTo | undefined;
  readonly isLast: boolean;
}

/** Rejects with AUDIT_FAILED at a line that a search could not read; what is before it is indexed. */
async function readSegment(chain: string, { path }: ChainFolder, { segment, size, from, isLast }: Unread) {
  let before = from;
  const [start, line] = [from?.end ?? 0, from?.line ?? 0];
  const chunks = readPieces(join(path, SEGMENTS.of(segment)), size - start, start);
  for await (const lines of splitChunks(chunks, MAX_LINE_BYTES)) {
    const found: NewLine[] = [];
    let to = before;
    let problem: VerdictError | undefined;
    for (const raw of lines) {
      const { bytes } = raw;
      // It may be being written.
      if (isLast && !raw.isEnded) break;
      const position = { chain, segment, line: line + raw.number, start: start + raw.start, end: start + raw.end };
      const isSkipped = bytes !== undefined && isBlank(bytes);
      const entry = bytes && !isSkipped ? readSearchEntry(bytes) : undefined;
      if (!entry && !isSkipped) {
        const where = positionWords(position);
        problem = new VerdictError('AUDIT_FAILED', `${where} cannot be read: verify the log with verdict audit verify`);
        break;
      }
      if (entry) found.push({ position, entry });
      const { line: number, end } = position;
      to = { segment, line: number, start: position.start, end, digest: digestOf(bytes) };
    }
    if (to && to !== before) index.add(chain, before, to, found);
    if (problem) throw problem;
    before = to;
  }
}

function digestOf(bytes: Buffer | undefined): string {
  return hash('sha256', bytes ?? '', 'base64');
}

const FUNCTIONS = {
  /** Reads what is new, and says how many entries there are. */
  catchUp: async () => {
    await catchUp();
    return index.entries;
  },
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
  find: async (id: string) => {
    await catchUp();
    return onIndex(() => index.find(id));
  },
  search: (search: IndexSearch) => onIndex(() => index.search(search)),
  dayCounts: (kind: Parameters<IndexFile['dayCounts']>[0]) => onIndex(() => index.dayCounts(kind)),
};

export type IndexFunctions = typeof FUNCTIONS;

offer(FUNCTIONS);
