/** A chain's folder -> the length and head of the chain, and its first entry that is not as it was written. */

import { setTimeout } from 'node:timers/promises';
import { type BodyEntry, type Entry, type ErasureFields, hasBody, linkOf, NO_HASH, type Torn } from '../entry/entry.ts';
import { KeyOrder } from '../keys/data-keys.ts';
import type { TrustedKeys } from '../keys/signature.ts';
import {
  type ChainFolder,
  isUnchanged,
  listChain,
  readLastState,
  readOwners,
  readPiecesOf,
  readRawLines,
  readSmall,
} from '../store/chain-folder.ts';
import type { Folder } from '../store/files.ts';
import type { LastState } from '../store/lease.ts';
import { type Head, OWNERS, readSegment, SEGMENTS, TOMBSTONES, tornName } from '../store/segment.ts';
import type { ChainRest, CheckedChain } from './chain-report.ts';
import type { ArtifactCheck, BodyCheck } from './check-records.ts';
import type { ChainHead } from './checkpoint.ts';
import type { Defect, Finding, FindingPosition } from './finding.ts';
import { fileDigest } from './log-files.ts';
import { addRecord, type IdSet, ShreddedRecords } from './record-sets.ts';
import { joinTombstone } from './tombstone.ts';

/** A chain, and what it is verified with. */
export interface ChainContext extends RecordContext {
  /** The log's folder, and its id. */
  readonly dir: Folder;
  readonly log: string;
  readonly trusted: TrustedKeys;
  /** The chain's head in the checkpoint. */
  readonly checkpointed: ChainHead | undefined;
  /** Called with each entry; an entry that is read again is given again. */
  onEntry(entry: Entry): void;
}

/** How often a chain is read while processes write it, close segments and hand it over. A real defect stays. */
const ATTEMPTS = 10;
/** How long to wait for a segment that has its tombstone to be removed: its keys are erased between the two. */
const PAUSE_MS = 50;

/** Reads a chain up to its listed length. A finding counts if the folder did not change meanwhile, or if it stays. */
export async function verifyChain(context: ChainContext): Promise<CheckedChain> {
  const { dir, chain } = context;
  const idsBefore = context.ids.size;
  for (let attempt = 1; ; attempt++) {
    const folder = await listChain(dir, chain);
    const heads = new ExpectedHeads(context.checkpointed, await readLastState(folder));
    const checked = await new ChainVerifier(context, folder, heads).run();
    if (checked.findings.length === 0 || attempt === ATTEMPTS) return checked;
    const isBeingPruned = checked.findings.some(({ code }) => code === 'segment-unexpected');
    if (isBeingPruned) await setTimeout(PAUSE_MS);
    else if (isUnchanged(folder, await listChain(dir, chain))) return checked;
    context.ids.cut(idsBefore);
  }
}

/** How a segment ended: the next may follow; the chain ends in a partial line; or a defect ends the reading. */
type End = 'whole' | 'torn' | 'bad';

/** One reading of a chain. */
class ChainVerifier {
  readonly #context: ChainContext;
  readonly #folder: ChainFolder;
  readonly #heads: ExpectedHeads;
  readonly #records: RecordChecks;
  readonly #findings: Finding[] = [];
  /** The set-aside tails that entries name. */
  readonly #namedTails = new Set<string>();
  /** The last entry read. */
  #head: Head = { seq: 0, hash: NO_HASH };
  /** Where it ends in its segment, in bytes. */
  #offset = 0;
  #epoch = 0;
  #pruned = 0;
  #isBeingWritten = false;
  #isCheckpointPruned = false;
  /** What ended the reading. */
  #bad: FindingPosition | undefined;

  constructor(context: ChainContext, folder: ChainFolder, heads: ExpectedHeads) {
    this.#context = context;
    this.#folder = folder;
    this.#heads = heads;
    this.#records = new RecordChecks(context);
  }

  async run(): Promise<CheckedChain> {
    const { segments, last, unexpected } = this.#folder;
    let end: End = 'whole';
    for (let segment = 1; segment <= last && end === 'whole'; segment++) end = await this.#readPart(segment);
    const isRead = end !== 'bad';
    const atEnd = isRead ? this.#heads.compareEnd(this.#head.seq) : [];
    for (const { seq, ...defect } of atEnd) this.#add(defect, { seq });
    for (const file of [...unexpected, ...(isRead ? this.#unnamedTails() : [])]) {
      this.#add({ code: 'file-unexpected', message: 'this does not belong in the folder of a chain' }, { file });
    }
    for (const number of (await readOwners(this.#folder)).invalid) {
      this.#add({ code: 'owner-invalid', message: 'the lease file is malformed' }, { file: OWNERS.of(number) });
    }
    const { counts, opened, plain, shredded, erasures } = this.#records;
    const report = {
      ...{ chain: this.#context.chain, length: this.#head.seq, hash: this.#head.hash },
      ...{ segments: segments.size, pruned: this.#pruned },
      ...{ decisions: counts.decision, notes: counts.note, events: counts.event, erasures: counts.erasure },
      ...{ opened, plain },
      ...{ isBeingWritten: this.#isBeingWritten, isPromisePruned: this.#isCheckpointPruned },
      ...{ isRead, tornTails: this.#namedTails.size },
      ...(isRead || !this.#bad ? {} : { rest: await this.#readRest(this.#bad) }),
    };
    return { report, findings: this.#findings, shredded, erasures };
  }

  async #readPart(segment: number): Promise<End> {
    const { segments, tombstones, last } = this.#folder;
    if (tombstones.has(segment)) {
      const defect = (await this.#readTombstone(segment)) ?? (segments.has(segment) ? BESIDE_TOMBSTONE : undefined);
      return defect ? this.#stop(defect, { segment, file: TOMBSTONES.of(segment) }) : 'whole';
    }
    if (segments.has(segment)) return this.#readSegment(segment, segment === last);
    const message = `segment ${segment} is missing and has no tombstone; the chain goes on to segment ${last}`;
    return this.#stop({ code: 'segment-missing', message }, { segment });
  }

  async #readSegment(segment: number, isLast: boolean): Promise<End> {
    const { chain, log } = this.#context;
    const file = SEGMENTS.of(segment);
    const place = { log, chain, segment, before: this.#head };
    let last: Entry | undefined;
    let lines = 0;
    this.#offset = 0;
    for await (const item of readSegment(readPiecesOf(this.#folder, segment), place)) {
      const position = { segment, line: item.number, seq: this.#head.seq + 1, offset: item.start, file };
      if ('torn' in item) {
        if (last?.kind === 'seal') return this.#stop(AFTER_FOOTER, position);
        this.#isBeingWritten = isLast && (await readOwners(this.#folder)).isWritten;
        if (this.#isBeingWritten) return 'torn';
        this.#stop(PARTIAL_LINE, position);
        return isLast ? 'torn' : 'bad';
      }
      if ('problem' in item) {
        const { code, text: message } = item.problem;
        return this.#stop({ code, message }, withId(position, item.id));
      }
      last = item.line;
      lines = item.number;
      this.#context.onEntry(last);
      const at = withId(position, 'id' in last ? last.id : undefined);
      const defect = last.kind === 'open' ? await this.#checkOpen(last) : undefined;
      if (defect) return this.#stop(defect, at);
      [this.#head, this.#offset] = [last, item.end];
      this.#compareHeads(at);
      for (const found of await this.#records.check(last)) this.#add(found, at);
    }
    if (isLast || last?.kind === 'seal') return 'whole';
    const position = { segment, line: lines + 1, seq: this.#head.seq + 1, offset: this.#offset, file };
    return this.#stop(FOOTER_MISSING, position);
  }

  async #checkOpen({ epoch, torn }: Entry & { readonly kind: 'open' }): Promise<Defect | undefined> {
    if (epoch <= this.#epoch) {
      return { code: 'open-wrong', message: `found epoch ${epoch}, expected one greater than ${this.#epoch}` };
    }
    this.#epoch = epoch;
    return torn && this.#checkTail(torn);
  }

  async #checkTail({ segment, offset, bytes, sha256 }: Torn): Promise<Defect | undefined> {
    const name = tornName(segment, offset);
    this.#namedTails.add(name);
    const length = this.#folder.torn.get(name);
    const code = 'torn-differs';
    if (length === undefined) return { code, message: `the set-aside tail ${name} is missing` };
    const isSame = length === bytes && (await fileDigest(this.#folder, name, length)) === sha256;
    return isSame ? undefined : { code, message: `the set-aside tail ${name} was changed` };
  }

  /**
   * Reads the lines after this position, each by itself and beside the one before. A line of another format is one only
   * in a chain that is whole: else it is called what any other bad line is.
   */
  async #readRest({ segment = 0, line = 0 }: FindingPosition): Promise<ChainRest> {
    let [lines, linked] = [0, 0];
    let before: Head | undefined = this.#head;
    let isWhole = true;
    for (const number of this.#folder.segments.keys()) {
      if (number < segment) continue;
      for await (const raw of readRawLines(this.#folder, number)) {
        if (!raw.isEnded || (number === segment && raw.number < line)) continue;
        const link = raw.bytes && linkOf(raw.bytes);
        const follows = !before || (link?.seq === before.seq + 1 && link.prev === before.hash);
        const isLinked = follows && link?.chain === this.#context.chain;
        isWhole &&= isLinked;
        before = link;
        if (number === segment && raw.number === line) continue;
        lines += 1;
        if (isLinked) linked += 1;
      }
    }
    const format = this.#findings.findIndex(({ code }) => code === 'line-format');
    const found = this.#findings[format];
    if (found && !isWhole) this.#findings[format] = { ...found, code: 'line-shape' };
    return { lines, linked };
  }

  async #readTombstone(segment: number): Promise<Defect | undefined> {
    const { chain, trusted } = this.#context;
    const bytes = await readSmall(this.#folder, TOMBSTONES.of(segment));
    const joined = joinTombstone(bytes, { chain, segment, before: this.#head, trusted });
    if ('problem' in joined) return { code: 'tombstone-invalid', message: joined.problem };
    if (this.#pruned !== segment - 1) {
      return { code: 'tombstone-invalid', message: 'found a tombstone after a segment that was not pruned' };
    }
    const { last, head } = joined.tombstone;
    this.#isCheckpointPruned ||= this.#heads.isPrunedIn(joined.tombstone);
    [this.#head, this.#pruned] = [{ seq: last, hash: head }, segment];
    this.#compareHeads({ segment, seq: last, file: TOMBSTONES.of(segment) });
    return undefined;
  }

  #compareHeads(position: FindingPosition): void {
    for (const defect of this.#heads.compare(this.#head)) this.#add(defect, position);
  }

  /** Set-aside tails that no entry names, except at the chain's end: the next process to open the chain names those. */
  #unnamedTails(): string[] {
    const atEnd = tornName(this.#folder.last, this.#offset);
    return [...this.#folder.torn.keys()].filter((name) => !this.#namedTails.has(name) && name !== atEnd);
  }

  #stop(defect: Defect, position: FindingPosition): 'bad' {
    this.#add(defect, position);
    this.#bad = position;
    return 'bad';
  }

  #add({ code, message }: Defect, { file, ...position }: FindingPosition): void {
    const { chain } = this.#context;
    const inLog = file === undefined ? {} : { file: `chains/${chain}/${file}` };
    this.#findings.push({ code, chain, ...position, ...inLog, message });
  }
}

function withId(position: FindingPosition, id: string | undefined): FindingPosition {
  return id === undefined ? position : { ...position, id };
}

const PARTIAL_LINE: Defect = {
  code: 'line-not-whole',
  message: 'found a partial line, and no process is writing the chain; opening the log for writing sets it aside',
};
const AFTER_FOOTER: Defect = { code: 'after-seal', message: 'found bytes after the footer that closes the segment' };
const FOOTER_MISSING: Defect = { code: 'seal-missing', message: 'the segment has no footer, and another one follows' };
const BESIDE_TOMBSTONE: Defect = {
  code: 'segment-unexpected',
  message: 'found a segment beside its own tombstone; if pruning was interrupted, prune again',
};

/** Compares a chain with the heads that are known of it from elsewhere, entry by entry. */
class ExpectedHeads {
  readonly #checkpointed: ChainHead | undefined;
  readonly #lastState: LastState | undefined;

  constructor(checkpointed: ChainHead | undefined, lastState: LastState | undefined) {
    this.#checkpointed = checkpointed;
    this.#lastState = lastState;
  }

  /** The defects of an entry that is one of the heads. */
  compare({ seq, hash }: Head): readonly Defect[] {
    const isRewritten = this.#checkpointed?.length === seq && this.#checkpointed.hash !== hash;
    const isOther = this.#lastState?.head.seq === seq && this.#lastState.head.hash !== hash;
    if (!isRewritten && !isOther) return NONE;
    return [...(isRewritten ? [REWRITTEN] : []), ...(isOther ? [NOT_LAST_STATE] : [])];
  }

  /** The defects of a chain that ends after so many entries, each with the number of the entry where it shows. */
  compareEnd(length: number): readonly (Defect & { readonly seq: number })[] {
    const defects: (Defect & { readonly seq: number })[] = [];
    const found = `found ${length} entries, expected`;
    const least = this.#checkpointed?.length ?? 0;
    if (least > length) {
      const message = `${found} at least ${least}, as in the checkpoint`;
      defects.push({ code: 'checkpoint-cut', message, seq: length + 1 });
    }
    const { head, isClean } = this.#lastState ?? {};
    if (head && (isClean ? head.seq !== length : head.seq > length)) {
      const message = `${found}${isClean ? '' : ' at least'} ${head.seq}, the last state in the lease`;
      defects.push({ code: 'end-differs', message, seq: length });
    }
    return defects;
  }

  /** Whether the checkpoint's entry is one of a pruned segment, other than its footer, and so cannot be compared. */
  isPrunedIn({ first, last }: { readonly first: number; readonly last: number }): boolean {
    const length = this.#checkpointed?.length;
    return length !== undefined && length >= first && length < last;
  }
}

const NONE: readonly Defect[] = [];
const REWRITTEN: Defect = {
  code: 'checkpoint-rewritten',
  message: 'the hash differs from the checkpoint: the chain was rewritten, at least up to here',
};
const NOT_LAST_STATE: Defect = {
  code: 'end-differs',
  message: "the entry's hash differs from the last state in the lease",
};

/** What the records of a chain are checked with. */
interface RecordContext {
  readonly chain: string;
  /** The ids of all records read so far; those of this chain are added. */
  readonly ids: IdSet;
  readonly artifacts: Pick<ArtifactCheck, 'check'>;
  /** Undefined without the key folder: bodies are not opened. */
  readonly bodies: Pick<BodyCheck, 'check'> | undefined;
}

type Check = 'id' | 'key' | 'artifacts' | 'body';

/** Checks the records of one chain. A defect does not end the reading: the chain itself is intact. */
class RecordChecks {
  readonly counts = { open: 0, decision: 0, note: 0, event: 0, erasure: 0, seal: 0 };
  readonly shredded = new ShreddedRecords();
  readonly erasures: ErasureFields[] = [];
  /** Bodies that were decrypted and agree with their clear fields, and plain bodies. */
  opened = 0;
  plain = 0;
  readonly #context: RecordContext;
  readonly #keys: KeyOrder;
  readonly #failed = new Set<Check>();

  constructor(context: RecordContext) {
    this.#context = context;
    this.#keys = new KeyOrder(context.chain);
  }

  /** The defects of an entry, once for each check: of two records with one id or key, either may be genuine. */
  async check(entry: Entry): Promise<readonly Defect[]> {
    const { ids, artifacts, bodies } = this.#context;
    this.counts[entry.kind] += 1;
    if (entry.kind === 'erasure' && bodies) this.erasures.push(entry);
    if (!hasBody(entry)) return [];
    const isOwnKey = entry.key === undefined || this.#keys.takes(entry.key);
    const defects = [
      this.#first('id', addRecord(ids, entry) ? undefined : DUPLICATE_ID),
      this.#first('key', isOwnKey ? undefined : KEY_SHARED),
      this.#first('artifacts', this.#failed.has('artifacts') ? undefined : await artifacts.check(entry)),
      this.#first('body', await this.#checkBody(entry)),
    ];
    return defects.filter((defect) => defect !== undefined);
  }

  async #checkBody(entry: BodyEntry): Promise<Defect | undefined> {
    if (entry.plain !== undefined) this.plain += 1;
    const result = await this.#context.bodies?.check(entry);
    if (result === 'shredded') this.shredded.add(entry);
    else if (result) return result;
    else if (this.#context.bodies && entry.plain === undefined) this.opened += 1;
    return undefined;
  }

  #first(check: Check, defect: Defect | undefined): Defect | undefined {
    if (!defect || this.#failed.has(check)) return undefined;
    this.#failed.add(check);
    return defect;
  }
}

const DUPLICATE_ID: Defect = { code: 'duplicate-id', message: 'another record has the same id, expected a unique one' };
const KEY_SHARED: Defect = {
  code: 'key-shared',
  message:
    'the data key belongs to another record or chain, expected one that comes after the key of the record before',
};
