/** A seed -> reproducible pseudo-random numbers between 0 and 1. */

/** Returns the next number, 0 ≤ n < 1. */
export type Die = () => number;

/** A linear congruential generator modulo 2^64 with the multiplier of Knuth's MMIX; returns its upper bits. */
export function dice(seed: number): Die {
  let state = BigInt(seed);
  return () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & 0xffff_ffff_ffff_ffffn;
    return Number(state >> 11n) / 2 ** 53;
  };
}

/** Picks one of the items. Throws if there are none. */
export function pick<Item>(items: readonly Item[], die: Die): Item {
  const item = items[Math.floor(die() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** The items in a random order. */
export function shuffle<Item>(items: readonly Item[], die: Die): Item[] {
  return items
    .map((item) => ({ item, at: die() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
