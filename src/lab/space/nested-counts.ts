/** Velocities that count the same within several windows -> which count is a part of which, and what that excludes. */

import type { FactTable, Velocity } from '../../facts/catalog.ts';
import { type Facts, isMissing } from '../../facts/fact.ts';
import { countedWords, velocitiesIn } from '../../facts/velocity.ts';

/** The path of a count, and that of one that has all of it: of the same, within a window at least as long. */
type Nested = readonly [part: string, whole: string];

const nested = new WeakMap<FactTable, readonly Nested[]>();

/** The counts of a table that are part of others. Cached by table. */
export function nestedCounts(table: FactTable): readonly Nested[] {
  let found = nested.get(table);
  if (!found) {
    const families = Map.groupBy(velocitiesIn(table), ([, velocity]) => countedWords(velocity));
    const isPart = ([path, one]: [string, Velocity], [otherPath, other]: [string, Velocity]) =>
      path !== otherPath && one.withinMs <= other.withinMs;
    found = [...families.values()].flatMap((family) =>
      family.flatMap((one) => family.filter((other) => isPart(one, other)).map(([whole]) => [one[0], whole] as const)),
    );
    nested.set(table, found);
  }
  return found;
}

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
