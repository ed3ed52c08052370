/** A formula -> boxes, disjoint, that cover those for whom it holds: around one of them after the other. */

import { type Formula, isInBox, not, TRUE } from '../solver/formula.ts';
import type { Space } from '../space/space.ts';
import type { Box } from '../space/truths.ts';
import type { StateSet } from '../space/variable.ts';
import type { Search } from './search.ts';

/** A box, and the states in which it was found. */
export interface FoundBox {
  readonly box: Box;
  readonly states: readonly number[];
}

/** A box around states, widened only to boxes that are free: they have compared applicants alone, and new ones. */
type Widen = (states: readonly number[], isFree: (box: Box) => boolean) => Box;

/**
 * Finds a box after the other, perhaps with applicants for whom something else holds too, near some states. `none` if
 * there is proof that there are no more, `unknown` if that is not known in this time.
 */
type FindBox = (
  timeoutMs: number,
  wanted?: Formula,
  near?: readonly number[],
) => Promise<FoundBox | 'none' | 'unknown'>;

/** Finds the boxes of compared applicants for whom a formula holds. */
export function createBoxFinder({ solver, compared }: Search, formula: Formula, widen: Widen): FindBox {
  const covered: Box[] = [];
  const elsewhere: Formula[] = [];
  const isFree = (box: Box) => compared.hasAll(box) && covered.every(isApart(box));
  return async (timeoutMs, wanted = TRUE, near = undefined) => {
    const answer = await solver.ask([compared.formula, formula, wanted, ...elsewhere], timeoutMs, near);
    if (answer.kind !== 'satisfiable') return answer.kind === 'unsatisfiable' ? 'none' : 'unknown';
    const { states } = answer;
    const box = widen(states, isFree);
    covered.push(box);
    elsewhere.push(not(isInBox(box)));
    return { box, states };
  };
}

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
function isApart(one: Box): (other: Box) => boolean {
  return (other) => one.some((states, i) => states.every((isIn, at) => !isIn || !other[i]?.[at]));
}
