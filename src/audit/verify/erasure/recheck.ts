/** A log that was read, and records of it whose keys are in question -> what stands there now, and where: a second look, before anything is said to be wrong. */

import { join } from 'node:path';
import type { BodyEntry, Entry, ErasureFields } from '../../entry/entry.ts';
import { listChainFolder, listChains } from '../../store/chain-folder.ts';
import { readPieces } from '../../store/folder.ts';
import { readSegmentFast, SEGMENTS } from '../../store/segment.ts';
import type { ChainReport } from '../chain-check.ts';
import type { Finding } from '../finding.ts';

/** What is looked at. */
export interface RecheckPlace {
  readonly dir: string;
  /** The log's id. */
  readonly log: string;
  readonly keysDir: string;
}

/** A line and where it stands. */
interface LineAt {
  readonly line: Entry;
  readonly segment: number;
  readonly number: number;
  readonly start: number;
}

/** The erasures that were written since the chains were read, each up to its length; nothing before that is read again but in their last segments. */
export async function erasuresSince(place: RecheckPlace, reports: readonly ChainReport[]): Promise<ErasureFields[]> {
  const known = new Map(reports.map((report) => [report.chain, report]));
  const found: ErasureFields[] = [];
  for (const chain of await listChains(place.dir)) {
    const { segments = 0, pruned = 0, length = 0 } = known.get(chain) ?? {};
    for await (const { line } of linesOf(place, chain, segments + pruned)) {
      if (line.kind === 'erasure' && line.seq > length) found.push(line);
    }
  }
  return found;
}

/** A finding for the first record of each chain of which something holds still: what was pruned since is not there, nor what is being pruned. */
export async function recheck(
  place: RecheckPlace,
  reports: readonly ChainReport[],
  wrong: { readonly code: Finding['code']; readonly message: string; is(line: BodyEntry): Promise<boolean> },
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { chain, length } of reports) {
    for await (const at of linesOf(place, chain, 0)) {
      const { line } = at;
      if (line.seq > length) break;
      if (!hasBody(line) || !(await wrong.is(line))) continue;
      found.push(findingAt(line, at, wrong));
      break;
    }
  }
  return found;
}

function hasBody(line: Entry): line is BodyEntry {
  return line.kind === 'decision' || line.kind === 'note';
}

function findingAt(
  { chain, seq, id }: BodyEntry,
  { segment, number, start }: LineAt,
  { code, message }: Pick<Finding, 'code' | 'message'>,
): Finding {
  const file = `chains/${chain}/${SEGMENTS.of(segment)}`;
  return { code, chain, segment, line: number, seq, offset: start, file, id, message };
}

/** The good lines of a chain, from a segment on, without those that are being pruned. */
async function* linesOf({ dir, log }: RecheckPlace, chain: string, from: number): AsyncGenerator<LineAt> {
  const { path, segments, tombstones } = await listChainFolder(join(dir, 'chains', chain));
  for (const [segment, length] of segments) {
    if (segment < from || tombstones.has(segment)) continue;
    const pieces = readPieces(join(path, SEGMENTS.of(segment)), length);
    for await (const items of readSegmentFast(pieces, { log, chain, segment, before: undefined })) {
      for (const item of items) {
        if (!('line' in item)) return;
        yield { line: item.line, segment, number: item.number, start: item.start };
      }
    }
  }
}
