/** References with what is known of each -> one table of fixed-size entries, so that millions of them fit into memory. */

import { hash } from 'node:crypto';

/** What can be known of a reference. */
export const MARK = {
  /** Begun in an earlier run, and not recorded as unsent since. */
  begun: 1,
  /** Its decision is recorded. */
  recorded: 2,
  /** A row of this run has it. */
  met: 4,
} as const;

/** An entry that is in use, whatever else is known of it. */
const USED = 0x80;

/** 32-bit words of a key: 128 bits of SHA-256, of which two among a billion are equal once in 10^20 times. */
const WORDS = 4;

/** The table grows before probes become long. */
const MAX_LOAD = 0.7;

/** A set of references, each with its marks: 17 bytes an entry, and between 24 and 49 a reference. */
export class ReferenceSet {
  #keys = new Uint32Array(1024 * WORDS);
  #marks = new Uint8Array(1024);
  #size = 0;

  /** Whether the reference has the mark. */
  has(reference: string, mark: number): boolean {
    return ((this.#marks[this.#find(keyOf(reference))] ?? 0) & mark) !== 0;
  }

  /** Sets a mark; whether it was not set before. */
  set(reference: string, mark: number): boolean {
    const key = keyOf(reference);
    let slot = this.#find(key);
    if (this.#marks[slot] === 0 && this.#size >= this.#marks.length * MAX_LOAD) {
      this.#grow();
      slot = this.#find(key);
    }
    const marks = this.#marks[slot] ?? 0;
    if (marks === 0) {
      this.#size += 1;
      this.#keys.set(key, slot * WORDS);
    }
    this.#marks[slot] = marks | mark | USED;
    return (marks & mark) === 0;
  }

  /** Takes a mark away. */
  clear(reference: string, mark: number): void {
    const slot = this.#find(keyOf(reference));
    this.#marks[slot] = (this.#marks[slot] ?? 0) & ~mark;
  }

  /** How many references have the first mark and none of the others. */
  count(mark: number, others: number): number {
    let count = 0;
    for (const marks of this.#marks) if ((marks & mark) !== 0 && (marks & others) === 0) count += 1;
    return count;
  }

  /** The slot of a key, or the free one where it belongs. */
  #find(key: Uint32Array): number {
    const last = this.#marks.length - 1;
    let slot = (key[0] ?? 0) & last;
    while (this.#marks[slot] !== 0 && !this.#isAt(slot, key)) slot = (slot + 1) & last;
    return slot;
  }

  #isAt(slot: number, key: Uint32Array): boolean {
    const at = slot * WORDS;
    for (let word = 0; word < WORDS; word++) if (this.#keys[at + word] !== key[word]) return false;
    return true;
  }

  #grow(): void {
    const [keys, marks] = [this.#keys, this.#marks];
    this.#keys = new Uint32Array(keys.length * 2);
    this.#marks = new Uint8Array(marks.length * 2);
    for (let slot = 0; slot < marks.length; slot++) {
      const mark = marks[slot] ?? 0;
      if (mark === 0) continue;
      const key = keys.subarray(slot * WORDS, (slot + 1) * WORDS);
      const to = this.#find(key);
      this.#keys.set(key, to * WORDS);
      this.#marks[to] = mark;
    }
  }
}

function keyOf(reference: string): Uint32Array {
  const digest = hash('sha256', reference, 'buffer');
  // Copied: a buffer of the pool need not begin at a multiple of four.
  return new Uint32Array(new Uint8Array(digest.subarray(0, WORDS * 4)).buffer);
}
