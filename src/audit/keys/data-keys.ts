/** Data keys by their names -> 32 random bytes each, in files of the key folder; made in blocks, read, erased one by one. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { closing, type Files, readWhole, realFiles, writeAll } from '../store/files.ts';

/** For AES-256. */
const KEY_BYTES = 32;

/** How many keys the blocks of an epoch have, the last of these for all that follow: a run of one decision does little, a server seldom. */
const BLOCK_SLOTS = [16, 64, 256, 1024, 4096] as const;

/** The most that a block's file is. */
const BLOCK_BYTES = Math.max(...BLOCK_SLOTS) * KEY_BYTES;

/** A data key that no other record has. */
export interface DataKey {
  /** `<block>:<slot>`, and the block `<chain>.<epoch>.<number>`. */
  readonly name: string;
  readonly key: Buffer;
}

/** The folder of the data keys. */
export function dataFolder(keysDir: string): string {
  return join(keysDir, 'data');
}

/** The file of a block, in the folder of the data keys. */
export function blockFile(block: string): string {
  return `${block}.keys`;
}

const KEY_NAME = /^([0-9a-f-]{36}\.[1-9]\d*\.[1-9]\d*):(0|[1-9]\d*)$/;

/** A key's block and its place there; undefined where it is no name of a key. */
export function readKeyName(name: string): { readonly block: string; readonly slot: number } | undefined {
  const [, block, slot] = KEY_NAME.exec(name) ?? [];
  return block === undefined ? undefined : { block, slot: Number(slot) };
}

/** Makes the data keys of one epoch of a chain. */
export class DataKeyPool {
  readonly #files: Files;
  readonly #folder: string;
  readonly #epoch: string;
  #blocks = 0;
  #slots: DataKey[] = [];

  /** `epoch` is `<chain>.<epoch>`. */
  constructor(files: Files, folder: string, epoch: string) {
    this.#files = files;
    this.#folder = folder;
    this.#epoch = epoch;
  }

  /** Sees to it that so many keys may be taken. INVARIANT: a key is durable before anybody has it. */
  async reserve(count: number): Promise<void> {
    if (count <= this.#slots.length) return;
    const made: DataKey[] = [];
    while (this.#slots.length + made.length < count) made.push(...(await this.#makeBlock()));
    await this.#files.syncFolder(this.#folder);
    this.#slots = [...made.reverse(), ...this.#slots];
  }

  /** The next key, of those that were reserved. INVARIANT: by block and slot they come in ascending order, each once; `KeyOrder` holds a log to it. */
  take(): DataKey {
    const slot = this.#slots.pop();
    if (!slot) throw new RangeError('no key was reserved');
    return slot;
  }

  /** Forgets the keys that nobody took. */
  close(): void {
    for (const { key } of this.#slots.splice(0)) key.fill(0);
  }

  async #makeBlock(): Promise<DataKey[]> {
    const slots = BLOCK_SLOTS[Math.min(this.#blocks, BLOCK_SLOTS.length - 1)] ?? 0;
    this.#blocks += 1;
    const block = `${this.#epoch}.${this.#blocks}`;
    const bytes = randomBytes(slots * KEY_BYTES);
    // A block that is there already would be of another writer in this epoch, whose keys must not be used twice.
    const file = await this.#files.open(join(this.#folder, blockFile(block)), 'create');
    await closing(file, async () => {
      await writeAll(file, bytes);
      await file.datasync();
    });
    return Array.from({ length: slots }, (_, slot) => ({
      name: `${block}:${slot}`,
      key: bytes.subarray(slot * KEY_BYTES, (slot + 1) * KEY_BYTES),
    }));
  }
}

/** A data key; or that it was erased; or that there is none of that name. */
export type FoundKey = Buffer | 'erased' | 'missing';

/** Blocks that are kept at most, of up to 128 KiB: records that stand together have their keys together. */
const KEPT_BLOCKS = 64;

/** Reads data keys. What is erased meanwhile may still be given, from a block that was read before. */
export class DataKeyReader {
  readonly #files: Files;
  readonly #folder: string;
  readonly #blocks = new Map<string, Buffer | undefined>();

  constructor(keysDir: string, files: Files = realFiles) {
    this.#files = files;
    this.#folder = dataFolder(keysDir);
  }

  async read(name: string): Promise<FoundKey> {
    const place = readKeyName(name);
    return place ? keyIn(await this.#block(place.block), place.slot) : 'missing';
  }

  /** The same, where the key's block was read before; otherwise undefined. */
  known(name: string): FoundKey | undefined {
    const place = readKeyName(name);
    if (!place) return 'missing';
    const block = this.#blocks.get(place.block);
    return block && keyIn(block, place.slot);
  }

  async #block(block: string): Promise<Buffer | undefined> {
    // One that is not there will not come: a block is there before any record is that names it.
    if (this.#blocks.has(block)) return this.#blocks.get(block);
    const read = await readWhole(this.#files, join(this.#folder, blockFile(block)), { most: BLOCK_BYTES });
    this.#blocks.set(block, read);
    if (this.#blocks.size > KEPT_BLOCKS) this.#blocks.delete(this.#blocks.keys().next().value ?? '');
    return read;
  }
}

function keyIn(block: Buffer | undefined, slot: number): FoundKey {
  const key = block?.subarray(slot * KEY_BYTES, (slot + 1) * KEY_BYTES);
  if (key?.length !== KEY_BYTES) return 'missing';
  return key.equals(ERASED) ? 'erased' : key;
}

/** What stands in the place of a key that is gone. */
const ERASED = Buffer.alloc(KEY_BYTES);

/** What became of data keys that were to be erased. */
export interface KeyCounts {
  /** Those that were there. */
  readonly erased: number;
  /** Those that were erased before. */
  readonly before: number;
  /** Those that are not in the key folder. */
  readonly missing: number;
}

/** Data keys that are to be erased: those that are there, by their blocks, and how many there are of each kind. */
interface KeysFound {
  readonly slotsByBlock: ReadonlyMap<string, readonly number[]>;
  readonly counts: KeyCounts;
}

/**
 * Erases data keys: zeros take their places, durable. What a copy of the folder, or the disk's own spare blocks, still hold is out of its reach.
 * INVARIANT of its callers: of what data names, nothing is given here that may be another record's (`stateOfKey`).
 */
export async function eraseDataKeys(
  keysDir: string,
  names: Iterable<string>,
  files: Files = realFiles,
): Promise<KeyCounts> {
  const { slotsByBlock, counts } = await findKeys(keysDir, names, files);
  for (const [block, slots] of slotsByBlock) {
    const file = await files.open(join(dataFolder(keysDir), blockFile(block)), 'change');
    await closing(file, async () => {
      for (const slot of slots) await writeAll(file, ERASED, slot * KEY_BYTES);
      await file.datasync();
    });
  }
  return counts;
}

/** What `eraseKeys` would do; nothing is written. */
export async function countDataKeys(
  keysDir: string,
  names: Iterable<string>,
  files: Files = realFiles,
): Promise<KeyCounts> {
  return (await findKeys(keysDir, names, files)).counts;
}

async function findKeys(keysDir: string, names: Iterable<string>, files: Files): Promise<KeysFound> {
  const reader = new DataKeyReader(keysDir, files);
  const slotsByBlock = new Map<string, number[]>();
  let [erased, before, missing] = [0, 0, 0];
  for (const name of names) {
    const place = readKeyName(name);
    const found = place ? await reader.read(name) : 'missing';
    if (!place || found === 'missing') missing += 1;
    else if (found === 'erased') before += 1;
    else {
      const slots = slotsByBlock.get(place.block) ?? [];
      slots.push(place.slot);
      slotsByBlock.set(place.block, slots);
      erased += 1;
    }
  }
  return { slotsByBlock, counts: { erased, before, missing } };
}
