/** A segment or tombstone to prune -> its entries or its head, if it is as it was written; otherwise AUDIT_FAILED. */

import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import type { Entry } from '../entry/entry.ts';
import { type ChainFolder, readPiecesOf } from '../store/chain-folder.ts';
import { readSmall } from '../store/folder.ts';
import { type Head, readSegment, type SegmentPosition, TOMBSTONES } from '../store/segment.ts';
import { joinTombstone, type TombstonePlace } from './tombstone.ts';

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
export async function readTombstoneHead({ path }: ChainFolder, place: TombstonePlace): Promise<Head> {
  const joined = joinTombstone(await readSmall(join(path, TOMBSTONES.of(place.segment))), place);
  if ('problem' in joined) throw cannotPrune(place.chain, place.segment, joined.problem);
  return { seq: joined.tombstone.last, hash: joined.tombstone.head };
}

export function cannotPrune(chain: string, segment: number, problem: string): VerdictError {
  return new VerdictError('AUDIT_FAILED', `cannot prune segment ${segment} of chain ${chain}: ${problem}`);
}
