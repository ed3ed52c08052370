/** Records whose keys are gone, one by one -> the same again, in 64 bytes each: a log may have erased most of its records. */

import { hash } from 'node:crypto';
import type { BodyEntry } from '../../entry/entry.ts';

/** A record whose key is gone: erased, as the log has to tell. */
export interface ShreddedRecord {
  readonly id: string;
  /** What `subjectMark` makes of the hashes of its subjects. */
  readonly subjects: readonly string[];
}

const MARK_BYTES = 16;
/** A record's id, and the marks of a phone number, an email and an IP; zeros where it has none. */
const RECORD_BYTES = 4 * MARK_BYTES;
const NONE = '0'.repeat(2 * MARK_BYTES);

/** Stands for the hash of a subject, which is half as long again. */
export function subjectMark(subject: string): string {
  return hash('sha256', subject, 'hex').slice(0, 2 * MARK_BYTES);
}

/** In the order in which they were added. */
export class ShreddedRecords {
  #bytes = Buffer.alloc(16 * RECORD_BYTES);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add({ id, subjects: { phoneNo, email, ip } }: Pick<BodyEntry, 'id' | 'subjects'>): void {
    const marks = [phoneNo, email, ip].map((subject) => (subject === undefined ? NONE : subjectMark(subject)));
    const at = this.#size * RECORD_BYTES;
    if (at === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(at)]);
    this.#bytes.write(`${id.replaceAll('-', '')}${marks.join('')}`, at, 'hex');
    this.#size += 1;
  }

  *[Symbol.iterator](): Generator<ShreddedRecord> {
    for (let at = 0; at < this.#size * RECORD_BYTES; at += RECORD_BYTES) {
      const text = this.#bytes.toString('hex', at, at + RECORD_BYTES);
      const [id = '', ...marks] = text.match(/.{32}/g) ?? [];
      yield { id: id.replace(UUID, '$1-$2-$3-$4-$5'), subjects: marks.filter((mark) => mark !== NONE) };
    }
  }
}

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
