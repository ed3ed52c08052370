/** Two policies -> when an outcome changes in a way, as a formula. */

import { outcomeFormulas } from '../solver/encode.ts';
import { and, FALSE, type Formula } from '../solver/formula.ts';
import type { Change } from './parts.ts';
import type { Search } from './search.ts';

/** Gives the formula that holds for those whose outcome changes in a way. */
export function changeFormulas({ space, encoding }: Search): (change: Change) => Formula {
  const [before, after] = space.sides.map((side) => outcomeFormulas(side, encoding));
  return ({ from, to }) => and([before?.[from] ?? FALSE, after?.[to] ?? FALSE]);
}
