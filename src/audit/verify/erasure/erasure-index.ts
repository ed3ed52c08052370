/** The erasures on record, one by one -> what the log tells of a record whose key is gone. */

import type { ErasureFields } from '../../entry/entry.ts';
import { type ShreddedRecord, subjectMark } from './shredded-records.ts';

/** An erasure that tells of a record, and the ones before it that do. */
interface Told {
  /** Those of its subjects, as `subjectMark` gives them. */
  readonly subjects: ReadonlySet<string>;
  readonly before: Told | undefined;
}

/** What the log tells: that it was erased for a subject of its own; for that of another only; nothing. */
export type ErasureStatus = 'erased' | 'erasure-differs' | 'key-missing';

/** An erasure may be told of in any chain: ask once all were read. */
export class ErasureIndex {
  readonly #told = new Map<string, Told>();

  add({ subject, records }: ErasureFields): void {
    const subjects = new Set(subject.map(subjectMark));
    const first = { subjects, before: undefined };
    for (const id of records) {
      const before = this.#told.get(id);
      this.#told.set(id, before ? { subjects, before } : first);
    }
  }

  has(id: string): boolean {
    return this.#told.has(id);
  }

  /** The records that erasures tell of. */
  ids(): Iterable<string> {
    return this.#told.keys();
  }

  statusOf({ id, subjects }: ShreddedRecord): ErasureStatus {
    const told = this.#told.get(id);
    if (!told) return 'key-missing';
    for (let one: Told | undefined = told; one; one = one.before) {
      if (subjects.some((subject) => one?.subjects.has(subject))) return 'erased';
    }
    return 'erasure-differs';
  }
}
