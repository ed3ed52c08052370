/** Velocities that count the same within several windows -> which count is a part of which, and what that excludes. */

import type { FactTable, Velocity } from '../../facts/catalog.ts';
import { type Facts, isMissing } from '../../facts/fact.ts';
import { countedWords, velocitiesIn } from '../../facts/velocity.ts';
import { cached } from '../../platform/cached.ts';

/** The path of a count, and that of one that has all of it: of the same, within a window at least as long. */
type Nested = readonly [part: string, whole: string];

/** The counts of a table that are part of others. */
export const nestedCounts = cached((table: FactTable): readonly Nested[] => {
  const families = Map.groupBy(velocitiesIn(table), ([, velocity]) => countedWords(velocity));
  const isPart = ([path, one]: [string, Velocity], [otherPath, other]: [string, Velocity]) =>
    path !== otherPath && one.withinMs <= other.withinMs;
  return [...families.values()].flatMap((family) =>
    family.flatMap((one) => family.filter((other) => isPart(one, other)).map(([whole]) => [one[0], whole] as const)),
  );
});

/**
 * Whether verdict may count so: no count is greater than one that it is part of, and none is missing beside it. Facts
 * that are absent say nothing.
 */
export function areCountsPossible(facts: Facts, table: FactTable): boolean {
  return nestedCounts(table).every(([part, whole]) => {
    const [less, more] = [facts.get(part), facts.get(whole)];
    if (!less || !more) return true;
    return isMissing(less) || isMissing(more) ? isMissing(less) && isMissing(more) : less.value <= more.value;
  });
}
