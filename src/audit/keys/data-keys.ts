/** The names of data keys <-> their 32 random bytes in the key folder: made in blocks, read, erased one by one. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { below, closing, type Folder, readWhole, writeAll, writeNew } from '../store/files.ts';

/** For AES-256. */
export const KEY_BYTES = 32;

/** The keys in each block of an epoch, the last number for all further blocks. Few for short runs, many for servers. */
const BLOCK_SLOTS = [16, 64, 256, 1024, 4096] as const;

/** The largest file of a block. */
const BLOCK_BYTES = Math.max(...BLOCK_SLOTS) * KEY_BYTES;

/** The data key of one record. */
interface DataKey {
  /** `<block>:<slot>`, and the block `<chain>.<epoch>.<number>`. */
  readonly name: string;
  readonly key: Buffer;
}

/** The folder of the data keys. */
export function dataFolder(keys: Folder): Folder {
  return below(keys, 'data');
}

/** The file of a block, in the folder of the data keys. */
export function blockFile(block: string): string {
  return `${block}.keys`;
}

const KEY_NAME = /^([0-9a-f-]{36}\.[1-9]\d*\.[1-9]\d*):(0|[1-9]\d*)$/;

/** The block of a key and its slot there. */
interface KeyName {
  readonly block: string;
  readonly slot: number;
}

/** Undefined for any other text. */
export function readKeyName(name: string): KeyName | undefined {
  const [, block, slot] = KEY_NAME.exec(name) ?? [];
  return block === undefined ? undefined : { block, slot: Number(slot) };
}

/** Makes the data keys of one epoch of a chain. */
export class DataKeyPool {
  readonly #folder: Folder;
  readonly #epoch: string;
  #blocks = 0;
  /** Keys that are ready, the next one last. */
  #ready: DataKey[] = [];

  /** `epoch` is `<chain>.<epoch>`. */
  constructor(folder: Folder, epoch: string) {
    this.#folder = folder;
    this.#epoch = epoch;
  }

  /** Makes sure that `count` keys can be taken. INVARIANT: a key is durable before it is taken. */
  async reserve(count: number): Promise<void> {
    if (count <= this.#ready.length) return;
    const made: DataKey[] = [];
    while (this.#ready.length + made.length < count) made.push(...(await this.#makeBlock()));
    await this.#folder.files.syncFolder(this.#folder.path);
    this.#ready = [...made.reverse(), ...this.#ready];
  }

  /** The next reserved key. INVARIANT: keys ascend by block and slot; `KeyOrder` checks a log for this. */
  take(): DataKey {
    const key = this.#ready.pop();
    if (!key) throw new RangeError('no key was reserved');
    return key;
  }

  /** Wipes the keys that were not taken. */
  close(): void {
    for (const { key } of this.#ready.splice(0)) key.fill(0);
  }

  async #makeBlock(): Promise<DataKey[]> {
    const slots = BLOCK_SLOTS[Math.min(this.#blocks, BLOCK_SLOTS.length - 1)] ?? 0;
    this.#blocks += 1;
    const block = `${this.#epoch}.${this.#blocks}`;
    const bytes = randomBytes(slots * KEY_BYTES);
    // Fails if the block exists: another writer would be in this epoch, and no key may be used twice.
    await writeNew(this.#folder, blockFile(block), bytes);
    return Array.from({ length: slots }, (_, slot) => ({
      name: `${block}:${slot}`,
      key: bytes.subarray(slot * KEY_BYTES, (slot + 1) * KEY_BYTES),
    }));
  }
}

/** A data key, or why there is none: it was erased, or the key folder has no such key. */
export type FoundKey = Buffer | 'erased' | 'missing';

/** How many blocks of up to 128 KiB are cached. Neighbouring records have keys in one block. */
const CACHED_BLOCKS = 64;

/** So many keys of a block that a database has are read one by one: each of a whole block is unwrapped. */
const READ_ALONE = 64;

/** Reads data keys. A key erased meanwhile may still be returned from a cached block. */
export class DataKeyReader {
  readonly #folder: Folder;
  /** How many keys of a block were asked for. */
  readonly #asked = new Map<string, number>();
  /** Blocks that are being read, once for all who wait for them. */
  readonly #reading = new Map<string, Promise<Buffer | undefined>>();
  readonly #blocks = new Map<string, Buffer | undefined>();

  constructor(keys: Folder) {
    this.#folder = dataFolder(keys);
  }

  async read(name: string): Promise<FoundKey> {
    const parsed = readKeyName(name);
    if (!parsed) return 'missing';
    const { block, slot } = parsed;
    const asked = this.#asked.get(block) ?? 0;
    this.#asked.set(block, asked + 1);
    if (!this.#folder.files.rows || asked >= READ_ALONE) return keyIn(await this.#block(block), slot);
    return keyIn(await this.#readBlock(block, { from: slot * KEY_BYTES, length: KEY_BYTES }), 0);
  }

  /** The same from a cached block; undefined if the block is not cached. */
  known(name: string): FoundKey | undefined {
    const parsed = readKeyName(name);
    if (!parsed) return 'missing';
    const block = this.#blocks.get(parsed.block);
    return block && keyIn(block, parsed.slot);
  }

  #readBlock(block: string, range: { readonly from?: number; readonly length?: number } = {}) {
    return readWhole(this.#folder, blockFile(block), { ...range, most: BLOCK_BYTES });
  }

  async #block(block: string): Promise<Buffer | undefined> {
    // An absent block stays absent: a block is durable before any record names a key of it.
    if (this.#blocks.has(block)) return this.#blocks.get(block);
    const reading = this.#reading.get(block) ?? this.#readBlock(block);
    this.#reading.set(block, reading);
    try {
      this.#blocks.set(block, await reading);
    } finally {
      this.#reading.delete(block);
    }
    if (this.#blocks.size > CACHED_BLOCKS) this.#blocks.delete(this.#blocks.keys().next().value ?? '');
    return reading;
  }
}

function keyIn(block: Buffer | undefined, slot: number): FoundKey {
  const key = block?.subarray(slot * KEY_BYTES, (slot + 1) * KEY_BYTES);
  if (key?.length !== KEY_BYTES) return 'missing';
  return key.equals(ERASED) ? 'erased' : key;
}

/** What overwrites an erased key. */
const ERASED = Buffer.alloc(KEY_BYTES);

/** How many data keys were erased, or why not. */
export interface KeyCounts {
  /** Erased now. */
  readonly erased: number;
  /** Erased earlier. */
  readonly before: number;
  /** Not in the key folder. */
  readonly missing: number;
}

/**
 * Erases data keys by overwriting them with zeros, durable. Copies of the folder, and spare blocks of the disk, are
 * out of reach. INVARIANT of its callers: no name is taken from a record unless the key is the record's own
 * (`stateOfKey`).
 */
export async function eraseDataKeys(keys: Folder, names: Iterable<string>): Promise<KeyCounts> {
  const { toErase, counts } = await findKeys(keys, names);
  const { files, path } = dataFolder(keys);
  for (const [block, slots] of Map.groupBy(toErase, (key) => key.block)) {
    const file = await files.open(join(path, blockFile(block)), 'change');
    await closing(file, async () => {
      for (const { slot } of slots) await writeAll(file, ERASED, slot * KEY_BYTES);
      await file.datasync();
    });
  }
  return counts;
}

/** What `eraseDataKeys` would do; writes nothing. */
export async function countDataKeys(keys: Folder, names: Iterable<string>): Promise<KeyCounts> {
  return (await findKeys(keys, names)).counts;
}

async function findKeys(keys: Folder, names: Iterable<string>) {
  const reader = new DataKeyReader(keys);
  const toErase: KeyName[] = [];
  let [before, missing] = [0, 0];
  for (const name of names) {
    const parsed = readKeyName(name);
    const found = await reader.read(name);
    if (!parsed || found === 'missing') missing += 1;
    else if (found === 'erased') before += 1;
    else toErase.push(parsed);
  }
  return { toErase, counts: { erased: toErase.length, before, missing } };
}

const KEY = '"key":"';
/** Longer than the name of any key. */
const NAME_BYTES = 128;

/** The first key that a line names, however malformed: in a record, no text chosen by a caller comes before it. */
export function keyNamedIn(line: Buffer): string | undefined {
  const from = line.indexOf(KEY) + KEY.length;
  return from < KEY.length ? undefined : line.toString('latin1', from, from + NAME_BYTES).split('"', 1)[0];
}

/** The chain of a key, from its name `<chain>.<epoch>.<block>:<slot>`. */
export function chainOfKey(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** The epoch of the chain in which a key was made. */
export function epochOfKey(name: string): number {
  return Number(partsOf(name)[0]);
}

/** A text that sorts the keys of a chain in the order in which they were made. */
export function orderOfKey(name: string): string {
  // The digits of the largest safe integer. A longer number was never written and may sort anywhere.
  return partsOf(name)
    .map((part) => part.padStart(16, '0'))
    .join('.');
}

function partsOf(name: string): string[] {
  return name.split(/[.:]/).slice(1);
}

/** One key is remembered: keys are taken in ascending order, each once (INVARIANT of `DataKeyPool` and the writer). */
export class KeyOrder {
  readonly #chain: string;
  #last = '';

  constructor(chain: string) {
    this.#chain = chain;
  }

  /** Whether a key may belong to the next record. */
  takes(name: string): boolean {
    const order = orderOfKey(name);
    const isNext = chainOfKey(name) === this.#chain && order > this.#last;
    if (isNext) this.#last = order;
    return isNext;
  }
}
