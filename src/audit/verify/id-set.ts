/** The ids of a log's records, one by one -> whether an id was there before, in 16 bytes each and as much for finding them. */

import { randomBytes } from 'node:crypto';

/** Of 32 bits, in a UUID. */
const WORDS = 4;
const DIGITS_PER_WORD = 8;
const HYPHEN = 0x2d;

/**
 * A set of UUIDs that may be taken back to an earlier size. A `Set` of texts would need five times the memory, and ends
 * at 16 million.
 */
export class IdSet {
  /** Nobody who writes a log can choose ids that all fall on one place. */
  readonly #seed = randomBytes(4).readInt32LE();
  #size = 0;
  #words = new Int32Array(WORDS * 1024);
  /** Places in `#words`, from 1, each at the first free place from its hash on; half of it is free. */
  #table = new Uint32Array(2048);
  /** The id that is asked after. */
  readonly #asked = new Int32Array(WORDS);

  get size(): number {
    return this.#size;
  }

  has(uuid: string): boolean {
    this.#read(uuid);
    return this.#table[this.#find(this.#asked, 0)] !== 0;
  }

  /** False where it is there already. */
  add(uuid: string): boolean {
    this.#read(uuid);
    let at = this.#find(this.#asked, 0);
    if (this.#table[at] !== 0) return false;
    if ((this.#size + 1) * WORDS > this.#words.length) {
      this.#grow();
      at = this.#find(this.#asked, 0);
    }
    this.#words.set(this.#asked, this.#size * WORDS);
    this.#size += 1;
    this.#table[at] = this.#size;
    return true;
  }

  /** Forgets what came after the first so many. */
  cut(size: number): void {
    if (size < this.#size) this.#fill(size, this.#table.length);
  }

  #grow(): void {
    const words = new Int32Array(this.#words.length * 2);
    words.set(this.#words);
    this.#words = words;
    this.#fill(this.#size, this.#table.length * 2);
  }

  #fill(size: number, places: number): void {
    this.#size = size;
    this.#table = new Uint32Array(places);
    for (let i = 0; i < size; i++) this.#table[this.#find(this.#words, i * WORDS)] = i + 1;
  }

  /** Takes a UUID apart. A text that is none is taken for some other id. */
  #read(uuid: string): void {
    let at = 0;
    for (let word = 0; word < WORDS; word++) {
      let bits = 0;
      for (let digits = 0; digits < DIGITS_PER_WORD; at++) {
        const code = uuid.charCodeAt(at);
        if (code === HYPHEN) continue;
        // In ASCII the digits' low bits are their values, and the letters' too, from 1 on.
        bits = (bits << 4) | ((code & 15) + (code >> 6) * 9);
        digits += 1;
      }
      this.#asked[word] = bits;
    }
  }

  /** Where an id that stands somewhere in words is in the table, or would be. */
  #find(words: Int32Array, from: number): number {
    const mask = this.#table.length - 1;
    for (let at = this.#hash(words, from) & mask; ; at = (at + 1) & mask) {
      const found = this.#table[at] ?? 0;
      if (found === 0 || this.#isSame(words, from, (found - 1) * WORDS)) return at;
    }
  }

  #isSame(words: Int32Array, from: number, place: number): boolean {
    for (let i = 0; i < WORDS; i++) if (words[from + i] !== this.#words[place + i]) return false;
    return true;
  }

  #hash(words: Int32Array, from: number): number {
    let hash = this.#seed;
    for (let i = 0; i < WORDS; i++) {
      // The multiplier of MurmurHash3's last mix.
      hash = Math.imul(hash ^ (words[from + i] ?? 0), 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    return hash;
  }
}
