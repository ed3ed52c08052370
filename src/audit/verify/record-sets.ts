/** The records of a log, one by one -> compact sets of them: ids, records with erased keys, erasures on record. */

import { hash } from 'node:crypto';
import { CompactSet, KEY_WORDS } from '../../platform/compact-set.ts';
import type { BodyEntry, ErasureFields } from '../entry/entry.ts';

const DIGITS_PER_WORD = 8;
const HYPHEN = 0x2d;

/** A compact set of UUIDs that can be cut back to an earlier size. */
export class IdSet {
  readonly #ids = new CompactSet();
  /** Reused: a verification asks for millions. */
  readonly #key = new Int32Array(KEY_WORDS);

  get size(): number {
    return this.#ids.size;
  }

  has(uuid: string): boolean {
    return this.#ids.get(this.#parse(uuid)) !== undefined;
  }

  /** False if the set has it already. */
  add(uuid: string): boolean {
    return this.#ids.add(this.#parse(uuid)) === undefined;
  }

  /** Removes all ids but the first `size` that were added. */
  cut(size: number): void {
    this.#ids.cut(size);
  }

  /** Parses a UUID into four words; anything else yields an arbitrary id. */
  #parse(uuid: string): Int32Array {
    let at = 0;
    for (let word = 0; word < KEY_WORDS; word++) {
      let bits = 0;
      for (let digits = 0; digits < DIGITS_PER_WORD; at++) {
        const code = uuid.charCodeAt(at);
        if (code === HYPHEN) continue;
        // In ASCII the low four bits of a digit are its value, and those of a letter its number in the alphabet.
        bits = (bits << 4) | ((code & 15) + (code >> 6) * 9);
        digits += 1;
      }
      this.#key[word] = bits;
    }
    return this.#key;
  }
}

/**
 * False if the set has another record with this id. A note that two processes wrote at the same time, with one id that
 * their callers gave, is one record: what it says in clear is the same. So is a case that two of them opened.
 */
export function addRecord(ids: IdSet, record: BodyEntry): boolean {
  const isNew = ids.add(record.id);
  const said = wordsOf(record);
  if (said === undefined) return isNew;
  const isSame = !ids.add(subjectMark(JSON.stringify(said)));
  return isNew || isSame;
}

/** What two entries say alike that are one record; undefined for one that nobody writes twice. */
function wordsOf(record: BodyEntry): readonly unknown[] | undefined {
  const { id, subjects, plain } = record;
  if (record.kind === 'note') return [id, record.decision, record.disposition, record.knownOn, subjects, plain];
  const isOpening = record.kind === 'event' && record.type === 'case.opened';
  return isOpening ? [id, record.object, record.detail, subjects] : undefined;
}

/** A record whose key is erased. The log must have an erasure entry for it. */
export interface ShreddedRecord {
  readonly id: string;
  /** `subjectMark` of each of its subjects. */
  readonly subjects: readonly string[];
}

const MARK_BYTES = 16;
const NONE = '0'.repeat(2 * MARK_BYTES);

/** A short digest of a subject's hash, or of another text. */
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
