/** Truths -> sets of truths, as bits: what a condition can be where not everything is known. */

/** The truths that a condition or rule can have, as bits. */
export const TRUTH_BITS = { false: 1, unknown: 2, true: 4 } as const;
