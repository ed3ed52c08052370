/** Records whose keys are erased -> a list of them at 64 bytes each: a log may have erased most of its records. */

import { hash } from 'node:crypto';
import type { BodyEntry } from '../../entry/entry.ts';

/** A record whose key is erased. The log must have an erasure entry for it. */
export interface ShreddedRecord {
  readonly id: string;
  /** `subjectMark` of each of its subjects. */
  readonly subjects: readonly string[];
}

const MARK_BYTES = 16;
/** The id of a record, and the marks of its phone number, email and IP; zeros if it has none. */
const RECORD_BYTES = 4 * MARK_BYTES;
const NONE = '0'.repeat(2 * MARK_BYTES);

/** A short digest of a subject's hash. */
export function subjectMark(subject: string): string {
  return hash('sha256', subject, 'hex').slice(0, 2 * MARK_BYTES);
}

/** Iterates in the order in which records were added. */
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
