/** A log's folder and what somebody looks for -> the decisions on record that fit, as far as they stand in clear. */

import { join, resolve } from 'node:path';
import type { DuckDb } from '../../decision/sql/duckdb/duckdb.ts';
import { VerdictError } from '../../errors.ts';
import { readIndexKeys } from '../keys/index-keys.ts';
import { readLog } from '../log-file.ts';
import { keysFolder, type LogPlace } from '../place.ts';
import { listChainFolder, listChains } from '../store/chain-folder.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { SEGMENTS } from '../store/segment.ts';
import { type CollectedResults, ResultCollector } from './collector.ts';
import { type Filter, readQuery, type SearchQuery } from './filter.ts';
import { type SegmentFile, scanSegments, throwIfEnded } from './scan.ts';

/** How a search goes about it. */
export interface SearchOptions {
  /** So many decisions are given at most, the newest; 1 to 100,000. Default: 100. */
  readonly limit?: number;
  /** Whether DuckDB, an optional package, is used where it is installed: it reads on all cores. Default: true. */
  readonly duckDb?: boolean;
  readonly signal?: AbortSignal;
}

/** What a search found. It is no verification: a record that was changed by hand may be among it. */
export interface SearchResult extends CollectedResults {
  /** How many segments were pruned: what was in them is not found. */
  readonly prunedSegments: number;
  /** Why all was read line by line, where DuckDB would have been used. */
  readonly withoutDuckDb?: 'not-installed' | 'failed';
}

/** The most that one search gives. */
const MOST_ROWS = 100_000;

const DEFAULT_ROWS = 100;

/**
 * Searches a log. Processes may write in it meanwhile; a line that is being written is not found. Memory grows by some 300 bytes a
 * note, and by what is given. Rejects with REQUEST_INVALID for a query that cannot be read; CONFIGURATION_INVALID where there is
 * no log, or a subject is looked for with keys that are not its own; AUDIT_FAILED where a line or a file cannot be read; ABORTED.
 */
export async function searchLog(
  place: LogPlace,
  query: SearchQuery,
  { limit = DEFAULT_ROWS, duckDb = true, signal }: SearchOptions = {},
): Promise<SearchResult> {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MOST_ROWS) {
    throw new VerdictError('REQUEST_INVALID', `the limit has to be a whole number from 1 to ${MOST_ROWS}`);
  }
  const { log } = await readLog(place.dir);
  const filter = await readQuery(query, () => readIndexKeys(keysFolder(place), log));
  return wrapIoErrors('searched', async () => {
    const { segments, prunedSegments } = await listSegments(place.dir);
    const gathering = new ResultCollector(limit);
    const scan = (files: readonly SegmentFile[]) => scanSegments(files, filter, gathering, signal);
    // They may grow while they are read, and DuckDB would read half a line.
    await scan(segments.filter(({ isLast }) => isLast));
    // The newest first: then the older ones have nothing to give, or little.
    const closed = segments.filter(({ isLast }) => !isLast).sort((one, other) => other.segment - one.segment);
    const left =
      duckDb && closed.length > 0
        ? await findFast(closed, { filter, limit, gathering, scan, signal })
        : { files: closed };
    await scan(left.files);
    const why = 'why' in left ? { withoutDuckDb: left.why } : {};
    return { ...gathering.gathered(), prunedSegments, ...why };
  });
}

async function listSegments(dir: string): Promise<{ segments: SegmentFile[]; prunedSegments: number }> {
  const segments: SegmentFile[] = [];
  let prunedSegments = 0;
  for (const chain of await listChains(dir)) {
    const folder = await listChainFolder(join(dir, 'chains', chain));
    const last = [...folder.segments.keys()].at(-1);
    for (const [segment, bytes] of folder.segments) {
      const path = resolve(folder.path, SEGMENTS.of(segment));
      segments.push({ path, chain, segment, bytes, isLast: segment === last });
    }
    // One that has a tombstone and stands all the same, since pruning was interrupted, is searched.
    prunedSegments += [...folder.tombstones].filter((segment) => !folder.segments.has(segment)).length;
  }
  return { segments, prunedSegments };
}

interface Fast {
  readonly filter: Filter;
  readonly limit: number;
  readonly gathering: ResultCollector;
  readonly scan: (files: readonly SegmentFile[]) => Promise<void>;
  readonly signal: AbortSignal | undefined;
}

/** The files that are left to be read line by line; and why, where DuckDB would have read them. */
interface Left {
  readonly files: readonly SegmentFile[];
  readonly why?: 'not-installed' | 'failed';
}

/** Lets DuckDB read what it can. A file with a line that it cannot read is read line by line: that finds the line, or reads it. */
async function findFast(files: readonly SegmentFile[], fast: Fast): Promise<Left> {
  const db = await openOne();
  if (!db) return { files, why: 'not-installed' };
  const { signal, scan } = fast;
  const stop = () => db.connection.interrupt();
  signal?.addEventListener('abort', stop);
  try {
    let left = files;
    while (left.length > 0) {
      const unread = await findUnread(db, left, fast);
      throwIfEnded(signal);
      if (unread?.length === 0) return { files: [] };
      const rest = left.filter(({ path }) => !unread?.includes(path));
      if (!unread || rest.length === left.length) return { files: left, why: 'failed' };
      await scan(left.filter(({ path }) => unread.includes(path)));
      left = rest;
    }
    return { files: [] };
  } finally {
    signal?.removeEventListener('abort', stop);
    db.close();
  }
}

/** Undefined where DuckDB cannot read on: a file that is gone since, a line across two lines. */
async function findUnread(
  db: DuckDb,
  files: readonly SegmentFile[],
  { filter, limit, gathering }: Fast,
): Promise<readonly string[] | undefined> {
  const { searchWithDuckDb: findInFiles } = await import('./search-sql.ts');
  const paths = files.map(({ path }) => path);
  // What it says may quote the line.
  return findInFiles(db, paths, filter, limit, gathering).catch(() => undefined);
}

/** Undefined where DuckDB is not installed. */
async function openOne(): Promise<DuckDb | undefined> {
  const { openDuckDb } = await import('../../decision/sql/duckdb/duckdb.ts');
  try {
    return await openDuckDb();
  } catch (error) {
    if (error instanceof VerdictError) return undefined;
    throw error;
  }
}
