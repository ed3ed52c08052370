/** Parts of a difference -> fewer parts with the same applicants. */

import type { Box } from '../space/truths.ts';
import type { StateSet } from '../space/variable.ts';
import type { Part } from './part.ts';

/** Parts of one case whose boxes differ in one variable alone, as one. */
export function joinParts<How>(parts: readonly Part<How>[]): readonly Part<How>[] {
  const groups = Map.groupBy(parts, ({ changeCase }) => changeCase.key);
  return [...groups.values()].flatMap(joined);
}

function joined<How>(parts: readonly Part<How>[]): readonly Part<How>[] {
  const left = [...parts];
  for (let one = 0; one < left.length; one++) {
    for (let other = one + 1; other < left.length; other++) {
      const both = join(left[one] as Part<How>, left[other] as Part<How>);
      if (!both) continue;
      left[one] = both;
      left.splice(other, 1);
      // The joined box may now fit to one that it did not fit to before.
      one = -1;
      break;
    }
  }
  return left;
}

/** Undefined if the boxes differ in more than one variable. */
function join<How>(one: Part<How>, other: Part<How>): Part<How> | undefined {
  const differing = one.box.flatMap((states, i) => (states.join() === other.box[i]?.join() ? [] : [i]));
  const [variable] = differing;
  if (variable === undefined || differing.length > 1) return undefined;
  const states = (one.box[variable] as StateSet).map((isIn, at) => isIn || other.box[variable]?.[at] === true);
  return { ...one, box: one.box.with(variable, states) };
}

/**
 * Parts of one case that fill a box but for a smaller one, as one: those who do not meet a condition of several facts
 * are one region and not one for each fact. The result cannot be joined further.
 */
export function joinAround<How>(parts: readonly Part<How>[]): readonly Part<How>[] {
  const groups = Map.groupBy(parts, ({ changeCase }) => changeCase.key);
  return [...groups.values()].flatMap((group) => {
    const whole = fill(group);
    if (whole) return [whole];
    // Perhaps those that are alike in one variable.
    const ways = differing(group.map(({ box }) => box)).map((i) =>
      [...Map.groupBy(group, ({ box }) => box[i]?.join()).values()].flatMap((alike) => fill(alike) ?? alike),
    );
    return ways.reduce((best, way) => (way.length < best.length ? way : best), group);
  });
}

/** Boxes that differ in more variables are not joined, nor is more than this said of what is left out. */
const MOST_DIFFERING = 8;
const MOST_LEFT_OUT = 3;
/** More pieces are not counted. */
const MOST_PIECES = 200;

/** The box around several parts, without the box that they leave out; undefined if that is no box. */
function fill<How>(parts: readonly Part<How>[]): Part<How> | undefined {
  const [first] = parts;
  if (!first || parts.length < 2) return undefined;
  const boxes = parts.map(({ box }) => box);
  const variables = differing(boxes);
  if (variables.length > MOST_DIFFERING) return undefined;
  const whole = hullOf(boxes, variables);
  let rest: readonly Box[] = [whole];
  for (const box of boxes) {
    rest = rest.flatMap((each) => subtract(each, box, variables));
    if (rest.length > MOST_PIECES) return undefined;
  }
  if (rest.length === 0) return { ...first, box: whole };
  const without = hullOf(rest, variables);
  if (differing([whole, without]).length > MOST_LEFT_OUT) return undefined;
  return sizeOf([without], variables) === sizeOf(rest, variables) ? { ...first, box: whole, without } : undefined;
}

/** The variables that do not have the same states in all boxes. */
function differing([first, ...others]: readonly Box[]): readonly number[] {
  return [...(first?.keys() ?? [])].filter((i) => others.some((box) => box[i]?.join() !== first?.[i]?.join()));
}

/** The smallest box around boxes that are alike in all variables but these. */
function hullOf(boxes: readonly Box[], variables: readonly number[]): Box {
  const [first = []] = boxes;
  const withAll = (box: Box, i: number) => {
    const states = box[i] as StateSet;
    return box.with(
      i,
      states.map((_, at) => boxes.some((each) => each[i]?.[at])),
    );
  };
  return variables.reduce(withAll, first);
}

/** A box without another one that is like it in all variables but these, as boxes that are apart. */
function subtract(box: Box, other: Box, variables: readonly number[]): readonly Box[] {
  const pieces: Box[] = [];
  let left = box;
  for (const i of variables) {
    const states = box[i] as StateSet;
    const outside = states.map((isIn, at) => isIn && !other[i]?.[at]);
    const inside = states.map((isIn, at) => isIn && other[i]?.[at] === true);
    if (!inside.some(Boolean)) return [box];
    if (outside.some(Boolean)) pieces.push(left.with(i, outside));
    left = left.with(i, inside);
  }
  return pieces;
}

/** How many combinations of states of these variables boxes have that are apart. */
function sizeOf(boxes: readonly Box[], variables: readonly number[]): bigint {
  const count = (states: StateSet | undefined) => BigInt(states?.filter(Boolean).length ?? 0);
  return boxes.reduce((sum, box) => sum + variables.reduce((size, i) => size * count(box[i]), 1n), 0n);
}
