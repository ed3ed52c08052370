/** A chain's folder, as it was at one moment -> its lines, read one after the other up to the first that is not as it was written. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Entry, type ErasureFields, NO_HASH, type Torn } from '../entry/entry.ts';
import { KeyOrder } from '../keys/key-order.ts';
import { joinTombstone } from '../retain/tombstone.ts';
import { type ChainFolder, readLastState, readOwners } from '../store/chain-folder.ts';
import { readPieces, readSmall } from '../store/folder.ts';
import type { LastState } from '../store/lease.ts';
import { OWNERS, readSegment, SEGMENTS, TOMBSTONES, tornName } from '../store/segment.ts';
import type { ChainSetting, CheckedChain, Defect } from './chain-check.ts';
import { ShreddedRecords } from './erasure/shredded-records.ts';
import type { Finding, FindingPlace } from './finding.ts';

/** How a part of a chain ended: the next one may follow; or nothing may, and all its whole lines were good, or not. */
type End = 'whole' | 'torn' | 'bad';

/** One reading of a chain. */
export class ChainVerifier {
  readonly #setting: ChainSetting;
  readonly #folder: ChainFolder;
  readonly #keys: KeyOrder;
  readonly #findings: Finding[] = [];
  readonly #tornNamed = new Set<string>();
  readonly #gone = new ShreddedRecords();
  readonly #erasures: ErasureFields[] = [];
  #isBodyBad = false;
  #isArchiveBad = false;
  #isIdBad = false;
  #isKeyBad = false;
  #opened = 0;
  #plain = 0;
  readonly #counts = { decision: 0, note: 0, erasure: 0, open: 0, seal: 0 };
  #seq = 0;
  #hash = NO_HASH;
  #epoch = 0;
  #pruned = 0;
  /** Where the last whole line of the last segment ends. */
  #offset = 0;
  #isBeingWritten = false;
  #isPromisePruned = false;
  #left: LastState | undefined;

  constructor(setting: ChainSetting, folder: ChainFolder) {
    this.#setting = setting;
    this.#folder = folder;
    this.#keys = new KeyOrder(setting.chain);
  }

  async run(): Promise<CheckedChain> {
    const { promise, chain } = this.#setting;
    const { last, unexpected } = this.#folder;
    this.#left = await readLastState(this.#folder);
    let end: End = 'whole';
    for (let segment = 1; segment <= last && end === 'whole'; segment++) end = await this.#readPart(segment);
    if (end !== 'bad' && promise && promise.length > this.#seq) {
      const message = `found a chain of ${this.#seq} lines, expected ${promise.length} at least, as the checkpoint says`;
      this.#add({ code: 'checkpoint-cut', message }, { seq: this.#seq + 1 });
    }
    if (end !== 'bad') this.#compareEnd();
    for (const name of [...unexpected, ...(end === 'bad' ? [] : this.#looseTails())]) {
      this.#add(
        { code: 'file-unexpected', message: 'found something that does not belong into the folder of a chain' },
        { file: name },
      );
    }
    const { invalid } = await readOwners(this.#folder);
    for (const number of invalid) {
      this.#add(
        { code: 'owner-invalid', message: 'found another text than the one that an owner writes' },
        { file: OWNERS.of(number) },
      );
    }
    const { decision, note, erasure } = this.#counts;
    const [isRead, tornTails] = [end !== 'bad', this.#tornNamed.size];
    const report = {
      ...{ chain, length: this.#seq, hash: this.#hash, segments: this.#folder.segments.size, pruned: this.#pruned },
      ...{ decisions: decision, notes: note, erasures: erasure, opened: this.#opened, plain: this.#plain },
      ...{ isBeingWritten: this.#isBeingWritten, isPromisePruned: this.#isPromisePruned, isRead, tornTails },
    };
    return { report, findings: this.#findings, gone: this.#gone, erasures: this.#erasures };
  }

  async #readPart(segment: number): Promise<End> {
    const { segments, tombstones, last } = this.#folder;
    if (tombstones.has(segment)) {
      const wrong = (await this.#readTombstone(segment)) ?? (segments.has(segment) ? STANDS : undefined);
      return wrong ? this.#stop(wrong, { segment, file: TOMBSTONES.of(segment) }) : 'whole';
    }
    const bytes = segments.get(segment);
    if (bytes === undefined) {
      const message = `found neither segment ${segment} nor a tombstone for it, and ${last} after it`;
      return this.#stop({ code: 'segment-missing', message }, { segment });
    }
    return this.#readSegment(segment, bytes, segment === last);
  }

  async #readSegment(segment: number, bytes: number, isLast: boolean): Promise<End> {
    const { chain, log } = this.#setting;
    const file = SEGMENTS.of(segment);
    const place = { log, chain, segment, before: { seq: this.#seq, hash: this.#hash } };
    let last: Entry | undefined;
    let lines = 0;
    this.#offset = 0;
    for await (const item of readSegment(readPieces(join(this.#folder.path, file), bytes), place)) {
      const where = { segment, line: item.number, seq: this.#seq + 1, offset: item.start, file };
      if ('torn' in item) {
        if (last?.kind === 'seal') return this.#stop(BEHIND_SEAL, where);
        this.#isBeingWritten = isLast && (await readOwners(this.#folder)).isWritten;
        if (this.#isBeingWritten) return 'torn';
        this.#stop({ code: 'line-not-whole', message: HALF }, where);
        return isLast ? 'torn' : 'bad';
      }
      if ('problem' in item) {
        const { code, text: message } = item.problem;
        return this.#stop({ code, message }, { ...where, ...named(item.id) });
      }
      last = item.line;
      lines = item.number;
      const wrong = await this.#checkKind(last);
      const at = { ...where, ...named('id' in last ? last.id : undefined) };
      if (wrong) return this.#stop(wrong, at);
      this.#counts[last.kind] += 1;
      [this.#seq, this.#hash, this.#offset] = [last.seq, last.hash, item.end];
      this.#compareHeads(at);
      this.#checkId(last, at);
      this.#checkKey(last, at);
      await this.#checkArchive(last, at);
      await this.#readBody(last, at);
    }
    if (isLast || last?.kind === 'seal') return 'whole';
    const message = 'found the end of a segment without a seal, and another segment after it';
    return this.#stop(
      { code: 'seal-missing', message },
      { segment, line: lines + 1, seq: this.#seq + 1, offset: this.#offset, file },
    );
  }

  /** Of the records that have the id of another the first is named, and the chain read on: nobody knows which of the two is the genuine one. */
  #checkId(line: Entry, where: Partial<Finding>): void {
    if ((line.kind !== 'decision' && line.kind !== 'note') || this.#setting.ids.add(line.id) || this.#isIdBad) return;
    this.#isIdBad = true;
    this.#add({ code: 'duplicate-id', message: 'found the id of another record, expected one of its own' }, where);
  }

  /** Of the records that name the key of another the first is named, and the chain read on: nothing tells which of the two it belongs to. */
  #checkKey(line: Entry, where: Partial<Finding>): void {
    if (!('key' in line) || line.key === undefined || this.#keys.takes(line.key) || this.#isKeyBad) return;
    this.#isKeyBad = true;
    this.#add(SHARED, where);
  }

  /** Of the decisions whose policy or mapping is not kept the first is named, and the chain read on: its lines are as they were written. */
  async #checkArchive(line: Entry, where: Partial<Finding>): Promise<void> {
    const wrong = this.#isArchiveBad ? undefined : await this.#setting.check(line);
    if (!wrong) return;
    this.#isArchiveBad = true;
    this.#add(wrong, where);
  }

  /** So it is with bodies. */
  async #readBody(line: Entry, where: Partial<Finding>): Promise<void> {
    const { openBody } = this.#setting;
    if (line.kind === 'erasure' && openBody) this.#erasures.push(line);
    if (line.kind !== 'decision' && line.kind !== 'note') return;
    if (line.plain !== undefined) this.#plain += 1;
    const wrong = await openBody?.(line);
    if (openBody && !wrong && line.plain === undefined) this.#opened += 1;
    if (wrong === 'gone') this.#gone.add(line);
    else if (wrong && !this.#isBodyBad) {
      this.#isBodyBad = true;
      this.#add(wrong, where);
    }
  }

  /** What is wrong with an opening that follows the line before it. */
  async #checkKind(line: Entry): Promise<Defect | undefined> {
    if (line.kind !== 'open') return undefined;
    if (line.epoch <= this.#epoch) {
      return { code: 'open-wrong', message: `found epoch ${line.epoch}, expected one after ${this.#epoch}` };
    }
    this.#epoch = line.epoch;
    return line.torn && this.#checkTail(line.torn);
  }

  async #checkTail({ segment, offset, bytes, sha256 }: Torn): Promise<Defect | undefined> {
    const name = tornName(segment, offset);
    this.#tornNamed.add(name);
    const length = this.#folder.torn.get(name);
    const code = 'torn-differs';
    if (length === undefined) return { code, message: `found no file ${name}, in which a tail was set aside` };
    if (length === bytes) {
      const hash = createHash('sha256');
      for await (const piece of readPieces(join(this.#folder.path, name), length)) hash.update(piece);
      if (hash.digest('hex') === sha256) return undefined;
    }
    return { code, message: `found other bytes in ${name} than were set aside` };
  }

  async #readTombstone(segment: number): Promise<Defect | undefined> {
    const { chain, trusted, promise } = this.#setting;
    const bytes = await readSmall(join(this.#folder.path, TOMBSTONES.of(segment)));
    const before = { seq: this.#seq, hash: this.#hash };
    const joined = joinTombstone(bytes, { chain, segment, before, trusted });
    if ('problem' in joined) return { code: 'tombstone-invalid', message: joined.problem };
    if (this.#pruned !== segment - 1) {
      return { code: 'tombstone-invalid', message: 'found a tombstone behind a segment that stands' };
    }
    const { first, last, head } = joined.tombstone;
    this.#isPromisePruned ||= promise !== undefined && promise.length >= first && promise.length < last;
    [this.#seq, this.#hash, this.#pruned] = [last, head, segment];
    this.#compareHeads({ segment, seq: last, file: TOMBSTONES.of(segment) });
    return undefined;
  }

  /** Whether the line that was read last is the one that the checkpoint names, and the one that the last owner left. */
  #compareHeads(where: Partial<Finding>): void {
    const { promise } = this.#setting;
    if (promise?.length === this.#seq && promise.hash !== this.#hash) {
      const message = 'found another hash than the checkpoint says: the chain was written anew, up to here at least';
      this.#add({ code: 'checkpoint-rewritten', message }, where);
    }
    if (this.#left?.head.seq === this.#seq && this.#left.head.hash !== this.#hash) {
      this.#add({ code: 'end-differs', message: 'found another line than the one that its last owner left' }, where);
    }
  }

  #compareEnd(): void {
    const { head, isClean } = this.#left ?? {};
    if (!head || (head.seq <= this.#seq && !(isClean && head.seq < this.#seq))) return;
    const expected = `expected ${head.seq}${isClean ? '' : ' at least'}, where its last owner left it`;
    this.#add({ code: 'end-differs', message: `found a chain of ${this.#seq} lines, ${expected}` }, { seq: this.#seq });
  }

  /** Set-aside tails that no line names, but for those at the chain's end: whoever opens it next names them. */
  #looseTails(): string[] {
    const atEnd = tornName(this.#folder.last, this.#offset);
    return [...this.#folder.torn.keys()].filter((name) => !this.#tornNamed.has(name) && name !== atEnd);
  }

  #stop(wrong: Defect, where: Partial<Finding>): 'bad' {
    this.#add(wrong, where);
    return 'bad';
  }

  #add(wrong: Defect, where: Partial<Finding>): void {
    const { code, message } = wrong;
    this.#findings.push({ code, ...this.#placed(where), message });
  }

  #placed({ file, ...where }: Partial<Finding>): FindingPlace {
    const { chain, name } = this.#setting;
    return { chain, ...where, ...(file === undefined ? {} : { file: `${name}/${file}` }) };
  }
}

function named(id: string | undefined): Pick<Finding, 'id'> {
  return id === undefined ? {} : { id };
}

const HALF =
  'found a line without its end, and no process that writes the chain; to open the log for writing sets it aside';
const BEHIND_SEAL: Defect = { code: 'after-seal', message: 'found bytes behind the seal, which ends a segment' };
const SHARED: Defect = {
  code: 'key-shared',
  message: 'found the data key of another record or chain, expected one that comes after that of the record before',
};
const STANDS: Defect = {
  code: 'segment-unexpected',
  message: 'found a segment beside its own tombstone; where pruning was interrupted, prune again',
};
