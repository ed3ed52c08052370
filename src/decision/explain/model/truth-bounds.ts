/** The values that a fact may have -> bounds on the truth of every conjunction, as bit vectors. */

/**
 * Five vectors of the same number of words, one after the other. A bit is a conjunction of the compiled
 * policy. It is set if the conjunction is
 * - in the first vector: possible for some of the values,
 * - in the second: certain for some,
 * - in the third: possible for all,
 * - in the fourth: certain for all,
 * - in the fifth: open, which is possible and not certain, for some.
 *
 * For a single value, the first vector equals the third and the second the fourth.
 */
export type TruthBounds = Int32Array;

/** The index of each vector. */
export const PARTS = { canBePossible: 0, canBeCertain: 1, isPossible: 2, isCertain: 3, canBeOpen: 4 } as const;

const COUNT = 5;

/** The bounds of one value. `bits` are the conjunctions that it leaves possible, then those that it leaves certain. */
export function boundsOf(bits: Int32Array): TruthBounds {
  const words = bits.length / 2;
  const bounds = new Int32Array(words * COUNT);
  bounds.set(bits);
  bounds.set(bits, words * PARTS.isPossible);
  for (let i = 0; i < words; i++) {
    bounds[words * PARTS.canBeOpen + i] = (bits[i] as number) & ~(bits[words + i] as number);
  }
  return bounds;
}

/** The bounds of a fact that may have any of several values, at least one. */
export function eitherOf(alternatives: readonly TruthBounds[]): TruthBounds {
  const [first, ...others] = alternatives as [TruthBounds, ...TruthBounds[]];
  const either = first.slice();
  const words = first.length / COUNT;
  for (const other of others) {
    for (let i = 0; i < 2 * words; i++) either[i] = (either[i] as number) | (other[i] as number);
    for (let i = 2 * words; i < 4 * words; i++) either[i] = (either[i] as number) & (other[i] as number);
    for (let i = 4 * words; i < 5 * words; i++) either[i] = (either[i] as number) | (other[i] as number);
  }
  return either;
}

/** Writes into `into` the bounds of several facts together, within the conjunctions of `mask`. */
export function meetAll(parts: readonly TruthBounds[], mask: Int32Array, into: TruthBounds): void {
  const words = mask.length;
  for (let part = 0; part < COUNT - 1; part++) into.set(mask, part * words);
  into.fill(0, (COUNT - 1) * words);
  const ands = (COUNT - 1) * words;
  for (let n = 0; n < parts.length; n++) {
    const bounds = parts[n] as TruthBounds;
    for (let i = 0; i < ands; i++) into[i] = (into[i] as number) & (bounds[i] as number);
    for (let i = ands; i < into.length; i++) into[i] = (into[i] as number) | (bounds[i] as number);
  }
}

/** The bounds of several parts together as one, such as the axes of a fact. */
export function bothOf(parts: readonly TruthBounds[], mask: Int32Array): TruthBounds {
  const both = new Int32Array(mask.length * COUNT);
  meetAll(parts, mask, both);
  return both;
}
