/** Parts of a difference -> fewer parts with the same applicants. */

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
