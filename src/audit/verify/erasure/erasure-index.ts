/** Erasure entries, one by one -> whether the erasure of a record is on record. */

import type { ErasureFields } from '../../entry/entry.ts';
import { type ShreddedRecord, subjectMark } from './shredded-records.ts';

/** The erasure of a record, and the earlier ones of the same record. */
interface Erasure {
  /** The marks of its subjects, from `subjectMark`. */
  readonly subjects: ReadonlySet<string>;
  readonly before: Erasure | undefined;
}

/** A record was erased for a subject of its own, only for another subject, or without an erasure on record. */
export type ErasureStatus = 'erased' | 'erasure-differs' | 'key-missing';

/** Ask for a status once all chains were read: the erasure entry of a record may be in any of them. */
export class ErasureIndex {
  readonly #erasures = new Map<string, Erasure>();

  add({ subject, records }: ErasureFields): void {
    const subjects = new Set(subject.map(subjectMark));
    const first = { subjects, before: undefined };
    for (const id of records) {
      const before = this.#erasures.get(id);
      this.#erasures.set(id, before ? { subjects, before } : first);
    }
  }

  has(id: string): boolean {
    return this.#erasures.has(id);
  }

  /** The records named in erasure entries. */
  ids(): Iterable<string> {
    return this.#erasures.keys();
  }

  statusOf({ id, subjects }: ShreddedRecord): ErasureStatus {
    const last = this.#erasures.get(id);
    if (!last) return 'key-missing';
    for (let erasure: Erasure | undefined = last; erasure; erasure = erasure.before) {
      if (subjects.some((subject) => erasure?.subjects.has(subject))) return 'erased';
    }
    return 'erasure-differs';
  }
}
