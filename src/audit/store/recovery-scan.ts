/** A chain as its last owner left it -> its end: all of its last segment read and checked, and what of it a crash tore. */

import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { type Entry, type FooterFields, MAX_LINE_BYTES, NO_HASH, parseEntry, type Torn } from '../entry/entry.ts';
import { type Files, readWhole } from './files.ts';
import type { LastState } from './lease.ts';
import { type Head, readSegment, SEGMENTS, type SegmentPlace } from './segment.ts';

/** Lines are written together up to about so many bytes: a batch ends with the line that reaches it. */
export const BATCH_BYTES = 1024 * 1024;

/** The most that one write can be, with the seal that may come behind it. What is not durable at a crash is the last one. */
export const LAST_WRITE_BYTES = BATCH_BYTES + 2 * MAX_LINE_BYTES;

/** The most that is set aside in one file: what stands behind the last whole line, and what an opening that was interrupted had set aside there. */
export const TAIL_BYTES = 2 * LAST_WRITE_BYTES;

/** The end of a chain. */
export interface ChainEnd {
  readonly head: Head;
  /** The segment that the next line goes into; `size` and `lines` of it are there already. */
  readonly segment: number;
  readonly size: number;
  readonly lines: number;
  /** The day on which it was begun, yyyy-MM-dd; absent where nothing tells. */
  readonly day?: string;
  /** The last segment that is there, and how long it is up to the end of its last whole line; it may be closed. */
  readonly last?: { readonly segment: number; readonly size: number };
  /** The epoch of the last opening in it, or 0. */
  readonly epoch: number;
  /** What was set aside, and no line tells of yet. */
  readonly torn?: Torn;
}

/** What was found in a segment: its good lines. */
interface Contents {
  readonly head: Head;
  readonly lines: number;
  /** Where they end, in bytes. */
  readonly end: number;
  readonly isSealed: boolean;
  readonly epoch: number;
  /** When a process opened it with its first line. */
  readonly openedAt: string | undefined;
}

/** Which chain, and where. */
export interface ChainLocation {
  readonly files: Files;
  readonly folder: string;
  readonly log: string;
  readonly chain: string;
}

/**
 * Reads the last segment of a chain and checks each line. Throws AUDIT_FAILED, and has written nothing, where a line that is
 * whole is not good: that is no crash's doing, unless the last owner did not end well and there is a hole in the last write. So it does where
 * the chain does not end where its last owner left it, or, if that one did not end well, does not have what was durable when that one began.
 */
export async function scanForRecovery(place: ChainLocation, left: LastState): Promise<ChainEnd> {
  const end = await readEnd(place, left);
  const { seq, hash } = left.head;
  const { head, last } = end;
  const refuseEnd = (problem: string) => refuse(place.chain, last?.segment ?? 1, undefined, problem);
  if (head.seq < seq || (left.isClean && head.seq > seq)) {
    throw refuseEnd(`found line ${head.seq} as the chain's last, expected ${seq}, where its last owner left it`);
  }
  if (head.seq === seq && head.hash !== hash) throw refuseEnd(NOT_LEFT);
  return end;
}

const NOT_LEFT = 'found another line than the one that its last owner left';

async function readEnd(place: ChainLocation, left: LastState): Promise<ChainEnd> {
  const { files, folder } = place;
  const segments = (await files.list(folder)).map((name) => SEGMENTS.numberOf(name) ?? 0);
  const segment = Math.max(0, ...segments);
  const start = { head: { seq: 0, hash: NO_HASH }, segment: 1, size: 0, lines: 0, epoch: 0 };
  if (segment === 0) return start;
  const seal = segment === 1 ? undefined : await readSeal(place, segment - 1);
  const before = segment === 1 ? start.head : seal && { seq: seal.seq, hash: seal.hash };
  const { head, lines, end, isSealed, epoch, openedAt } = await readContents(place, segment, before, left);
  const last = { segment, size: end };
  if (isSealed) return { ...start, head, segment: segment + 1, last, epoch };
  // A decision's own time is not that at which it was written.
  const begunAt = openedAt ?? seal?.at;
  return { head, ...last, lines, last, epoch, ...(begunAt === undefined ? {} : { day: begunAt.slice(0, 10) }) };
}

async function readContents(
  place: ChainLocation,
  segment: number,
  before: Head | undefined,
  left: LastState,
): Promise<Contents> {
  const where: SegmentPlace = { log: place.log, chain: place.chain, segment, before };
  const path = join(place.folder, SEGMENTS.of(segment));
  let head = before;
  let [lines, end, epoch, isSealed] = [0, 0, 0, false];
  let openedAt: string | undefined;
  for await (const item of readSegment(place.files.read(path), where)) {
    if ('problem' in item) {
      const isTorn = !left.isClean && !isSealed && (await isLastWrite(place, path, item, head));
      if (!isTorn) throw refuse(place.chain, segment, item.number, item.problem.text);
      break;
    }
    if ('torn' in item) {
      if (isSealed)
        throw refuse(place.chain, segment, item.number, 'found bytes behind the seal, which ends a segment');
      if (left.isClean)
        throw refuse(
          place.chain,
          segment,
          item.number,
          'found half a line at its end, and its last owner had closed it',
        );
      if ((await place.files.stat(path)).size - item.start > LAST_WRITE_BYTES) {
        throw refuse(place.chain, segment, item.number, 'found more bytes in it than are ever written at once');
      }
      break;
    }
    const { line } = item;
    if (line.seq === left.head.seq && line.hash !== left.head.hash)
      throw refuse(place.chain, segment, item.number, NOT_LEFT);
    if (line.kind === 'open') epoch = line.epoch;
    if (line.kind === 'open' && item.number === 1) openedAt = line.at;
    head = line;
    lines = item.number;
    end = item.end;
    isSealed = line.kind === 'seal';
  }
  if (!head) throw refuse(place.chain, segment, 1, 'found no whole line, and the segment before it is not there');
  return { head: { seq: head.seq, hash: head.hash }, lines, end, isSealed, epoch, openedAt };
}

/** The least that a disk writes at once, in bytes. */
const SECTOR = 512;

/**
 * Whether a line that is not good is what a crash left of the last write: the line has a hole, and nothing behind it is of a later write. The
 * end of the same write may be there, whole. A later one began when all before it was durable: then the disk has lost what it had.
 */
async function isLastWrite(
  { files, chain }: ChainLocation,
  path: string,
  { start, end }: { readonly start: number; readonly end: number },
  head: Head | undefined,
): Promise<boolean> {
  if ((await files.stat(path)).size - start > LAST_WRITE_BYTES) return false;
  const tail = (await readWhole(files, path, { from: start, most: LAST_WRITE_BYTES })) ?? Buffer.alloc(0);
  if (!hasHole(tail.subarray(0, end - start), start)) return false;
  const next = (head?.seq ?? 0) + 1;
  for (let at = end - start; at < tail.length; ) {
    const stop = tail.indexOf(LINE_BREAK, at);
    if (stop < 0) break;
    const parsed = parseEntry(tail.subarray(at, stop));
    if ('line' in parsed && parsed.line.chain === chain && parsed.line.batch > next) return false;
    at = stop + 1;
  }
  return true;
}

const LINE_BREAK = 0x0a;

/**
 * Whether a line that begins there has whole sectors of zeros in it, or from its beginning up to the next sector. So a file system shows what
 * it had given a place, but not written yet, when the machine ended. No line of ours has a zero byte.
 */
function hasHole(line: Buffer, start: number): boolean {
  const from = line.indexOf(0);
  if (from < 0 || (from > 0 && (start + from) % SECTOR !== 0)) return false;
  const to = line.findIndex((byte, at) => at > from && byte !== 0);
  return to > from && (start + to) % SECTOR === 0;
}

/** Longer than any seal. */
const SEAL_BYTES = 1024;

/** The last line of a segment that is closed; undefined where the segment was pruned. */
async function readSeal(place: ChainLocation, segment: number): Promise<(Entry & FooterFields) | undefined> {
  const { files, folder, chain } = place;
  const path = join(folder, SEGMENTS.of(segment));
  if (!(await files.list(folder)).includes(SEGMENTS.of(segment))) return undefined;
  const bytes = await readWhole(files, path, { from: Math.max(0, (await files.stat(path)).size - SEAL_BYTES) });
  const text = bytes?.toString('latin1') ?? '';
  const from = text.lastIndexOf('\n', text.length - 2) + 1;
  const parsed = bytes && text.endsWith('\n') ? parseEntry(bytes.subarray(from, -1)) : undefined;
  const line = parsed && 'line' in parsed ? parsed.line : undefined;
  if (line?.kind !== 'seal' || line.chain !== chain || line.segment !== segment) {
    throw refuse(chain, segment, undefined, 'expected it to end in its seal');
  }
  return line;
}

function refuse(chain: string, segment: number, line: number | undefined, problem: string): VerdictError {
  const where = `chain ${chain}, segment ${segment}${line === undefined ? '' : `, line ${line}`}`;
  return new VerdictError('AUDIT_FAILED', `${where}: ${problem}; nothing was written`);
}
