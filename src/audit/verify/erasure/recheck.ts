/** A verified log and doubtful records -> findings for those still wrong when the log is read again. */

import { join } from 'node:path';
import type { BodyEntry, ErasureFields } from '../../entry/entry.ts';
import { listChainFolder, listChains, readPiecesOf } from '../../store/chain-folder.ts';
import { readSegmentFast, SEGMENTS } from '../../store/segment.ts';
import type { ChainReport } from '../chain-report.ts';
import type { Defect, Finding } from '../finding.ts';
import type { IdSet } from '../id-set.ts';

/** The log to read again. */
export interface RecheckContext {
  readonly dir: string;
  /** The log's id. */
  readonly log: string;
  readonly keysDir: string;
}

/** A defect that some records may have. */
export interface Recheck extends Defect {
  readonly records: IdSet;
  /** Whether one of them has it. Default: all of them have. */
  holds?(entry: BodyEntry): Promise<boolean>;
}

/** The erasure entries written since the chains were verified. Of the older segments it reads each chain's last. */
export async function erasuresSince(
  context: RecheckContext,
  reports: readonly ChainReport[],
): Promise<ErasureFields[]> {
  const known = new Map(reports.map((report) => [report.chain, report]));
  const found: ErasureFields[] = [];
  for (const chain of await listChains(context.dir)) {
    const { segments = 0, pruned = 0, length = 0 } = known.get(chain) ?? {};
    for await (const { entry } of entriesOf(context, chain, segments + pruned)) {
      if (entry.kind === 'erasure' && entry.seq > length) found.push(entry);
    }
  }
  return found;
}

/** A finding for the first record of each chain that has the defect; pruned records have none. */
export async function recheck(
  context: RecheckContext,
  reports: readonly ChainReport[],
  { code, message, records, holds = async () => true }: Recheck,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (records.size === 0) return findings;
  for (const { chain, length } of reports) {
    for await (const { entry, segment, line, offset } of entriesOf(context, chain, 0)) {
      const { seq, kind } = entry;
      if (seq > length) break;
      if ((kind !== 'decision' && kind !== 'note') || !records.has(entry.id) || !(await holds(entry))) continue;
      const file = `chains/${chain}/${SEGMENTS.of(segment)}`;
      findings.push({ code, chain, segment, line, seq, offset, file, id: entry.id, message });
      break;
    }
  }
  return findings;
}

/** The entries of a chain from a segment on, up to the first bad one, without segments that are being pruned. */
async function* entriesOf({ dir, log }: RecheckContext, chain: string, from: number) {
  const folder = await listChainFolder(join(dir, 'chains', chain));
  for (const segment of folder.segments.keys()) {
    if (segment < from || folder.tombstones.has(segment)) continue;
    const pieces = readPiecesOf(folder, segment);
    for await (const items of readSegmentFast(pieces, { log, chain, segment, before: undefined })) {
      for (const item of items) {
        if (!('line' in item)) return;
        yield { entry: item.line, segment, line: item.number, offset: item.start };
      }
    }
  }
}
