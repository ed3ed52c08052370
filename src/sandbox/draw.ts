/** A kind and a value -> pseudo-random draws that are always the same; all variety of the sandbox comes from them. */

import { createHash } from 'node:crypto';

/** Returns a number in [0, 1), always the same for the same kind, value and purpose. */
export type Draw = (purpose: string) => number;

/**
 * The draws of one value. Each purpose is hashed by itself, so adding a purpose does not change the others.
 *
 * @param kind what the value is: the same text gets different draws as an email and as a domain
 */
export function drawsOf(kind: string, value: string): Draw {
  return (purpose) => {
    const digest = createHash('sha256')
      .update(JSON.stringify([kind, purpose, value]))
      .digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  };
}

/** A draw as an integer from `least` to `most`, both included. */
export function integerBetween(draw: number, least: number, most: number): number {
  return least + Math.floor(draw * (most - least + 1));
}

/** The item that a draw falls on; all items are equally likely. */
export function pick<T>(draw: number, items: readonly [T, ...T[]]): T {
  return items[Math.floor(draw * items.length)] ?? items[0];
}

/** The item that a draw falls on; each item of `rows` has its share of 1, and `usual` has the rest. */
export function pickByShare<const T>(
  draw: number,
  usual: T,
  ...rows: readonly (readonly [share: number, item: T])[]
): T {
  let reached = 0;
  for (const [share, item] of rows) {
    reached += share;
    if (draw < reached) return item;
  }
  return usual;
}
