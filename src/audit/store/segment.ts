/** The names in a chain's folder, and the bytes of a segment -> its lines, each following the one before, up to the first that does not. */

import { type RawLine, splitChunks, splitLines } from '../../platform/lines.ts';
import { type Entry, type EntryProblem, MAX_LINE_BYTES, parseEntry, parseEntryFast } from '../entry/entry.ts';

/** A numbered kind of file: its name for a number, and the number of a name that is exactly so written. */
export interface Names {
  of(number: number): string;
  numberOf(name: string): number | undefined;
}

export const SEGMENTS = namesOf('', 8, '.ndjson');
export const OWNERS = namesOf('owner-', 6, '.json');
export const TOMBSTONES = namesOf('tombstone-', 8, '.json');

/** Files that are being written, and are given their name when they are whole; what a crash left of them is nothing. */
export const TEMPORARY = /^\.new-[0-9a-f]{32}$/;

const TORN = /^torn-(\d+)-(\d+)$/;

/** The file that holds what stood in a segment from that byte on, after a crash. */
export function tornName(segment: number, offset: number): string {
  return `torn-${String(segment).padStart(8, '0')}-${offset}`;
}

/** What a torn file's name says. */
export function readTornName(name: string): { readonly segment: number; readonly offset: number } | undefined {
  const [, segment, offset] = TORN.exec(name) ?? [];
  const read = { segment: Number(segment), offset: Number(offset) };
  return tornName(read.segment, read.offset) === name ? read : undefined;
}

export function namesOf(before: string, digits: number, after: string): Names {
  const of = (number: number) => `${before}${String(number).padStart(digits, '0')}${after}`;
  const numberOf = (name: string) => {
    const number = Number(name.slice(before.length, name.length - after.length));
    return Number.isSafeInteger(number) && number > 0 && of(number) === name ? number : undefined;
  };
  return { of, numberOf };
}

/** The end of a chain, or of a part of it: what the next line has to follow. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** Where a segment belongs. */
export interface SegmentPlace {
  readonly log: string;
  readonly chain: string;
  readonly segment: number;
  /** The last line of the segment before; `{ seq: 0, hash: NO_HASH }` for the first; undefined where it is not known. */
  readonly before: Head | undefined;
}

/** What is wrong with a line, by itself or where it stands. */
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

/** Where a line stands in its file: its number from 1, where it begins and where the next one does, in bytes. */
interface Found {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

/** A good line; or the first bad one, which ends the segment; or bytes behind the last line break, which end it too. */
export type SegmentItem = Found & ({ readonly line: Entry } | BadLine | { readonly torn: true });

/** A bad line. */
interface BadLine {
  readonly problem: SegmentProblem;
  /** The id of a record that stands in it. */
  readonly id: string | undefined;
}

/** Reads and checks a segment, line by line, in bounded memory. After a problem nothing more comes. */
export async function* readSegment(chunks: AsyncIterable<Buffer>, place: SegmentPlace): AsyncGenerator<SegmentItem> {
  const check = new SegmentCheck(place, parseEntry);
  for await (const raw of splitLines(chunks, MAX_LINE_BYTES)) {
    const item = check.next(raw);
    yield item;
    if (!('line' in item)) return;
  }
}

/** The same with `parseLineFast`, the lines of a piece of the file together. */
export async function* readSegmentFast(
  chunks: AsyncIterable<Buffer>,
  place: SegmentPlace,
): AsyncGenerator<readonly SegmentItem[]> {
  const check = new SegmentCheck(place, parseEntryFast);
  for await (const lines of splitChunks(chunks, MAX_LINE_BYTES)) {
    const items: SegmentItem[] = [];
    let isGood = true;
    for (const raw of lines) {
      const item = check.next(raw);
      items.push(item);
      isGood = 'line' in item;
      if (!isGood) break;
    }
    yield items;
    if (!isGood) return;
  }
}

/** Checks the lines of a segment, one after the other. */
class SegmentCheck {
  readonly #place: SegmentPlace;
  readonly #parse: typeof parseEntry;
  #before: Head | undefined;
  #last: Entry | undefined;

  constructor(place: SegmentPlace, parse: typeof parseEntry) {
    this.#place = place;
    this.#parse = parse;
    this.#before = place.before;
  }

  next({ number, bytes, start, end, isEnded }: RawLine): SegmentItem {
    if (!isEnded) return { number, start, end, torn: true };
    const parsed = this.#parse(bytes ?? TOO_LONG);
    if ('problem' in parsed) return { number, start, end, problem: parsed.problem, id: idIn(bytes) };
    const { line } = parsed;
    const problem = checkPlace(line, this.#place, this.#before, number, this.#last);
    if (problem) return { number, start, end, problem, id: idIn(bytes) };
    this.#last = line;
    this.#before = line;
    return { number, start, end, line };
  }
}

/** What a line says of its record's id, which stands near its beginning. */
function idIn(bytes: Buffer | undefined): string | undefined {
  return bytes && OWN_ID.exec(bytes.toString('latin1', 0, 1024))?.[1];
}

const OWN_ID = /"id":"([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"/;

/** Stands for a line that was not kept: it is as much too long. */
const TOO_LONG = Buffer.alloc(MAX_LINE_BYTES + 1);

/** Whether a line that is good by itself stands where it does. */
function checkPlace(
  line: Entry,
  { log, chain, segment }: SegmentPlace,
  before: Head | undefined,
  number: number,
  last: Entry | undefined,
): SegmentProblem | undefined {
  if (line.chain !== chain) return { code: 'chain-differs', text: 'found a line of another chain' };
  if (last?.kind === 'seal') return { code: 'after-seal', text: 'found a line behind the seal, which ends a segment' };
  if (before && line.seq !== before.seq + 1) {
    return { code: 'sequence-broken', text: `found line ${line.seq} of the chain, expected ${before.seq + 1}` };
  }
  if (before && line.prev !== before.hash) {
    return { code: 'link-broken', text: 'found the hash of another line, expected that of the line before' };
  }
  if (line.kind === 'seal' && (line.segment !== segment || line.records !== number - 1)) {
    const found = `found a seal of segment ${line.segment} with ${line.records} lines`;
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
