/** 128-bit keys, each with a byte of marks -> a set of them in memory, at 25 to 50 bytes a key. */

import { randomBytes } from 'node:crypto';

/** The 32-bit words of a key. */
export const KEY_WORDS = 4;

/** A `Set` of texts would need five times the memory, and holds 16 million at most. */
export class CompactSet {
  /** Secret, so that an attacker cannot choose keys that all collide. */
  readonly #seed = randomBytes(4).readInt32LE();
  #size = 0;
  /** Keys and their marks, in the order in which they were added. */
  #keys = new Int32Array(KEY_WORDS * 1024);
  #marks = new Uint8Array(1024);
  /** Indices of keys, from 1, each in the first free slot from its hash on. At least half of the slots are free. */
  #slots = new Uint32Array(2048);

  get size(): number {
    return this.#size;
  }

  /** The marks of a key; undefined if the set does not have it. */
  get(key: Int32Array): number | undefined {
    const index = this.#slots[this.#slotOf(key, 0)] ?? 0;
    return index === 0 ? undefined : this.#marks[index - 1];
  }

  /** Adds a key and sets marks of it; returns the marks that it had, undefined if it is new. */
  add(key: Int32Array, marks = 0): number | undefined {
    let slot = this.#slotOf(key, 0);
    const index = this.#slots[slot] ?? 0;
    if (index !== 0) {
      const before = this.#marks[index - 1] ?? 0;
      this.#marks[index - 1] = before | marks;
      return before;
    }
    if (this.#size === this.#marks.length) {
      this.#grow();
      slot = this.#slotOf(key, 0);
    }
    this.#keys.set(key, this.#size * KEY_WORDS);
    this.#marks[this.#size] = marks;
    this.#size += 1;
    this.#slots[slot] = this.#size;
    return undefined;
  }

  /** Clears marks of a key. */
  clear(key: Int32Array, marks: number): void {
    const index = this.#slots[this.#slotOf(key, 0)] ?? 0;
    if (index !== 0) this.#marks[index - 1] = (this.#marks[index - 1] ?? 0) & ~marks;
  }

  /** How many keys have marks that pass a test. */
  count(test: (marks: number) => boolean): number {
    let count = 0;
    for (let i = 0; i < this.#size; i++) if (test(this.#marks[i] ?? 0)) count += 1;
    return count;
  }

  /** Removes all keys but the first `size` that were added. */
  cut(size: number): void {
    if (size < this.#size) this.#fill(size, this.#slots.length);
  }

  #grow(): void {
    const [keys, marks] = [this.#keys, this.#marks];
    this.#keys = new Int32Array(keys.length * 2);
    this.#keys.set(keys);
    this.#marks = new Uint8Array(marks.length * 2);
    this.#marks.set(marks);
    this.#fill(this.#size, this.#slots.length * 2);
  }

  #fill(size: number, slots: number): void {
    this.#size = size;
    this.#slots = new Uint32Array(slots);
    for (let i = 0; i < size; i++) this.#slots[this.#slotOf(this.#keys, i * KEY_WORDS)] = i + 1;
  }

  /** The slot of the key that starts at an offset in words, or the free slot where it belongs. */
  #slotOf(words: Int32Array, from: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = this.#hash(words, from) & mask; ; slot = (slot + 1) & mask) {
      const index = this.#slots[slot] ?? 0;
      if (index === 0 || this.#isSame(words, from, (index - 1) * KEY_WORDS)) return slot;
    }
  }

  #isSame(words: Int32Array, from: number, at: number): boolean {
    for (let i = 0; i < KEY_WORDS; i++) if (words[from + i] !== this.#keys[at + i]) return false;
    return true;
  }

  #hash(words: Int32Array, from: number): number {
    let hash = this.#seed;
    for (let i = 0; i < KEY_WORDS; i++) {
      // The multiplier of MurmurHash3's last mix.
      hash = Math.imul(hash ^ (words[from + i] ?? 0), 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    return hash;
  }
}
