/** References with what is known of each -> a compact set, so that millions of them fit into memory. */

import { hash } from 'node:crypto';
import { CompactSet, KEY_WORDS } from '../../platform/compact-set.ts';

export const MARK = {
  /** An earlier run began it, and did not note that it was unsent. */
  begun: 1,
  recorded: 2,
  /** A row of this run has it. */
  seen: 4,
} as const;

export class ReferenceSet {
  readonly #references = new CompactSet();

  has(reference: string, marks: number): boolean {
    return ((this.#references.get(keyOf(reference)) ?? 0) & marks) !== 0;
  }

  /** Sets a mark; returns whether it was not set before. */
  set(reference: string, mark: number): boolean {
    return ((this.#references.add(keyOf(reference), mark) ?? 0) & mark) === 0;
  }

  clear(reference: string, mark: number): void {
    this.#references.clear(keyOf(reference), mark);
  }

  /** How many references have the mark and none of the others. */
  count(mark: number, others: number): number {
    return this.#references.count((marks) => (marks & mark) !== 0 && (marks & others) === 0);
  }
}

/** 128 bits of SHA-256: the chance that two among a billion are equal is about 1 in 10^21. */
function keyOf(reference: string): Int32Array {
  const digest = hash('sha256', reference, 'buffer');
  // Copied, because a pooled buffer need not begin at a multiple of four.
  return new Int32Array(new Uint8Array(digest.subarray(0, KEY_WORDS * 4)).buffer);
}
