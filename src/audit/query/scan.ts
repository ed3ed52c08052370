/** Segments of a log, read line by line -> the decisions that match a filter, the notes and the erasures. */

import { VerdictError } from '../../errors.ts';
import { splitLines } from '../../platform/lines.ts';
import { MAX_LINE_BYTES } from '../entry/entry.ts';
import { readPieces } from '../store/folder.ts';
import { positionWords } from '../tampered-error.ts';
import type { ResultCollector } from './collector.ts';
import { type Filter, passes } from './filter.ts';
import { readSearchEntry } from './search-entry.ts';

/** A segment of a log. */
export interface SegmentFile {
  readonly path: string;
  readonly chain: string;
  readonly segment: number;
  /** Its length when it was listed; what is appended later is not read. */
  readonly bytes: number;
  /** Whether it is the last of its chain: it may be growing, so an unterminated last line is not an entry yet. */
  readonly isLast: boolean;
}

/**
 * Reads segments in bounded memory. Rejects with AUDIT_FAILED at the first line that cannot be read, and with ABORTED
 * once the signal aborts.
 */
export async function scanSegments(
  files: readonly SegmentFile[],
  filter: Filter,
  collector: ResultCollector,
  signal?: AbortSignal,
): Promise<void> {
  for (const { path, chain, segment, bytes: length, isLast } of files) {
    for await (const { number, bytes, isEnded } of splitLines(readPieces(path, length), MAX_LINE_BYTES)) {
      throwIfAborted(signal);
      if ((isLast && !isEnded) || (bytes && isBlank(bytes))) continue;
      const entry = bytes && readSearchEntry(bytes);
      if (!entry) {
        const where = positionWords({ chain, segment, line: number });
        throw new VerdictError('AUDIT_FAILED', `${where} cannot be read: verify the log with verdict audit verify`);
      }
      if (entry.kind === 'decision') {
        if (passes(entry, filter)) collector.addDecision(entry);
      } else if (entry.kind === 'note') collector.addNote(entry);
      else if (entry.kind === 'erasure') collector.addErasure(entry.records);
    }
  }
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new VerdictError('ABORTED', 'the search was aborted');
}

/** No writer leaves such a line, but DuckDB skips it and both readers have to agree. */
function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
