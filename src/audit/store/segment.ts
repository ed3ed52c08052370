/** The bytes of a segment -> its checked lines, up to the first invalid one; and the names of a chain's files. */

import { type RawLine, splitChunks } from '../../platform/files/lines.ts';
import { type Entry, type EntryProblem, MAX_LINE_BYTES, parseEntry, parseEntryFast } from '../entry/entry.ts';
import { UUID_V7 } from '../entry/schema.ts';

/** A kind of numbered file: the name for a number, and the number of a name, if it is written exactly so. */
export interface Names {
  of(number: number): string;
  numberOf(name: string): number | undefined;
}

export const SEGMENTS = namesOf('', 8, '.ndjson');
export const OWNERS = namesOf('owner-', 6, '.json');
export const TOMBSTONES = namesOf('tombstone-', 8, '.json');

/** The folders of a log. */
export const FOLDERS: readonly string[] = ['chains', 'public', 'policies', 'mappings', 'releases'];

/** Files still being written: they get their name when they are complete. One that a crash left is ignored. */
export const TEMPORARY = /^\.new-[0-9a-f]{32}$/;

const TORN = /^torn-(\d+)-(\d+)$/;

/** The file for the tail of a segment, from this offset on, that a crash tore. */
export function tornName(segment: number, offset: number): string {
  return `torn-${String(segment).padStart(8, '0')}-${offset}`;
}

/** The segment and offset of a torn tail, from the name of its file. */
export function readTornName(name: string): { readonly segment: number; readonly offset: number } | undefined {
  const [, segment, offset] = TORN.exec(name) ?? [];
  const read = { segment: Number(segment), offset: Number(offset) };
  return tornName(read.segment, read.offset) === name ? read : undefined;
}

/** Names with a number of at least this many digits. */
export function namesOf(before: string, digits: number, after: string): Names {
  const of = (number: number) => `${before}${String(number).padStart(digits, '0')}${after}`;
  const numberOf = (name: string) => {
    const number = Number(name.slice(before.length, name.length - after.length));
    return Number.isSafeInteger(number) && number > 0 && of(number) === name ? number : undefined;
  };
  return { of, numberOf };
}

/** The last entry so far: the next one continues from it. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** The position that a segment must have. */
export interface SegmentPosition {
  readonly log: string;
  readonly chain: string;
  readonly segment: number;
  /** The last entry of the segment before; `{ seq: 0, hash: NO_HASH }` for the first; undefined if not known. */
  readonly before: Head | undefined;
}

/** What is wrong with a line or its position. */
export interface SegmentProblem {
  readonly code:
    | EntryProblem['code']
    | 'chain-differs'
    | 'log-differs'
    | 'sequence-broken'
    | 'link-broken'
    | 'after-seal'
    | 'seal-wrong'
    | 'open-wrong';
  readonly text: string;
}

/** The position of a line in its file: its number from 1, its offset and that of the next line, in bytes. */
type LinePosition = Pick<RawLine, 'number' | 'start' | 'end'>;

/** A valid line, the first invalid one, or the bytes behind the last line break. The latter two end the reading. */
export type SegmentItem = LinePosition & ({ readonly line: Entry } | BadLine | { readonly torn: true });

interface BadLine {
  readonly problem: SegmentProblem;
  /** The id of the record in the line, if it has one. */
  readonly id: string | undefined;
}

/** Reads and checks a segment, line by line, in bounded memory, up to the first problem. */
export async function* readSegment(
  chunks: AsyncIterable<Buffer>,
  expected: SegmentPosition,
): AsyncGenerator<SegmentItem> {
  for await (const items of readItems(chunks, expected, parseEntry)) yield* items;
}

/** The same with `parseEntryFast`, all lines of a chunk of the file at once. */
export function readSegmentFast(
  chunks: AsyncIterable<Buffer>,
  expected: SegmentPosition,
): AsyncGenerator<readonly SegmentItem[]> {
  return readItems(chunks, expected, parseEntryFast);
}

async function* readItems(
  chunks: AsyncIterable<Buffer>,
  expected: SegmentPosition,
  parse: typeof parseEntry,
): AsyncGenerator<readonly SegmentItem[]> {
  let last: Entry | undefined;
  const check = ({ number, bytes, start, end, isEnded }: RawLine): SegmentItem => {
    if (!isEnded) return { number, start, end, torn: true };
    const parsed = parse(bytes ?? TOO_LONG);
    if ('problem' in parsed) return { number, start, end, problem: parsed.problem, id: findId(bytes) };
    const problem = positionProblem(parsed.line, expected, number, last);
    if (problem) return { number, start, end, problem, id: findId(bytes) };
    last = parsed.line;
    return { number, start, end, line: last };
  };
  for await (const lines of splitChunks(chunks, MAX_LINE_BYTES)) {
    const items: SegmentItem[] = [];
    let isGood = true;
    for (const raw of lines) {
      const item = check(raw);
      items.push(item);
      isGood = 'line' in item;
      if (!isGood) break;
    }
    yield items;
    if (!isGood) return;
  }
}

/** The id of a record, found near the start of its line. */
function findId(bytes: Buffer | undefined): string | undefined {
  return bytes && OWN_ID.exec(bytes.toString('latin1', 0, 1024))?.[1];
}

const OWN_ID = new RegExp(`"id":"(${UUID_V7})"`);

/** In place of a line that was too long to be kept. */
const TOO_LONG = Buffer.alloc(MAX_LINE_BYTES + 1);

/** What is wrong with the position of a valid line. */
function positionProblem(
  line: Entry,
  { log, chain, segment, before: first }: SegmentPosition,
  number: number,
  last: Entry | undefined,
): SegmentProblem | undefined {
  const before = last ?? first;
  if (line.chain !== chain) return { code: 'chain-differs', text: 'found a line of another chain' };
  if (last?.kind === 'seal')
    return { code: 'after-seal', text: 'found a line behind the footer, which ends a segment' };
  if (before && line.seq !== before.seq + 1) {
    return { code: 'sequence-broken', text: `found line ${line.seq} of the chain, expected ${before.seq + 1}` };
  }
  if (before && line.prev !== before.hash) {
    return { code: 'link-broken', text: 'found the hash of another line, expected that of the previous line' };
  }
  if (line.kind === 'seal' && (line.segment !== segment || line.records !== number - 1)) {
    const found = `found the footer of segment ${line.segment} with ${line.records} lines`;
    return { code: 'seal-wrong', text: `${found}, expected segment ${segment} with ${number - 1}` };
  }
  if (line.kind === 'open') {
    if (line.log !== log) return { code: 'log-differs', text: 'found a line of another log' };
    if (line.segment !== segment) {
      return { code: 'open-wrong', text: `found the opening of segment ${line.segment}, expected ${segment}` };
    }
  } else if (line.seq === 1) {
    return { code: 'open-wrong', text: `found ${line.kind}, expected a chain to begin with open` };
  }
  return undefined;
}

/** How far the clocks of the machines that write one log may differ. */
const CLOCK_SKEW_MS = 86_400_000;

/** Whether a chain is older than its log, as their ids say. No writer of a log begins such a chain. */
export function isTooOld(chain: string, log: string): boolean {
  return Date.parse(instantOf(chain)) < Date.parse(instantOf(log)) - CLOCK_SKEW_MS;
}

/** The instant at which a UUID of version 7 was made (RFC 9562, section 5.7: its first 48 bits are milliseconds). */
export function instantOf(uuid: string): string {
  return new Date(Number.parseInt(uuid.replace('-', '').slice(0, 12), 16)).toISOString();
}
