/** The ids of a log's records, one by one -> whether an id was there before, in 16 bytes each and as much for finding them. */

import { randomBytes } from 'node:crypto';

const BYTES = 16;

/**
 * A set of UUIDs that may be taken back to an earlier size. A `Set` of texts would need five times the memory, and ends
 * at 16 million.
 */
export class IdSet {
  /** Nobody who writes a log can choose ids that all fall on one place. */
  readonly #seed = randomBytes(4).readInt32LE();
  #size = 0;
  #ids = Buffer.alloc(BYTES * 1024);
  /** Places in `#ids`, from 1, each at the first free place from its hash on; half of it is free. */
  #table = new Uint32Array(2048);

  get size(): number {
    return this.#size;
  }

  has(uuid: string): boolean {
    return this.#table[this.#find(bytesOf(uuid))] !== 0;
  }

  /** False where it is there already. */
  add(uuid: string): boolean {
    const id = bytesOf(uuid);
    const at = this.#find(id);
    if (this.#table[at] !== 0) return false;
    if ((this.#size + 1) * BYTES > this.#ids.length) this.#grow();
    id.copy(this.#ids, this.#size * BYTES);
    this.#size += 1;
    this.#table[this.#find(id)] = this.#size;
    return true;
  }

  /** Forgets what came after the first so many. */
  cut(size: number): void {
    if (size < this.#size) this.#fill(size, this.#table.length);
  }

  #grow(): void {
    const ids = Buffer.alloc(this.#ids.length * 2);
    this.#ids.copy(ids);
    this.#ids = ids;
    this.#fill(this.#size, this.#table.length * 2);
  }

  #fill(size: number, places: number): void {
    this.#size = size;
    this.#table = new Uint32Array(places);
    for (let i = 0; i < size; i++) this.#table[this.#find(this.#ids.subarray(i * BYTES, (i + 1) * BYTES))] = i + 1;
  }

  /** Where an id is in the table, or would be. */
  #find(id: Buffer): number {
    const mask = this.#table.length - 1;
    for (let at = this.#hash(id) & mask; ; at = (at + 1) & mask) {
      const found = this.#table[at] ?? 0;
      if (found === 0 || id.compare(this.#ids, (found - 1) * BYTES, found * BYTES) === 0) return at;
    }
  }

  #hash(id: Buffer): number {
    let hash = this.#seed;
    for (let at = 0; at < BYTES; at += 4) {
      // The multiplier of MurmurHash3's last mix.
      hash = Math.imul(hash ^ id.readInt32LE(at), 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    return hash;
  }
}

function bytesOf(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}
