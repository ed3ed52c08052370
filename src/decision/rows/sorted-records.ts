/** Records of numbers -> the same in order: in memory, or in sorted runs on disk where there are too many. */

import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The memory of the records that are sorted at once. */
const RUN_BYTES = 64 * 2 ** 20;
/** What is read of a run at once. */
const READ_BYTES = 2 ** 18;

/** A record, until the next one is asked for. */
export type NumberRecord = Float64Array;

/** Sorts records by some of their fields, in turn. No field may be NaN. */
export class SortedRecords {
  readonly #width: number;
  readonly #order: readonly number[];
  readonly #most: number;
  /** Grows up to a run. */
  #added: Float64Array;
  #size = 0;
  /** The runs on disk: the first record of each, and the one after its last. */
  readonly #runs: (readonly [from: number, to: number])[] = [];
  #folder: string | undefined;
  #file = -1;

  /** @param runBytes the memory of a run; tests take less */
  constructor(width: number, order: readonly number[], runBytes = RUN_BYTES) {
    this.#width = width;
    this.#order = order;
    this.#most = Math.max(1, Math.floor(runBytes / (8 * width)));
    this.#added = new Float64Array(Math.min(this.#most, 1024) * width);
  }

  add(record: ArrayLike<number>): void {
    if (this.#size === this.#most) this.#writeRun();
    if (this.#size * this.#width === this.#added.length) {
      const larger = new Float64Array(Math.min(this.#most, 2 * this.#size) * this.#width);
      larger.set(this.#added);
      this.#added = larger;
    }
    this.#added.set(record, this.#size * this.#width);
    this.#size += 1;
  }

  /** All records in order. It may be asked for several times, also at once, as soon as all are added. */
  *sorted(): Generator<NumberRecord> {
    if (this.#runs.length === 0) {
      yield* this.#inMemory();
      return;
    }
    if (this.#size > 0) this.#writeRun();
    const heads = this.#runs.flatMap((run) => {
      const records = this.#readRun(run);
      const { value } = records.next();
      return value ? [{ records, record: value as NumberRecord }] : [];
    });
    while (heads.length > 0) {
      let least = 0;
      for (let i = 1; i < heads.length; i++) {
        const [one, other] = [heads[i], heads[least]] as [(typeof heads)[0], (typeof heads)[0]];
        if (this.#compare(one.record, 0, other.record, 0) < 0) least = i;
      }
      const head = heads[least] as (typeof heads)[0];
      yield head.record;
      const { value } = head.records.next();
      if (value) head.record = value;
      else heads.splice(least, 1);
    }
  }

  /** Removes what is on disk. */
  close(): void {
    if (this.#folder === undefined) return;
    closeSync(this.#file);
    rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  *#inMemory(): Generator<NumberRecord> {
    this.#sortAdded();
    const width = this.#width;
    for (let at = 0; at < this.#size * width; at += width) yield this.#added.subarray(at, at + width);
  }

  #compare(one: Float64Array, from: number, other: Float64Array, otherFrom: number): number {
    for (const field of this.#order) {
      const difference = (one[from + field] as number) - (other[otherFrom + field] as number);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #sortAdded(): void {
    const [added, width] = [this.#added, this.#width];
    const places = Uint32Array.from({ length: this.#size }, (_, i) => i * width);
    const isSorted = places.every((at, i) => i === 0 || this.#compare(added, at - width, added, at) <= 0);
    if (isSorted) return;
    places.sort((one, other) => this.#compare(added, one, added, other));
    const sorted = new Float64Array(added.length);
    for (const [i, at] of places.entries()) sorted.set(added.subarray(at, at + width), i * width);
    this.#added = sorted;
  }

  #writeRun(): void {
    this.#sortAdded();
    if (this.#folder === undefined) {
      this.#folder = mkdtempSync(join(tmpdir(), 'verdict-sorted-'));
      this.#file = openSync(join(this.#folder, 'runs'), 'wx+', 0o600);
    }
    const from = this.#runs.at(-1)?.[1] ?? 0;
    const bytes = new Uint8Array(this.#added.buffer, 0, this.#size * this.#width * 8);
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#file, bytes, written, bytes.length - written, from * this.#width * 8 + written);
    }
    this.#runs.push([from, from + this.#size]);
    this.#size = 0;
  }

  *#readRun([from, to]: readonly [number, number]): Generator<NumberRecord> {
    const width = this.#width;
    const most = Math.max(1, Math.floor(READ_BYTES / (8 * width)));
    const records = new Float64Array(most * width);
    for (let next = from; next < to; next += most) {
      const count = Math.min(most, to - next);
      const bytes = new Uint8Array(records.buffer, 0, count * width * 8);
      for (let read = 0; read < bytes.length; ) {
        read += readSync(this.#file, bytes, read, bytes.length - read, next * width * 8 + read);
      }
      for (let i = 0; i < count; i++) yield records.subarray(i * width, (i + 1) * width);
    }
  }
}
