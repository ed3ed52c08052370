/** A log and a day -> the segments to prune: in each chain the first closed ones, with records before that day only. */

import { VerdictError } from '../../errors.ts';
import { type Entry, hasBody, NO_HASH } from '../entry/entry.ts';
import { KeyOrder } from '../keys/data-keys.ts';
import type { TrustedKeys } from '../keys/signature.ts';
import {
  type ChainFolder,
  isUnchanged,
  listChain,
  listChainFolder,
  readPiecesOf,
  readSmall,
} from '../store/chain-folder.ts';
import type { Folder } from '../store/files.ts';
import { type Head, readSegment, type SegmentPosition, TOMBSTONES } from '../store/segment.ts';
import { joinTombstone, type PrunedSegment, type TombstonePlace } from '../verify/tombstone.ts';
import { orderPruning, segmentName } from './prune-order.ts';

/** A segment to prune. */
export interface PrunableSegment extends Omit<PrunedSegment, 'prunedAt'> {
  /** The chain's folder, as it was listed for the plan. */
  readonly folder: ChainFolder;
  /** Its tombstone is written: pruning was interrupted. */
  readonly hasTombstone: boolean;
  /** The records whose erasure is recorded here. */
  readonly erased: readonly string[];
}

/** What to prune. */
interface Plan {
  /** In the order in which to prune them. */
  readonly segments: readonly PrunableSegment[];
  /** Segments that are old enough but stay: their chain holds erasure entries of records that stay. */
  readonly kept: number;
}

/** The log to prune. */
interface PlanOptions {
  readonly dir: Folder;
  readonly log: string;
  readonly chains: readonly string[];
  readonly trusted: TrustedKeys;
  /** yyyy-MM-dd; records of this day stay. */
  readonly before: string;
}

/**
 * Plans which segments to prune. The last segment of a chain stays, so that the chain's next entry has one to
 * follow. An erasure entry stays as long as a record that it refers to: otherwise that record's key would be
 * missing without a reason on record. Throws AUDIT_FAILED for a segment that is not as it was written: a
 * tombstone must not vouch for it.
 */
export async function planPruning(options: PlanOptions): Promise<Plan> {
  const found: (readonly PrunableSegment[])[] = [];
  for (const chain of options.chains) found.push(await planUnchanged(chain, options));
  const old = found.flat();
  const erased = new Set<string>();
  for (const segment of old) for (const id of segment.erased) erased.add(id);
  if (erased.size === 0) return { segments: old, kept: 0 };
  const segments = orderPruning(old, await locate(erased, options));
  return { segments, kept: old.length - segments.length };
}

/** How often a chain is read again when it changed while being read: another process may be pruning it. */
const ATTEMPTS = 5;

/** INVARIANT: an error counts if the chain's folder did not change meanwhile, or if it persists. */
async function planUnchanged(chain: string, options: PlanOptions): Promise<readonly PrunableSegment[]> {
  for (let attempt = 1; ; attempt++) {
    const folder = await listChain(options.dir, chain);
    try {
      return await planChain(chain, folder, options);
    } catch (error) {
      if (attempt === ATTEMPTS || isUnchanged(folder, await listChainFolder(folder))) throw error;
    }
  }
}

async function planChain(
  chain: string,
  folder: ChainFolder,
  { log, trusted, before: day }: PlanOptions,
): Promise<PrunableSegment[]> {
  const keys = new KeyOrder(chain);
  const old: PrunableSegment[] = [];
  let before: Head = { seq: 0, hash: NO_HASH };
  for (let segment = 1; segment < folder.last; segment++) {
    const hasTombstone = folder.tombstones.has(segment);
    if (hasTombstone && !folder.segments.has(segment)) {
      before = await readTombstoneHead(folder, { chain, segment, before, trusted });
      continue;
    }
    const scanned = await scanSegment(folder, { log, chain, segment, before }, keys);
    if (hasTombstone) await checkTombstone(scanned, trusted);
    else if (scanned.to >= day || !(await isBegun(folder, segment + 1))) break;
    old.push({ ...scanned, hasTombstone });
    before = { seq: scanned.last, hash: scanned.head };
  }
  return old;
}

/** Throws AUDIT_FAILED if the tombstone of a segment is not the one of exactly these entries. */
export async function checkTombstone(
  { folder, chain, segment, first, prev, head }: Omit<PrunableSegment, 'hasTombstone'>,
  trusted: TrustedKeys,
): Promise<void> {
  const before = { seq: first - 1, hash: prev };
  const { hash } = await readTombstoneHead(folder, { chain, segment, before, trusted });
  if (hash !== head) throw cannotPrune(chain, segment, 'found a tombstone of other entries');
}

/** Reads and checks a closed segment. */
async function scanSegment(
  folder: ChainFolder,
  place: SegmentPosition & { readonly before: Head },
  keys: KeyOrder,
): Promise<Omit<PrunableSegment, 'hasTombstone'>> {
  const { chain, segment, before } = place;
  const erased: string[] = [];
  let [from, to] = ['9', ''];
  let last: Entry | undefined;
  for await (const entry of readEntries(folder, place)) {
    if (entry.kind === 'erasure') for (const id of entry.records) erased.push(id);
    if ('key' in entry && entry.key !== undefined && !keys.takes(entry.key)) {
      throw cannotPrune(chain, segment, 'found the data key of another record or chain');
    }
    if (entry.kind !== 'seal') [from, to] = [entry.at < from ? entry.at : from, entry.at > to ? entry.at : to];
    last = entry;
  }
  if (last?.kind !== 'seal') throw cannotPrune(chain, segment, 'found no footer at its end');
  const { seq, records, hash } = last;
  const ends = { first: before.seq + 1, last: seq, prev: before.hash, head: hash };
  return { chain, segment, ...ends, records, from, to, erased, folder };
}

/** Whether a segment has a complete line. */
async function isBegun(folder: ChainFolder, segment: number): Promise<boolean> {
  for await (const piece of readPiecesOf(folder, segment)) if (piece.includes(0x0a)) return true;
  return false;
}

/** The segments of records, by name; a record that is not in the log has none. */
async function locate(ids: ReadonlySet<string>, { dir, log, chains }: PlanOptions): Promise<Map<string, string>> {
  const segmentOf = new Map<string, string>();
  for (const chain of chains) {
    const folder = await listChain(dir, chain);
    for (const segment of folder.segments.keys()) {
      const name = segmentName({ chain, segment });
      for await (const entry of readEntries(folder, { log, chain, segment, before: undefined })) {
        if (hasBody(entry) && ids.has(entry.id)) segmentOf.set(entry.id, name);
      }
    }
  }
  return segmentOf;
}

/** Yields the entries of a segment up to a partial line at its end. Throws AUDIT_FAILED at the first bad one. */
export async function* readEntries(folder: ChainFolder, place: SegmentPosition): AsyncGenerator<Entry> {
  const { chain, segment } = place;
  if (!folder.segments.has(segment)) throw cannotPrune(chain, segment, 'found neither the segment nor a tombstone');
  for await (const item of readSegment(readPiecesOf(folder, segment), place)) {
    if ('problem' in item) throw cannotPrune(chain, segment, `line ${item.number}: ${item.problem.text}`);
    if ('line' in item) yield item.line;
  }
}

/** The last entry of a pruned segment. Throws AUDIT_FAILED for a tombstone that does not fit there. */
async function readTombstoneHead(folder: ChainFolder, place: TombstonePlace): Promise<Head> {
  const joined = joinTombstone(await readSmall(folder, TOMBSTONES.of(place.segment)), place);
  if ('problem' in joined) throw cannotPrune(place.chain, place.segment, joined.problem);
  return { seq: joined.tombstone.last, hash: joined.tombstone.head };
}

export function cannotPrune(chain: string, segment: number, problem: string): VerdictError {
  return new VerdictError('AUDIT_FAILED', `cannot prune segment ${segment} of chain ${chain}: ${problem}`);
}
