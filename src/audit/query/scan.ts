/** Segments of a log, read line by line -> the decisions that pass a filter, the notes and the erasures. */

import { VerdictError } from '../../errors.ts';
import { splitLines } from '../../platform/lines.ts';
import { MAX_LINE_BYTES } from '../entry/entry.ts';
import { readPieces } from '../store/folder.ts';
import type { ResultCollector } from './collector.ts';
import { type Filter, passes } from './filter.ts';
import { readSearchEntry } from './search-entry.ts';

/** A segment of a log. */
export interface SegmentFile {
  readonly path: string;
  readonly chain: string;
  readonly segment: number;
  /** As long as it was when it was looked at; what is written later is not read. */
  readonly bytes: number;
  /** The last one of its chain, which may be written: what stands behind its last line break is no line yet. */
  readonly isLast: boolean;
}

/**
 * Reads segments in bounded memory. Rejects with AUDIT_FAILED at the first line that cannot be read, and with ABORTED where the signal asks
 * it to end.
 */
export async function scanSegments(
  files: readonly SegmentFile[],
  filter: Filter,
  gathering: ResultCollector,
  signal?: AbortSignal,
): Promise<void> {
  for (const { path, chain, segment, bytes: length, isLast } of files) {
    for await (const { number, bytes, isEnded } of splitLines(readPieces(path, length), MAX_LINE_BYTES)) {
      throwIfEnded(signal);
      if ((isLast && !isEnded) || (bytes && isBlank(bytes))) continue;
      const line = bytes && readSearchEntry(bytes);
      if (!line) {
        const where = `line ${number} of segment ${segment} of chain ${chain}`;
        const message = `${where} cannot be read: verdict audit verify tells what is wrong with the log`;
        throw new VerdictError('AUDIT_FAILED', message);
      }
      if (line.kind === 'decision') {
        if (passes(line, filter)) gathering.addDecision(line);
      } else if (line.kind === 'note') gathering.addNote(line);
      else if (line.kind === 'erasure') gathering.addErasure(line.records);
    }
  }
}

/** Throws ABORTED where the signal asks to end. */
export function throwIfEnded(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new VerdictError('ABORTED', 'the search was ended before it was done');
}

/** Nobody has written such a line, and DuckDB passes it over: the two readers have to agree. */
function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
