/** Records -> durable lines at the end of a chain; those that arrive while the disk is busy are written together. */

import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { Batches } from '../../platform/batch.ts';
import { type EntryFields, formatEntry, type RecordFields, type Torn } from '../entry/entry.ts';
import type { DataKeyPool } from '../keys/data-keys.ts';
import type { Draft, Encryptor } from '../keys/encrypt.ts';
import { type OpenFile, writeAll } from './files.ts';
import { wrapIoErrors, wrapKeyErrors } from './io-errors.ts';
import { BATCH_BYTES, type ChainEnd, type ChainLocation } from './recovery-scan.ts';
import { type Head, SEGMENTS } from './segment.ts';

/** The most records that wait, those being written included: at 20 KB each about 80 MB. */
export const MAX_WAITING = 4096;

/** The position of a durable record. */
export interface Appended {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
}

/** What is to be appended: a complete record, one whose body is to be encrypted, or the first line of an epoch. */
type Item = RecordFields | Draft | { readonly opening: { readonly torn: Torn | undefined } };

/** The result of one item: an error concerns this record alone. */
type Result = Appended | { readonly error: unknown };

/** The segment being written. */
interface Segment {
  readonly number: number;
  size: number;
  lines: number;
  /** The day of its first record, yyyy-MM-dd: the first record of a later day closes it. */
  day?: string;
  isThere: boolean;
  file?: OpenFile;
}

/** Lines that go into one segment with one write. */
interface Part {
  readonly segment: Segment;
  readonly texts: string[];
}

export interface WriterSetting extends ChainLocation {
  readonly epoch: number;
  readonly engine: string;
  /** The line that reaches this size in bytes closes its segment; so does the first record of a later day. */
  readonly segmentBytes: number;
  /** The most records that wait for the disk. */
  readonly maxWaiting: number;
  now(): number;
  readonly encrypt: Encryptor;
}

/** Appends to one chain that this process has the lease of. */
export class Writer {
  readonly #setting: WriterSetting;
  readonly #keys: DataKeyPool;
  readonly #batches: Batches<Item, Result>;
  #head: Head;
  #durable: Head;
  #segment: Segment;
  /** The number of the first line of the current batch. */
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
    // The line that names a torn tail belongs into the segment of the tail, whatever the day.
    if (day !== undefined && lines > 0 && !torn) this.#segment.day = day;
    this.#batches = new Batches((items) => this.#commit(items), { gather: true });
  }

  get hasFailed(): boolean {
    return this.#batches.failure !== undefined;
  }

  /** The last line that is certainly on the disk. */
  get durable(): Head {
    return this.#durable;
  }

  /** Throws AUDIT_FAILED if a record would be refused. */
  check(): void {
    if (this.#batches.failure) throw this.#batches.failure.error;
    if (this.#isClosed) throw new VerdictError('AUDIT_FAILED', 'the audit log is closed');
    const { maxWaiting } = this.#setting;
    if (this.#batches.waiting >= maxWaiting) {
      throw new VerdictError('AUDIT_FAILED', `${maxWaiting} records wait for the disk, and no more are taken`);
    }
  }

  async append(item: Item): Promise<Appended> {
    this.check();
    const result = await this.#batches.add(item);
    if ('error' in result) throw result.error;
    return result;
  }

  /** Waits for the records appended so far and closes the files. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#batches.idle();
    this.#keys.close();
    // All acknowledged records are durable, whether this succeeds or not.
    await this.#segment.file?.close().catch(() => {});
  }

  async #commit(items: readonly Item[]): Promise<readonly Result[]> {
    const drafts = items.filter((item) => 'body' in item).length;
    await wrapKeyErrors('given data keys', () => this.#keys.reserve(drafts));
    return wrapIoErrors('written', async () => {
      const { parts, results } = this.#build(items);
      for (const part of parts) await this.#write(part);
      this.#durable = this.#head;
      return results;
    });
  }

  /** The lines of the first items, as many as one batch takes. */
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

  /** Adds the line of an item, after a footer if a new day has begun, and before one if the segment is full. */
  #add(item: Item, parts: Part[]): Result {
    const today = this.#now().slice(0, 10);
    // Each day gets segments of its own, however small, so that pruning can remove the day.
    if (this.#segment.day !== undefined && this.#segment.day < today) this.#closeSegment(parts);
    try {
      this.#addLine(this.#fieldsOf(item), parts);
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

  #fieldsOf(item: Item): EntryFields {
    if ('body' in item) return this.#encrypt(item);
    if (!('opening' in item)) return item;
    const { log, epoch, engine } = this.#setting;
    const { torn } = item.opening;
    const segment = this.#segment.number;
    return { kind: 'open', at: this.#now(), log, epoch, engine, segment, ...(torn ? { torn } : {}) };
  }

  /** INVARIANT: the bytes of a data key are wiped once its record is encrypted, or could not be. */
  #encrypt({ clear, body }: Draft): EntryFields {
    const { name, key } = this.#keys.take();
    try {
      const sealed = this.#setting.encrypt(body, key, { ...clear, chain: this.#setting.chain });
      return { ...clear, key: name, sealed } as RecordFields;
    } finally {
      key.fill(0);
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
    const { folder } = this.#setting;
    const bytes = Buffer.from(texts.join(''));
    const before = segment.size - bytes.length;
    const path = join(folder.path, SEGMENTS.of(segment.number));
    const { log } = folder.files.rows ?? {};
    if (log) return log.append(path, { texts, size: before, day: segment.day ?? this.#now().slice(0, 10) });
    try {
      segment.file ??= await folder.files.open(path, segment.isThere ? 'append' : 'create');
      if (!segment.isThere) await folder.files.syncFolder(folder.path);
      segment.isThere = true;
      await this.#checkUnchanged(path, segment.file, before);
      await writeAll(segment.file, bytes);
      await segment.file.datasync();
    } finally {
      if (segment !== this.#segment) await segment.file?.close();
    }
  }

  /** Throws if another process removed, replaced or changed the file: the next lines would be lost or misplaced. */
  async #checkUnchanged(path: string, file: OpenFile, expected: number): Promise<void> {
    const [named, opened] = await Promise.all([this.#setting.folder.files.stat(path), file.state()]);
    if (named.id !== opened.id) throw changedError('was removed or replaced');
    if (opened.size !== expected) throw changedError(`has ${opened.size} bytes, expected ${expected}`);
  }

  #now(): string {
    return new Date(this.#setting.now()).toISOString();
  }
}

/** The error of a writer whose last segment is not as it left it. */
export function changedError(what: string): VerdictError {
  return new VerdictError('AUDIT_FAILED', `the audit log could not be written: its last segment ${what}`);
}
