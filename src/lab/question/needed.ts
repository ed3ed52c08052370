/** Facts, or other things, and a check -> as few of them as the check allows. */

import type { FactTable } from '../../facts/catalog.ts';
import { computedIn } from '../../facts/compute.ts';
import type { Facts } from '../../facts/fact.ts';
import { countedWords, velocitiesIn } from '../../facts/velocity.ts';

/**
 * Given facts without those that a check can do without. Computed facts are never given; counts of the same within
 * several windows are given together, or none of them.
 */
export function withoutNeedless(facts: Facts, table: FactTable, isKept: (given: Facts) => boolean): Facts {
  const [computed, velocities] = [computedIn(table), velocitiesIn(table)];
  const given = [...facts].filter(([path]) => !computed.has(path));
  const together = Map.groupBy(given, ([path]) => {
    const velocity = velocities.get(path);
    return velocity ? countedWords(velocity) : path;
  });
  return new Map(neededAmong([...together.values()], (fewer) => isKept(new Map(fewer.flat()))).flat());
}

/** Things that a check allows, without those that it can do without: no single one of the rest can be left out. */
export function neededAmong<Item>(all: readonly Item[], isKept: (fewer: readonly Item[]) => boolean): readonly Item[] {
  let needed = all;
  let at = 0;
  // What is needed beside one thing may be needless without it, so all others are tried again.
  for (let tried = 0; tried < needed.length; tried++) {
    at %= needed.length;
    const fewer = needed.toSpliced(at, 1);
    if (isKept(fewer)) {
      needed = fewer;
      tried = -1;
    } else at += 1;
  }
  return needed;
}
