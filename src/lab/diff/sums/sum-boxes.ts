/** Combinations of values of attributes -> boxes that cover those that are wanted. */

import type { Attribute, Range } from './sums.ts';

/** Boxes of results, disjoint, that have every wanted result, and else only impossible ones. */
export function cover(
  attributes: readonly Attribute[],
  results: readonly (readonly number[])[],
  wanted: readonly boolean[],
  isPossible: readonly boolean[],
): readonly (readonly Range[])[] {
  const isTaken = results.map(() => false);
  const boxes: (readonly Range[])[] = [];
  const inside = (box: readonly Range[], result: readonly number[]) =>
    box.every(([least, most], i) => (result[i] as number) >= least && (result[i] as number) <= most);
  const isAllowed = (box: readonly Range[]) =>
    results.every((result, i) => !inside(box, result) || (!isTaken[i] && (wanted[i] || !isPossible[i])));
  for (const [i, result] of results.entries()) {
    if (!wanted[i] || isTaken[i]) continue;
    const orders = [[...attributes.keys()], [...attributes.keys()].reverse()];
    const [one, other] = orders.map((order) => widest(result, order, attributes, isAllowed)) as [
      readonly Range[],
      readonly Range[],
    ];
    const countIn = (box: readonly Range[]) => results.filter((each, j) => wanted[j] && inside(box, each)).length;
    const box = countIn(other) > countIn(one) ? other : one;
    for (const [j, each] of results.entries()) if (inside(box, each)) isTaken[j] = true;
    boxes.push(box);
  }
  return boxes;
}

/** A box around a result, widened attribute by attribute in this order. */
function widest(
  result: readonly number[],
  order: readonly number[],
  attributes: readonly Attribute[],
  isAllowed: (box: readonly Range[]) => boolean,
): readonly Range[] {
  let box: readonly Range[] = result.map((at) => [at, at]);
  for (const a of order) {
    const last = (attributes[a]?.values.length ?? 1) - 1;
    for (let isWider = true; isWider; ) {
      const [least, most] = box[a] as Range;
      const wider: Range[] = [
        [Math.max(0, least - 1), most],
        [least, Math.min(last, most + 1)],
      ];
      const found = wider
        .filter((range) => range[0] < least || range[1] > most)
        .map((range) => box.with(a, range))
        .find(isAllowed);
      isWider = found !== undefined;
      box = found ?? box;
    }
  }
  return box;
}

/** Every combination of indexes below these sizes. */
export function combinations(sizes: readonly number[]): readonly (readonly number[])[] {
  return sizes.reduce<readonly (readonly number[])[]>(
    (all, size) => all.flatMap((one) => Array.from({ length: size }, (_, i) => [...one, i])),
    [[]],
  );
}
