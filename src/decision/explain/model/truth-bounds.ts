/** The values that a fact may have -> what they leave of every conjunction, as bit vectors. */

/**
 * Five vectors of the same number of words, one behind the other. A bit is a conjunction of the compiled policy; a vector has
 * it if the conjunction is
 * - possible for some of the values, - certain for some, - possible for all, - certain for all, - open (possible and not
 *   certain) for some.
 *
 * Of a single value the first is the third and the second the fourth.
 */
export type TruthBounds = Int32Array;

/** The places of the vectors, in words of a vector. */
export const PARTS = { canBePossible: 0, canBeCertain: 1, isPossible: 2, isCertain: 3, canBeOpen: 4 } as const;

const COUNT = 5;

/** The leeway of one value: of the conjunctions that it leaves possible and of those that it leaves certain, one behind the other. */
export function boundsOf(bits: Int32Array): TruthBounds {
  const words = bits.length / 2;
  const leeway = new Int32Array(words * COUNT);
  leeway.set(bits);
  leeway.set(bits, words * PARTS.isPossible);
  for (let i = 0; i < words; i++) {
    leeway[words * PARTS.canBeOpen + i] = (bits[i] as number) & ~(bits[words + i] as number);
  }
  return leeway;
}

/** The leeway of something that may be any of several values, at least one. */
export function eitherOf(leeways: readonly TruthBounds[]): TruthBounds {
  const [first, ...others] = leeways as [TruthBounds, ...TruthBounds[]];
  const either = first.slice();
  const words = first.length / COUNT;
  for (const other of others) {
    for (let i = 0; i < 2 * words; i++) either[i] = (either[i] as number) | (other[i] as number);
    for (let i = 2 * words; i < 4 * words; i++) either[i] = (either[i] as number) & (other[i] as number);
    for (let i = 4 * words; i < 5 * words; i++) either[i] = (either[i] as number) | (other[i] as number);
  }
  return either;
}

/** Writes into `into` the leeway of several things at once, within the conjunctions of `mask`. */
export function meetAll(leeways: readonly TruthBounds[], mask: Int32Array, into: TruthBounds): void {
  const words = mask.length;
  for (let part = 0; part < COUNT - 1; part++) into.set(mask, part * words);
  into.fill(0, (COUNT - 1) * words);
  const ands = (COUNT - 1) * words;
  for (let n = 0; n < leeways.length; n++) {
    const leeway = leeways[n] as TruthBounds;
    for (let i = 0; i < ands; i++) into[i] = (into[i] as number) & (leeway[i] as number);
    for (let i = ands; i < into.length; i++) into[i] = (into[i] as number) | (leeway[i] as number);
  }
}

/** The leeway of several things at once that are looked at as one, such as the axes of a fact. */
export function bothOf(leeways: readonly TruthBounds[], mask: Int32Array): TruthBounds {
  const both = new Int32Array(mask.length * COUNT);
  meetAll(leeways, mask, both);
  return both;
}
