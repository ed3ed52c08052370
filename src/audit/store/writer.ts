/** Records, one by one -> lines at the end of a chain, durable; those that come while the disk is busy go together. */

import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { Batches } from '../../platform/batch.ts';
import { type EntryFields, formatEntry, type Torn } from '../entry/entry.ts';
import type { DataKey, DataKeyPool } from '../keys/data-keys.ts';
import { type OpenFile, writeAll } from './files.ts';
import { wrapIoErrors, wrapKeyErrors } from './io-errors.ts';
import { BATCH_BYTES, type ChainEnd, type ChainPlace } from './recovery-scan.ts';
import { type Head, SEGMENTS } from './segment.ts';

/** Records that may wait for the disk, those that it is busy with among them: at 20 KB each some 80 MB. */
export const MAX_WAITING = 4096;

/** Where a record stands, durable. */
export interface Appended {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
}

/** What is to be appended; `sealed` ones are made with a data key of their own. */
type Item =
  | { readonly sealed: true; readonly build: (slot: DataKey) => EntryFields }
  | { readonly sealed: false; readonly build: () => EntryFields };

/** What came of one: an error is that of this record alone. */
type Result = Appended | { readonly error: unknown };

/** A segment that is written. */
interface Segment {
  readonly number: number;
  size: number;
  lines: number;
  /** When it was begun to be written in, yyyy-MM-dd: with the first record of a later day it is closed. */
  day?: string;
  isThere: boolean;
  file?: OpenFile;
}

/** Lines that go into one segment with one write. */
interface Part {
  readonly segment: Segment;
  readonly texts: string[];
}

export interface WriterSetting extends ChainPlace {
  readonly epoch: number;
  readonly engine: string;
  /** A segment is closed with the line that makes it so long, in bytes; and before the first record of a later day. */
  readonly segmentBytes: number;
  now(): number;
}

/** Appends to one chain, which is this process's own. */
export class Writer {
  readonly #setting: WriterSetting;
  readonly #keys: DataKeyPool;
  readonly #batches: Batches<Item, Result>;
  #head: Head;
  #durable: Head;
  #segment: Segment;
  /** The number of the first line of those that are written together. */
  #batch = 1;
  /** The bytes of all lines so far. */
  #bytes = 0;
  #isClosed = false;

  constructor(
    setting: WriterSetting,
    keys: DataKeyPool,
    { head, segment: number, size, lines, day, last, torn }: ChainEnd,
  ) {
    this.#setting = setting;
    this.#keys = keys;
    this.#head = head;
    this.#durable = head;
    this.#segment = { number, size, lines, isThere: last?.segment === number };
    // The line that tells of a tail which was set aside has to stand where the tail stood.
    if (day !== undefined && lines > 0 && !torn) this.#segment.day = day;
    this.#batches = new Batches((items) => this.#commit(items), { gather: true });
  }

  get hasFailed(): boolean {
    return this.#batches.failure !== undefined;
  }

  /** The last line that is on the disk for certain. */
  get durable(): Head {
    return this.#durable;
  }

  /** Throws AUDIT_FAILED if a record would not be taken. */
  check(): void {
    if (this.#batches.failure) throw this.#batches.failure.error;
    if (this.#isClosed) throw new VerdictError('AUDIT_FAILED', 'the audit log is closed');
    if (this.#batches.waiting >= MAX_WAITING) {
      throw new VerdictError('AUDIT_FAILED', `${MAX_WAITING} records wait for the disk, and no more are taken`);
    }
  }

  append(item: Item): Promise<Appended> {
    try {
      this.check();
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#batches.add(item).then((result) => {
      if ('error' in result) throw result.error;
      return result;
    });
  }

  /** The first line of an epoch. */
  open(torn: Torn | undefined): Promise<Appended> {
    const { log, epoch, engine } = this.#setting;
    const build = (): EntryFields => ({
      kind: 'open',
      at: this.#now(),
      log,
      epoch,
      engine,
      segment: this.#segment.number,
      ...(torn ? { torn } : {}),
    });
    return this.append({ sealed: false, build });
  }

  /** Waits for what was appended, and closes the files. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#batches.idle();
    this.#keys.close();
    await this.#segment.file?.close().catch(() => {
      // What was acknowledged is on the disk.
    });
  }

  async #commit(items: readonly Item[]): Promise<readonly Result[]> {
    const wanted = items.filter(({ sealed }) => sealed).length;
    await wrapKeyErrors('given data keys', () => this.#keys.reserve(wanted));
    return wrapIoErrors('written', async () => {
      const { parts, results } = this.#build(items);
      for (const part of parts) await this.#write(part);
      this.#durable = this.#head;
      return results;
    });
  }

  /** The lines of as many items as go together. */
  #build(items: readonly Item[]): { readonly parts: readonly Part[]; readonly results: readonly Result[] } {
    const results: Result[] = [];
    const parts: Part[] = [{ segment: this.#segment, texts: [] }];
    const most = this.#bytes + BATCH_BYTES;
    this.#batch = this.#head.seq + 1;
    for (const item of items) {
      if (this.#bytes >= most) break;
      results.push(this.#add(item, parts));
    }
    return { parts: parts.filter(({ texts }) => texts.length > 0), results };
  }

  /** Adds the line of one item; a seal before it where another day has begun, and one behind it where the segment is full. */
  #add(item: Item, parts: Part[]): Result {
    const today = this.#now().slice(0, 10);
    // What is of one day can be pruned when its time has come, however little it is.
    if (this.#segment.day !== undefined && this.#segment.day < today) this.#closeSegment(parts);
    try {
      this.#addLine(item.sealed ? this.#buildSealed(item.build) : item.build(), parts);
    } catch (error) {
      return { error };
    }
    const appended = { chain: this.#setting.chain, ...this.#head };
    this.#segment.day ??= today;
    if (this.#segment.size >= this.#setting.segmentBytes) this.#closeSegment(parts);
    return appended;
  }

  #closeSegment(parts: Part[]): void {
    const { number, lines } = this.#segment;
    this.#addLine({ kind: 'seal', at: this.#now(), segment: number, records: lines }, parts);
    this.#segment = { number: number + 1, size: 0, lines: 0, isThere: false };
    parts.push({ segment: this.#segment, texts: [] });
  }

  #buildSealed(build: (slot: DataKey) => EntryFields): EntryFields {
    const slot = this.#keys.take();
    try {
      return build(slot);
    } finally {
      slot.key.fill(0);
    }
  }

  #addLine(fields: EntryFields, parts: Part[]): void {
    const seq = this.#head.seq + 1;
    const [batch, prev] = [this.#batch, this.#head.hash];
    const { text, hash } = formatEntry({ ...fields, chain: this.#setting.chain, seq, prev, batch });
    this.#head = { seq, hash };
    const bytes = Buffer.byteLength(text);
    this.#segment.size += bytes;
    this.#bytes += bytes;
    this.#segment.lines += 1;
    parts.at(-1)?.texts.push(text);
  }

  /** Resolves when the lines are on the disk. */
  async #write({ segment, texts }: Part): Promise<void> {
    const bytes = Buffer.from(texts.join(''));
    segment.file ??= await this.#openSegment(segment);
    await this.#checkOwn(segment.number, segment.file, segment.size - bytes.length);
    await writeAll(segment.file, bytes);
    await segment.file.datasync();
    if (segment !== this.#segment) await segment.file.close();
  }

  async #openSegment(segment: Segment): Promise<OpenFile> {
    const { files, folder } = this.#setting;
    const path = join(folder, SEGMENTS.of(segment.number));
    if (segment.isThere) return files.open(path, 'append');
    const file = await files.open(path, 'create');
    await files.syncFolder(folder);
    segment.isThere = true;
    return file;
  }

  /** Makes sure that nobody has removed, replaced or cut the file meanwhile: the lines would be lost, or stand behind something else. */
  async #checkOwn(segment: number, file: OpenFile, expected: number): Promise<void> {
    const { files, folder } = this.#setting;
    const [named, opened] = await Promise.all([files.stat(join(folder, SEGMENTS.of(segment))), file.state()]);
    if (named.id !== opened.id) throw foreign('was removed, or another file is in its place');
    if (opened.size !== expected) throw foreign(`has ${opened.size} bytes, expected ${expected}`);
  }

  #now(): string {
    return new Date(this.#setting.now()).toISOString();
  }
}

function foreign(what: string): VerdictError {
  return new VerdictError('AUDIT_FAILED', `the audit log could not be written: its last segment ${what}`);
}
