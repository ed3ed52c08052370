/** Records whose keys are erased -> a list of them at about 90 bytes each: a log may have erased most of them. */

import { hash } from 'node:crypto';
import type { BodyEntry } from '../../entry/entry.ts';

/** A record whose key is erased. The log must have an erasure entry for it. */
export interface ShreddedRecord {
  readonly id: string;
  /** `subjectMark` of each of its subjects. */
  readonly subjects: readonly string[];
}

const MARK_BYTES = 16;
const NONE = '0'.repeat(2 * MARK_BYTES);

/** A short digest of a subject's hash. */
export function subjectMark(subject: string): string {
  return hash('sha256', subject, 'hex').slice(0, 2 * MARK_BYTES);
}

/** Iterates in the order in which records were added. */
export class ShreddedRecords {
  /** For each record, as bytes: its id, and the marks of its phone number, email and IP; zeros if it has none. */
  readonly #records: string[] = [];

  add({ id, subjects: { phoneNo, email, ip } }: Pick<BodyEntry, 'id' | 'subjects'>): void {
    const marks = [phoneNo, email, ip].map((subject) => (subject === undefined ? NONE : subjectMark(subject)));
    this.#records.push(Buffer.from(`${id.replaceAll('-', '')}${marks.join('')}`, 'hex').toString('latin1'));
  }

  *[Symbol.iterator](): Generator<ShreddedRecord> {
    for (const bytes of this.#records) {
      const [id = '', ...marks] = Buffer.from(bytes, 'latin1').toString('hex').match(/.{32}/g) ?? [];
      yield { id: id.replace(UUID, '$1-$2-$3-$4-$5'), subjects: marks.filter((mark) => mark !== NONE) };
    }
  }
}

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
