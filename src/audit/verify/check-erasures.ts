/** The shredded records and erasure entries of a log -> those that do not agree with each other. */

import { setTimeout } from 'node:timers/promises';
import { type BodyEntry, type ErasureFields, hasBody } from '../entry/entry.ts';
import { DataKeyReader } from '../keys/data-keys.ts';
import { stateOfKey } from '../keys/encrypt.ts';
import { listChain, listChains, readPiecesOf } from '../store/chain-folder.ts';
import type { Folder } from '../store/files.ts';
import { readSegmentFast, SEGMENTS } from '../store/segment.ts';
import type { ChainReport, CheckedChain } from './chain-report.ts';
import type { Defect, Finding } from './finding.ts';
import { ErasureIndex, type ErasureStatus, IdSet, type ShreddedRecord, type ShreddedRecords } from './record-sets.ts';

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
    const keys = new DataKeyReader(context.keys);
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

/** The log to read again. */
interface RecheckContext {
  readonly dir: Folder;
  /** The log's id. */
  readonly log: string;
  readonly keys: Folder;
}

/** A defect that some records may have. */
interface Recheck extends Defect {
  readonly records: IdSet;
  /** Whether one of them has it. Default: all of them have. */
  holds?(entry: BodyEntry): Promise<boolean>;
}

/** The erasure entries written since the chains were verified. Of the older segments it reads each chain's last. */
async function erasuresSince(context: RecheckContext, reports: readonly ChainReport[]): Promise<ErasureFields[]> {
  const known = new Map(reports.map((report) => [report.chain, report]));
  const found: ErasureFields[] = [];
  for (const chain of await listChains(context.dir)) {
    const { segments = 0, pruned = 0, length = 0 } = known.get(chain) ?? {};
    for await (const { entry } of entriesOf(context, chain, segments + pruned)) {
      if (entry.kind === 'erasure' && entry.seq > length) found.push(entry);
    }
  }
  return found;
}

/** A finding for the first record of each chain that has the defect; pruned records have none. */
async function recheck(
  context: RecheckContext,
  reports: readonly ChainReport[],
  { code, message, records, holds = async () => true }: Recheck,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (records.size === 0) return findings;
  for (const { chain, length } of reports) {
    for await (const { entry, segment, line, offset } of entriesOf(context, chain, 0)) {
      const { seq } = entry;
      if (seq > length) break;
      if (!hasBody(entry) || !records.has(entry.id) || !(await holds(entry))) continue;
      const file = `chains/${chain}/${SEGMENTS.of(segment)}`;
      findings.push({ code, chain, segment, line, seq, offset, file, id: entry.id, message });
      break;
    }
  }
  return findings;
}

/** The entries of a chain from a segment on, up to the first bad one, without segments that are being pruned. */
async function* entriesOf({ dir, log }: RecheckContext, chain: string, from: number) {
  const folder = await listChain(dir, chain);
  for (const segment of folder.segments.keys()) {
    if (segment < from || folder.tombstones.has(segment)) continue;
    const pieces = readPiecesOf(folder, segment);
    for await (const items of readSegmentFast(pieces, { log, chain, segment, before: undefined })) {
      for (const item of items) {
        if (!('line' in item)) return;
        yield { entry: item.line, segment, line: item.number, offset: item.start };
      }
    }
  }
}
