/** Boxes -> larger ones, and pieces of them. */

import type { Space } from '../space/space.ts';
import type { Box } from '../space/truths.ts';
import type { StateSet } from '../space/variable.ts';

/** The box of a single state of each variable. */
export function pointAt({ variables }: Space, states: readonly number[]): Box {
  return variables.map(({ states: all }, i) => all.map((_, at) => at === states[i]));
}

/** Adds states of one variable to a box, as long as the box stays good: all at once, or by halves. */
export function widenOne(box: Box, variable: number, isGood: (box: Box) => boolean): Box {
  let widest = box;
  const addAll = (added: readonly number[]): void => {
    if (added.length === 0) return;
    const states = (widest[variable] as StateSet).map((isIn, i) => isIn || added.includes(i));
    const wider = widest.with(variable, states);
    if (isGood(wider)) widest = wider;
    else if (added.length > 1) {
      addAll(added.slice(0, added.length >> 1));
      addAll(added.slice(added.length >> 1));
    }
  };
  addAll((box[variable] as StateSet).flatMap((isIn, i) => (isIn ? [] : [i])));
  return widest;
}

/** Whether boxes have no state in common. */
export function isApart(one: Box): (other: Box) => boolean {
  return (other) => one.some((states, i) => states.every((isIn, at) => !isIn || !other[i]?.[at]));
}
