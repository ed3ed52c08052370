/** The chains of a log, as they were read -> the records whose keys are gone though the log tells of no erasure, or of another subject's; and those whose keys are there though it does. */

import { setTimeout } from 'node:timers/promises';
import { DataKeyReader } from '../../keys/data-keys.ts';
import { stateOfKey } from '../../keys/own-key.ts';
import type { ChainReport, CheckedChain } from '../chain-check.ts';
import type { Finding } from '../finding.ts';
import { IdSet } from '../id-set.ts';
import { ErasureIndex, type ErasureStatus } from './erasure-index.ts';
import { erasuresSince, type RecheckPlace, recheck } from './recheck.ts';
import type { ShreddedRecord, ShreddedRecords } from './shredded-records.ts';

/** Between keys that go and the record of it others may look: so often is looked again, and so long waited each time. */
const LOOKS = 10;
const PAUSE_MS = 50;

/** Compares erasures with the records whose keys are gone, once all chains were read: each may be told of in any of them. */
export class ErasureCheck {
  readonly #gone: ShreddedRecords[] = [];
  readonly #told = new ErasureIndex();
  readonly #reports: ChainReport[] = [];

  add({ gone, erasures, report }: CheckedChain): void {
    this.#gone.push(gone);
    for (const erasure of erasures) this.#told.add(erasure);
    this.#reports.push(report);
  }

  /** How many records were erased, as the log tells. */
  get told(): number {
    return this.#count(({ id }) => this.#told.has(id));
  }

  /** How many may have been, as a part of the log may tell that could not be read. */
  get unsure(): number {
    return this.#isRead ? 0 : this.#count(({ id }) => !this.#told.has(id));
  }

  /** Of each chain the first of each kind. `ids` are those of all records that were read. Looks again before it says that something is wrong. */
  async findings(place: RecheckPlace, ids: IdSet): Promise<Finding[]> {
    let missing = this.#isRead ? this.#wrong('key-missing') : NOBODY;
    let seen = 0;
    for (let looks = 1; missing.size > 0 && looks <= LOOKS; looks++) {
      // Somebody may be erasing just now: first the keys go, then that is written.
      if (looks > 1) await setTimeout(PAUSE_MS);
      const since = await erasuresSince(place, this.#reports);
      if (since.length === seen) continue;
      seen = since.length;
      for (const erasure of since) this.#told.add(erasure);
      missing = this.#wrong('key-missing');
    }
    const differing = this.#wrong('erasure-differs');
    const undone = this.#opened(ids);
    // Not the reader that the log was read with: that remembers keys which were erased since.
    const keys = new DataKeyReader(place.keysDir);
    const kinds: readonly (readonly [IdSet, Parameters<typeof recheck>[2]])[] = [
      [missing, { code: 'key-missing', message: GONE, is: async ({ id }) => missing.has(id) }],
      [differing, { code: 'erasure-differs', message: OTHER, is: async ({ id }) => differing.has(id) }],
      [
        undone,
        {
          code: 'erasure-undone',
          message: UNDONE,
          is: async (line) => undone.has(line.id) && (await stateOfKey(line, keys)) === 'own',
        },
      ],
    ];
    const found: Finding[] = [];
    for (const [records, kind] of kinds) {
      if (records.size > 0) found.push(...(await recheck(place, this.#reports, kind)));
    }
    return found;
  }

  get #isRead(): boolean {
    return this.#reports.every(({ isRead }) => isRead);
  }

  #count(is: (record: ShreddedRecord) => boolean): number {
    let count = 0;
    for (const record of this.#records()) count += Number(is(record));
    return count;
  }

  /** The records with which that is wrong. */
  #wrong(code: Exclude<ErasureStatus, 'erased'>): IdSet {
    const wrong = new IdSet();
    for (const record of this.#records()) if (this.#told.statusOf(record) === code) wrong.add(record.id);
    return wrong;
  }

  /** The records that the log tells were erased, and whose keys were not gone when they were read. */
  #opened(ids: IdSet): IdSet {
    const gone = new IdSet();
    for (const { id } of this.#records()) gone.add(id);
    const opened = new IdSet();
    for (const id of this.#told.ids()) if (ids.has(id) && !gone.has(id)) opened.add(id);
    return opened;
  }

  *#records(): Generator<ShreddedRecord> {
    for (const records of this.#gone) yield* records;
  }
}

const NOBODY = new IdSet();
const GONE = 'found no key for the body, expected one, since the log tells of no erasure of this record';
const OTHER = 'found an erasure of this record for a subject that is none of its own';
const UNDONE = 'found the key of this record, expected none, since the log tells that it was erased: erase it again';
