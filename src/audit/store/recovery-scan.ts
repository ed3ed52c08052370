/** A chain as its last owner left it -> its end, with every line of the last segment checked, and a torn tail. */

import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { type Entry, type FooterFields, MAX_LINE_BYTES, NO_HASH, parseEntry, type Torn } from '../entry/entry.ts';
import { type Folder, readWhole } from './files.ts';
import type { LastState } from './lease.ts';
import { type Head, readSegment, SEGMENTS } from './segment.ts';

/** The size of a batch of lines: it ends with the line that reaches this many bytes. */
export const BATCH_BYTES = 1024 * 1024;

/** The most bytes of one write, with the footer that may follow. Only the last write may not be durable at a crash. */
export const LAST_WRITE_BYTES = BATCH_BYTES + 2 * MAX_LINE_BYTES;

/** The most bytes of a file with a torn tail: this tail, and that of an interrupted recovery. */
export const TAIL_BYTES = 2 * LAST_WRITE_BYTES;

/** The end of a chain. */
export interface ChainEnd {
  readonly head: Head;
  /** The segment of the next line, and its size and lines so far. */
  readonly segment: number;
  readonly size: number;
  readonly lines: number;
  /** The day on which the segment was begun, yyyy-MM-dd; absent if it cannot be known. */
  readonly day?: string;
  /** The last segment in the folder, which may be closed, and its size up to the end of its last complete line. */
  readonly last?: { readonly segment: number; readonly size: number };
  /** The epoch of the last opening in that segment, or 0. */
  readonly epoch: number;
  /** A torn tail that no entry names yet. */
  readonly torn?: Torn;
}

/** A chain and its folder. */
export interface ChainLocation {
  readonly folder: Folder;
  readonly log: string;
  readonly chain: string;
}

/**
 * Reads the last segment of a chain and checks each line; writes nothing. Throws AUDIT_FAILED if a complete line is
 * invalid: no crash causes that, except a hole in the last write of an owner that did not release the chain. Also
 * throws if the chain does not end where its last owner released it, or lacks a line that was durable when its last
 * owner acquired it.
 */
export async function scanForRecovery(location: ChainLocation, state: LastState): Promise<ChainEnd> {
  const end = await readEnd(location, state);
  const { seq, hash } = state.head;
  const { head, last } = end;
  const endError = (problem: string) => errorAt(location.chain, last?.segment ?? 1, undefined, problem);
  if (head.seq < seq || (state.isClean && head.seq > seq)) {
    throw endError(`found line ${head.seq} as the chain's last, expected ${seq}, which its last owner left`);
  }
  if (head.seq === seq && head.hash !== hash) throw endError(ANOTHER_LINE);
  return end;
}

const ANOTHER_LINE = 'found another line, expected the one that its last owner left';

async function readEnd(location: ChainLocation, state: LastState): Promise<ChainEnd> {
  const { folder, log, chain } = location;
  const { files } = folder;
  const segments = (await files.list(folder.path)).map((name) => SEGMENTS.numberOf(name) ?? 0);
  const segment = Math.max(0, ...segments);
  const start = { head: { seq: 0, hash: NO_HASH }, segment: 1, size: 0, lines: 0, epoch: 0 };
  if (segment === 0) return start;
  const footer = segment === 1 ? undefined : await readFooter(location, segment - 1);
  const before = segment === 1 ? start.head : footer;
  const path = join(folder.path, SEGMENTS.of(segment));
  let line: Entry | undefined;
  let [lines, size, epoch] = [0, 0, 0];
  // When the segment was begun: the time of a decision is not the time of its writing.
  let begunAt = footer?.at;
  for await (const item of readSegment(files.read(path), { log, chain, segment, before })) {
    if ('problem' in item) {
      const mayBeTorn = !state.isClean && line?.kind !== 'seal';
      if (mayBeTorn && (await isLastWrite(location, segment, item, line ?? before))) break;
      throw errorAt(chain, segment, item.number, item.problem.text);
    }
    if ('torn' in item) {
      const bytes = (await files.stat(path)).size - item.start;
      const problem = tornProblem(line?.kind === 'seal', state.isClean, bytes);
      if (problem === undefined) break;
      throw errorAt(chain, segment, item.number, problem);
    }
    line = item.line;
    if (line.seq === state.head.seq && line.hash !== state.head.hash) {
      throw errorAt(chain, segment, item.number, ANOTHER_LINE);
    }
    if (line.kind === 'open') epoch = line.epoch;
    if (line.kind === 'open' && item.number === 1) begunAt = line.at;
    [lines, size] = [item.number, item.end];
  }
  const end = line ?? before;
  if (!end) throw errorAt(chain, segment, 1, 'found no complete line, and no segment before it');
  const head = { seq: end.seq, hash: end.hash };
  const last = { segment, size };
  if (line?.kind === 'seal') return { ...start, head, segment: segment + 1, last, epoch };
  return { head, ...last, lines, last, epoch, ...(begunAt === undefined ? {} : { day: begunAt.slice(0, 10) }) };
}

/** Why bytes behind the last line break are not what a crash left of the last write; undefined if they may be. */
function tornProblem(isClosed: boolean, isClean: boolean, bytes: number): string | undefined {
  if (isClosed) return 'found bytes behind the footer, which ends a segment';
  if (isClean) return 'found an incomplete line at the end, although its last owner released the chain';
  return bytes > LAST_WRITE_BYTES ? 'found an incomplete line of more bytes than one write has' : undefined;
}

/** The smallest unit that a disk writes, in bytes. */
const SECTOR = 512;

/**
 * Whether an invalid line is what a crash left of the last write: it has a hole, and no line behind it is of a later
 * write. Complete lines of the same write may follow. A later write would prove that this line was durable, so that
 * the disk lost it.
 */
async function isLastWrite(
  { folder, chain }: ChainLocation,
  segment: number,
  { start, end }: { readonly start: number; readonly end: number },
  head: Head | undefined,
): Promise<boolean> {
  const name = SEGMENTS.of(segment);
  if ((await folder.files.stat(join(folder.path, name))).size - start > LAST_WRITE_BYTES) return false;
  const tail = (await readWhole(folder, name, { from: start, most: LAST_WRITE_BYTES })) ?? Buffer.alloc(0);
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
 * Whether a line that starts at this offset has zeros in complete sectors, or from its start up to the next sector.
 * This is how a file system shows bytes that it had allocated but not written at a power failure. No valid line has a
 * zero byte.
 */
function hasHole(line: Buffer, start: number): boolean {
  const from = line.indexOf(0);
  if (from < 0 || (from > 0 && (start + from) % SECTOR !== 0)) return false;
  const to = line.findIndex((byte, at) => at > from && byte !== 0);
  return to > from && (start + to) % SECTOR === 0;
}

/** Longer than any footer. */
const FOOTER_BYTES = 1024;

/** The footer of a closed segment; undefined if the segment was pruned. */
async function readFooter(location: ChainLocation, segment: number): Promise<(Entry & FooterFields) | undefined> {
  const { folder, chain } = location;
  const { files, path } = folder;
  const name = SEGMENTS.of(segment);
  if (!(await files.list(path)).includes(name)) return undefined;
  const { size } = await files.stat(join(path, name));
  const bytes = await readWhole(folder, name, { from: Math.max(0, size - FOOTER_BYTES) });
  const text = bytes?.toString('latin1') ?? '';
  const from = text.lastIndexOf('\n', text.length - 2) + 1;
  const parsed = bytes && text.endsWith('\n') ? parseEntry(bytes.subarray(from, -1)) : undefined;
  const line = parsed && 'line' in parsed ? parsed.line : undefined;
  if (line?.kind !== 'seal' || line.chain !== chain || line.segment !== segment) {
    throw errorAt(chain, segment, undefined, 'expected its footer at the end');
  }
  return line;
}

function errorAt(chain: string, segment: number, line: number | undefined, problem: string): VerdictError {
  const where = `chain ${chain}, segment ${segment}${line === undefined ? '' : `, line ${line}`}`;
  return new VerdictError('AUDIT_FAILED', `${where}: ${problem}; nothing was written`);
}
