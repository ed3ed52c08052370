/** A log and a day -> the segments that may go: of each chain the first ones, closed, with records before that day alone. */

import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { type Entry, NO_HASH } from '../entry/entry.ts';
import { KeyOrder } from '../keys/key-order.ts';
import type { TrustedKeys } from '../keys/signature.ts';
import { type ChainFolder, isUnchanged, listChainFolder } from '../store/chain-folder.ts';
import { readPieces, readSmall } from '../store/folder.ts';
import { type Head, readSegment, SEGMENTS, TOMBSTONES } from '../store/segment.ts';
import { joinTombstone, type PrunedSegment } from './tombstone.ts';

/** A segment that may go. */
export interface PrunableSegment extends Omit<PrunedSegment, 'prunedAt'> {
  readonly folder: string;
  /** It has its tombstone already: pruning was interrupted. */
  readonly hasTombstone: boolean;
  /** The records whose erasure is told here. */
  readonly erased: readonly string[];
}

/** What may go. */
export interface Plan {
  /** In the order in which they have to go. */
  readonly candidates: readonly PrunableSegment[];
  /** Segments that are old enough, and stay for what they, or others before them, tell of erasures of records that stay. */
  readonly kept: number;
}

/** The log whose segments are asked after. */
export interface PlanSetting {
  readonly dir: string;
  readonly log: string;
  readonly chains: readonly string[];
  readonly trusted: TrustedKeys;
  /** yyyy-MM-dd; records of this day stay. */
  readonly before: string;
}

/**
 * The segments that may go, chain by chain, in their order. The last segment of a chain stays, since its next line has to follow one that is there; and one that
 * tells of an erasure stays as long as a record that was erased does, or the record's key would be gone for no reason that is known.
 * Throws AUDIT_FAILED where one is not as it was written: a tombstone must not vouch for it.
 */
export async function planPruning(setting: PlanSetting): Promise<Plan> {
  const found: (readonly PrunableSegment[])[] = [];
  for (const chain of setting.chains) found.push(await lookAndPlan(chain, setting));
  const candidates = found.flat();
  const erased = new Set(candidates.flatMap((candidate) => candidate.erased));
  if (erased.size === 0) return { candidates, kept: 0 };
  const places = await locate(erased, setting);
  const going = keepErasures(candidates, places);
  return { candidates: recordsFirst(going, places), kept: candidates.length - going.length };
}

/** Others may prune meanwhile: what is wrong with a chain counts if nothing has changed, or if it stays. */
const LOOKS = 5;

async function lookAndPlan(chain: string, setting: PlanSetting): Promise<readonly PrunableSegment[]> {
  for (let looks = 1; ; looks++) {
    const folder = await listChainFolder(join(setting.dir, 'chains', chain));
    try {
      return await planChain(chain, folder, setting);
    } catch (error) {
      if (looks === LOOKS || isUnchanged(folder, await listChainFolder(folder.path))) throw error;
    }
  }
}

async function planChain(
  chain: string,
  folder: ChainFolder,
  { log, trusted, before: day }: PlanSetting,
): Promise<PrunableSegment[]> {
  const keys = new KeyOrder(chain);
  const candidates: PrunableSegment[] = [];
  let before: Head = { seq: 0, hash: NO_HASH };
  for (let segment = 1; segment < folder.last; segment++) {
    const place = { log, chain, segment, before };
    const hasTombstone = folder.tombstones.has(segment);
    if (hasTombstone && !folder.segments.has(segment)) {
      before = await headOfTombstone(folder, { chain, segment, before, trusted });
      continue;
    }
    const scan = await scanSegment(folder, place, keys);
    if (hasTombstone) await checkTombstone({ ...scan, folder: folder.path }, trusted);
    if (!hasTombstone && (scan.to >= day || !(await isBegun(folder, segment + 1)))) break;
    candidates.push({ ...scan, folder: folder.path, hasTombstone });
    before = { seq: scan.last, hash: scan.head };
  }
  return candidates;
}

/** Throws AUDIT_FAILED where the tombstone of a segment is not one of just these records. */
export async function checkTombstone(
  candidate: Omit<PrunableSegment, 'hasTombstone'>,
  trusted: TrustedKeys,
): Promise<void> {
  const { folder: path, chain, segment, first, prev, head } = candidate;
  const before = { seq: first - 1, hash: prev };
  const { hash } = await headOfTombstone({ path }, { chain, segment, before, trusted });
  if (hash !== head) throw refuse(chain, segment, 'found a tombstone of other records');
}

async function headOfTombstone(
  folder: Pick<ChainFolder, 'path'>,
  place: Parameters<typeof joinTombstone>[1],
): Promise<Head> {
  const joined = joinTombstone(await readSmall(join(folder.path, TOMBSTONES.of(place.segment))), place);
  if ('problem' in joined) throw refuse(place.chain, place.segment, joined.problem);
  return { seq: joined.tombstone.last, hash: joined.tombstone.head };
}

/** All of a closed segment, checked. */
async function scanSegment(
  folder: ChainFolder,
  place: { readonly log: string; readonly chain: string; readonly segment: number; readonly before: Head },
  keys: KeyOrder,
): Promise<Omit<PrunableSegment, 'folder' | 'hasTombstone'>> {
  const { chain, segment, before } = place;
  const erased: string[] = [];
  let [from, to] = ['9', ''];
  let last: Entry | undefined;
  for await (const line of readLines(folder, place)) {
    if (line.kind === 'erasure') for (const record of line.records) erased.push(record);
    if ('key' in line && line.key !== undefined && !keys.takes(line.key)) throw refuse(chain, segment, SHARED);
    if (line.kind !== 'seal') [from, to] = [line.at < from ? line.at : from, line.at > to ? line.at : to];
    last = line;
  }
  if (last?.kind !== 'seal') throw refuse(chain, segment, 'expected it to end in its seal');
  const { seq, records, hash } = last;
  return { chain, segment, first: before.seq + 1, last: seq, records, prev: before.hash, head: hash, from, to, erased };
}

/** The lines of a segment. Throws AUDIT_FAILED at the first that is not good; half a line at the end is not given. */
export async function* readLines(
  { path, segments }: ChainFolder,
  place: { readonly log: string; readonly chain: string; readonly segment: number; readonly before: Head | undefined },
): AsyncGenerator<Entry> {
  const { chain, segment } = place;
  const bytes = segments.get(segment);
  if (bytes === undefined) throw refuse(chain, segment, 'found neither the segment nor a tombstone');
  for await (const item of readSegment(readPieces(join(path, SEGMENTS.of(segment)), bytes), place)) {
    if ('problem' in item) throw refuse(chain, segment, `line ${item.number}: ${item.problem.text}`);
    if ('line' in item) yield item.line;
  }
}

/** Whether a segment has a whole line. */
async function isBegun({ path, segments }: ChainFolder, segment: number): Promise<boolean> {
  for await (const piece of readPieces(join(path, SEGMENTS.of(segment)), segments.get(segment) ?? 0)) {
    if (piece.includes(0x0a)) return true;
  }
  return false;
}

/** Where records stand, as `<chain>/<segment>`. */
async function locate(ids: ReadonlySet<string>, { dir, log, chains }: PlanSetting): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const chain of chains) {
    const folder = await listChainFolder(join(dir, 'chains', chain));
    for (const segment of folder.segments.keys()) {
      for await (const line of readLines(folder, { log, chain, segment, before: undefined })) {
        const id = line.kind === 'decision' || line.kind === 'note' ? line.id : '';
        if (ids.has(id)) found.set(id, `${chain}/${segment}`);
      }
    }
  }
  return found;
}

/** Without those that tell of the erasure of a record that stays, and what comes after them in their chains; until nothing more stays. */
function keepErasures(candidates: readonly PrunableSegment[], places: ReadonlyMap<string, string>): PrunableSegment[] {
  const going = new Set(candidates.map(({ chain, segment }) => `${chain}/${segment}`));
  for (;;) {
    const stays = candidates.filter(({ chain, segment, hasTombstone, erased }) => {
      const isNeeded = erased.some((id) => !going.has(places.get(id) ?? `${chain}/${segment}`));
      const isBehind =
        segment > 1 &&
        candidates.some(
          (one) => one.chain === chain && one.segment === segment - 1 && !going.has(`${chain}/${segment - 1}`),
        );
      return going.has(`${chain}/${segment}`) && !hasTombstone && (isNeeded || isBehind);
    });
    if (stays.length === 0) return candidates.filter(({ chain, segment }) => going.has(`${chain}/${segment}`));
    for (const { chain, segment } of stays) going.delete(`${chain}/${segment}`);
  }
}

/**
 * What tells of erasures goes after the records that were erased, as far as the order within the chains allows it: a record whose key is gone is to
 * be told of as long as it is there.
 */
function recordsFirst(candidates: readonly PrunableSegment[], places: ReadonlyMap<string, string>): PrunableSegment[] {
  const nameOf = ({ chain, segment }: PrunableSegment) => `${chain}/${segment}`;
  const staying = new Set(candidates.map(nameOf));
  const queues = [...Map.groupBy(candidates, ({ chain }) => chain).values()];
  const ordered: PrunableSegment[] = [];
  const isFree = (one: PrunableSegment) =>
    one.erased.every((id) => !staying.has(places.get(id) ?? '') || places.get(id) === nameOf(one));
  while (ordered.length < candidates.length) {
    const heads = queues.flatMap(([head]) => (head ? [head] : []));
    // Where two chains tell of each other one has to begin.
    const next = heads.find(isFree) ?? heads[0];
    if (!next) break;
    ordered.push(next);
    staying.delete(nameOf(next));
    queues.find(([head]) => head === next)?.shift();
  }
  return ordered;
}

const SHARED = "a record names a data key that is another record's, or another chain's";

function refuse(chain: string, segment: number, problem: string): VerdictError {
  return new VerdictError('AUDIT_FAILED', `chain ${chain}, segment ${segment} cannot be pruned: ${problem}`);
}
