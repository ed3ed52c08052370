/** The position of an entry -> whether its segment is as it was written: faster than verifying the whole log. */

import { join } from 'node:path';
import type { EntryPosition } from '../entry/entry.ts';
import { listChainFolder, readPiecesOf } from '../store/chain-folder.ts';
import { readSegment } from '../store/segment.ts';

/** How far an entry can be trusted. */
export type SegmentStatus =
  /** Every entry of its segment has the right hash and follows the one before; `after` entries follow this one. */
  | { readonly state: 'whole'; readonly after: number }
  /** This line of its segment is not as it was written. */
  | { readonly state: 'bad'; readonly line: number; readonly problem: string };

/** Checks the segment of an entry. `log` is the log's id. The rest of the log is checked by `verifyLog`. */
export async function segmentStatusOf(dir: string, log: string, place: EntryPosition): Promise<SegmentStatus> {
  const { chain, segment, line } = place;
  const pieces = readPiecesOf(await listChainFolder(join(dir, 'chains', chain)), segment);
  let after = 0;
  for await (const item of readSegment(pieces, { log, chain, segment, before: undefined })) {
    if ('problem' in item) return { state: 'bad', line: item.number, problem: item.problem.text };
    if ('line' in item && item.number > line) after += 1;
  }
  return { state: 'whole', after };
}
