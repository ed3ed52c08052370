/** Axes about the same -> one axis, whose cells tell apart what theirs tell apart together. */

import { type Axis, type Cell, STATES } from '../../policy/cells/cells.ts';

/** Several axes as one. The first cell is the missing one. */
export interface JoinedAxis {
  readonly axis: Axis;
  /** By each of the several axes, by cell of the joined one: the cell in which all of it lies on that axis. */
  readonly cells: ReadonlyMap<Axis, readonly number[]>;
}

/** An axis of values in these cells, by their words, after the missing one. */
export function axisOf(
  about: Pick<Axis, 'fact' | 'other'>,
  words: readonly string[],
  methods: Pick<Axis, 'find' | 'formOf'>,
): Axis {
  const values = words.map((each): Cell => ({ state: 'value', words: each, witness: () => undefined }));
  const cells: readonly Cell[] = [{ state: 'missing', words: 'missing', witness: () => undefined }, ...values];
  const valueBits = (1n << BigInt(cells.length)) - 2n;
  return {
    subject: about.fact,
    ...about,
    cells,
    isOrdered: false,
    firstValue: 1,
    within: (states) => (states & STATES.missing ? 1n : 0n) | (states & STATES.value ? valueBits : 0n),
    ...methods,
  };
}
