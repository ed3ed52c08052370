/** A log and a position in each of its chains -> the entries that are new since then, in their clear fields. */

import { VerdictError } from '../../errors.ts';
import { splitLines } from '../../platform/files/lines.ts';
import { type EntryPosition, MAX_LINE_BYTES, type RecordedOutcome } from '../entry/entry.ts';
import { isBlank, readSearchEntry, type SearchEntry } from '../read/search-entry.ts';
import { type ChainFolder, listChain, listChains, readPieces, readPiecesOf } from '../store/chain-folder.ts';
import type { Folder } from '../store/files.ts';
import { positionWords } from '../store/io-errors.ts';
import { SEGMENTS } from '../store/segment.ts';

/** An entry as a reader of the log's news gets it: its clear fields. */
export interface NewEntry {
  readonly chain: string;
  readonly entry: Exclude<SearchEntry, { readonly kind: 'open' | 'seal' }>;
}

/** Where a reader of the log's news has read to in each chain. */
export type NewsPosition = Readonly<Record<string, { readonly segment: number; readonly end: number }>>;

/** Entries that are new to a reader, and where it goes on. */
export interface News {
  readonly entries: readonly NewEntry[];
  readonly next: NewsPosition;
}

/**
 * The entries after a position, in the order of each chain, and the position after them. Entries of pruned segments are
 * left out. Rejects with AUDIT_FAILED at a line that cannot be read, and with REQUEST_INVALID for a position that is
 * within a line. `outcome`: decisions with another one, which replace none, are not copied to the caller.
 */
export async function readNews(
  log: Folder,
  after: NewsPosition,
  limit: number,
  outcome?: RecordedOutcome,
): Promise<News> {
  const entries: NewEntry[] = [];
  const next: Record<string, { segment: number; end: number }> = {};
  for (const chain of await listChains(log)) {
    const folder = await listChain(log, chain);
    const { segments } = folder;
    const last = [...segments.keys()].at(-1);
    const from = after[chain] ?? { segment: 0, end: 0 };
    next[chain] = from;
    for (const [segment, size] of segments) {
      if (segment < from.segment || entries.length >= limit) continue;
      const start = segment === from.segment ? from.end : 0;
      if (start === size) continue;
      if (start > 0 && !(await endsLine(folder, segment, start, size))) {
        throw new VerdictError('REQUEST_INVALID', 'the position is not one of this log');
      }
      for await (const raw of splitLines(readPiecesOf(folder, segment, start), MAX_LINE_BYTES)) {
        if ((segment === last && !raw.isEnded) || entries.length >= limit) break;
        const entry = readLine(raw.bytes, { chain, segment, line: raw.number });
        next[chain] = { segment, end: start + raw.end };
        if (!entry || entry.kind === 'open' || entry.kind === 'seal') continue;
        if (entry.kind === 'decision' && !isAsked(entry, outcome)) continue;
        entries.push({ chain, entry: clearOf(entry, outcome !== undefined) });
      }
    }
  }
  return { entries, next };
}

function isAsked(decision: Extract<SearchEntry, { kind: 'decision' }>, outcome: RecordedOutcome | undefined): boolean {
  return outcome === undefined || decision.outcome === outcome || decision.replaces !== undefined;
}

async function endsLine(folder: ChainFolder, segment: number, at: number, size: number): Promise<boolean> {
  const pieces = readPieces(folder, SEGMENTS.of(segment), 1, at - 1);
  const bytes = at > size ? undefined : Buffer.concat(await Array.fromAsync(pieces));
  return bytes?.[0] === 0x0a;
}

/** Without the body and the hashes of people. The lists of missing facts are long: they come with `missing`. */
function clearOf(entry: NewEntry['entry'], missing: boolean): NewEntry['entry'] {
  const clear = Object.entries(entry).filter(([name]) => !LEFT_OUT.includes(name) || (missing && name === 'missing'));
  return Object.fromEntries(clear) as unknown as NewEntry['entry'];
}

const LEFT_OUT = [
  'sealed',
  'plain',
  'key',
  'subjects',
  'reference',
  'links',
  'missing',
  'hash',
  'prev',
  'mapping',
  'writtenAt',
];

/** Undefined for a blank line. Throws AUDIT_FAILED. */
export function readLine(bytes: Buffer | undefined, position: EntryPosition): SearchEntry | undefined {
  if (bytes && isBlank(bytes)) return undefined;
  const entry = bytes && readSearchEntry(bytes);
  if (entry) return entry;
  const where = positionWords(position);
  throw new VerdictError('AUDIT_FAILED', `${where} cannot be read: verify the log with verdict audit verify`);
}
