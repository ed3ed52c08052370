/** From a kind and a value to draws that are always the same: the sandbox's only source of variety. */

import { createHash } from 'node:crypto';

/** A number in [0, 1) for a named purpose; the same for the same kind, value and purpose. */
export type Draw = (purpose: string) => number;

/**
 * The draws of one value. Each purpose is hashed by itself, so that a new one leaves the others as they were.
 *
 * @param kind what the value is, so that a text that is both an email and a domain gets different draws
 */
export function drawsOf(kind: string, value: string): Draw {
  return (purpose) => {
    const digest = createHash('sha256')
      .update(JSON.stringify([kind, purpose, value]))
      .digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  };
}

/** A whole number from `least` to `most`, both included, for a draw. */
export function integerBetween(draw: number, least: number, most: number): number {
  return least + Math.floor(draw * (most - least + 1));
}

/** The item of a list that a draw falls on, all equally likely. INVARIANT: the list is not empty. */
export function pick<T>(draw: number, items: readonly [T, ...T[]]): T {
  return items[Math.floor(draw * items.length)] ?? items[0];
}

/** The item that a draw falls on; each has its share of 1, the last one takes what is left. */
export function pickByShare<const T>(draw: number, rows: readonly (readonly [share: number, item: T])[], last: T): T {
  let reached = 0;
  for (const [share, item] of rows) {
    reached += share;
    if (draw < reached) return item;
  }
  return last;
}
