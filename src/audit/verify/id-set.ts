/** The ids of a log's records, one by one -> whether each is new. */

import { CompactSet, KEY_WORDS } from '../../platform/compact-set.ts';

const DIGITS_PER_WORD = 8;
const HYPHEN = 0x2d;

/** A compact set of UUIDs that can be cut back to an earlier size. */
export class IdSet {
  readonly #ids = new CompactSet();
  /** Reused: a verification asks for millions. */
  readonly #key = new Int32Array(KEY_WORDS);

  get size(): number {
    return this.#ids.size;
  }

  has(uuid: string): boolean {
    return this.#ids.get(this.#parse(uuid)) !== undefined;
  }

  /** False if the set has it already. */
  add(uuid: string): boolean {
    return this.#ids.add(this.#parse(uuid)) === undefined;
  }

  /** Removes all ids but the first `size` that were added. */
  cut(size: number): void {
    this.#ids.cut(size);
  }

  /** Parses a UUID into four words; anything else yields an arbitrary id. */
  #parse(uuid: string): Int32Array {
    let at = 0;
    for (let word = 0; word < KEY_WORDS; word++) {
      let bits = 0;
      for (let digits = 0; digits < DIGITS_PER_WORD; at++) {
        const code = uuid.charCodeAt(at);
        if (code === HYPHEN) continue;
        // In ASCII the low four bits of a digit are its value, and those of a letter its number in the alphabet.
        bits = (bits << 4) | ((code & 15) + (code >> 6) * 9);
        digits += 1;
      }
      this.#key[word] = bits;
    }
    return this.#key;
  }
}
