/** The shredded records and erasure entries of a log -> those that do not agree with each other. */

import { setTimeout } from 'node:timers/promises';
import type { BodyEntry } from '../../entry/entry.ts';
import { DataKeyReader } from '../../keys/data-keys.ts';
import { stateOfKey } from '../../keys/own-key.ts';
import type { ChainReport, CheckedChain } from '../chain-report.ts';
import type { Finding } from '../finding.ts';
import { IdSet } from '../id-set.ts';
import { ErasureIndex, type ErasureStatus } from './erasure-index.ts';
import { erasuresSince, type Recheck, type RecheckContext, recheck } from './recheck.ts';
import type { ShreddedRecord, ShreddedRecords } from './shredded-records.ts';

/** An erasure erases keys before its entry is written. How often to look for that entry, and the pause in between. */
const ATTEMPTS = 10;
const PAUSE_MS = 50;

/** Compares erasure entries with shredded records once all chains were read: the entry may be in any of them. */
export class ErasureCheck {
  readonly #shredded: ShreddedRecords[] = [];
  readonly #index = new ErasureIndex();
  readonly #reports: ChainReport[] = [];

  add({ shredded, erasures, report }: CheckedChain): void {
    this.#shredded.push(shredded);
    for (const erasure of erasures) this.#index.add(erasure);
    this.#reports.push(report);
  }

  /** How many shredded records have an erasure on record. */
  get recorded(): number {
    return this.#count(true);
  }

  /** How many have none, although it may be in a part of the log that could not be read. */
  get unexplained(): number {
    return this.#isRead ? 0 : this.#count(false);
  }

  /** The first finding of each code in each chain, after reading again; `ids` are those of all records read. */
  async findings(context: RecheckContext, ids: IdSet): Promise<Finding[]> {
    // A new reader: the one that read the log remembers keys that were erased since.
    const keys = new DataKeyReader(context.keysDir);
    const isOpened = async (entry: BodyEntry) => (await stateOfKey(entry, keys)) === 'own';
    const missing = this.#isRead ? await this.#missing(context) : new IdSet();
    const checks: readonly Recheck[] = [
      { code: 'key-missing', message: MISSING, records: missing },
      { code: 'erasure-differs', message: DIFFERS, records: this.#withStatus('erasure-differs') },
      { code: 'erasure-undone', message: UNDONE, records: this.#notShredded(ids), holds: isOpened },
    ];
    const findings: Finding[] = [];
    for (const check of checks) findings.push(...(await recheck(context, this.#reports, check)));
    return findings;
  }

  /** The records without an erasure on record. Others may be erasing meanwhile, so new erasure entries are awaited. */
  async #missing(context: RecheckContext): Promise<IdSet> {
    let missing = this.#withStatus('key-missing');
    let known = 0;
    for (let attempt = 1; missing.size > 0 && attempt <= ATTEMPTS; attempt++) {
      if (attempt > 1) await setTimeout(PAUSE_MS);
      const since = await erasuresSince(context, this.#reports);
      if (since.length === known) continue;
      known = since.length;
      for (const erasure of since) this.#index.add(erasure);
      missing = this.#withStatus('key-missing');
    }
    return missing;
  }

  get #isRead(): boolean {
    return this.#reports.every(({ isRead }) => isRead);
  }

  #count(isRecorded: boolean): number {
    let count = 0;
    for (const { id } of this.#records()) if (this.#index.has(id) === isRecorded) count += 1;
    return count;
  }

  #withStatus(status: ErasureStatus): IdSet {
    const ids = new IdSet();
    for (const record of this.#records()) if (this.#index.statusOf(record) === status) ids.add(record.id);
    return ids;
  }

  /** The records with an erasure on record whose keys were there when they were read. */
  #notShredded(ids: IdSet): IdSet {
    const shredded = new IdSet();
    for (const { id } of this.#records()) shredded.add(id);
    const found = new IdSet();
    for (const id of this.#index.ids()) if (ids.has(id) && !shredded.has(id)) found.add(id);
    return found;
  }

  *#records(): Generator<ShreddedRecord> {
    for (const records of this.#shredded) yield* records;
  }
}

const MISSING = 'the key of the body is erased or missing, and no erasure of this record is on record';
const DIFFERS = 'the erasure of this record is on record for another subject';
const UNDONE = 'the key of this record is there although its erasure is on record: erase it again';
