/** Velocities of which one counts a part of what another counts -> the pairs, and what that excludes. */

import type { FactTable, Velocity } from '../../facts/catalog.ts';
import { type Facts, isMissing } from '../../facts/fact.ts';
import { countedWords, velocitiesIn } from '../../facts/velocity.ts';
import { cached } from '../../platform/cached.ts';

/** The path of a count, and that of one that has all of it. */
interface Nested {
  readonly part: string;
  readonly whole: string;
  /** Whether they count the same within two windows: the shorter one is then complete where the longer one is. */
  readonly areAlike: boolean;
}

/**
 * The counts of a table that are part of others: of the same within a window at least as long, and distinct and
 * filtered counts of the applications among which they are.
 */
export const nestedCounts = cached((table: FactTable): readonly Nested[] => {
  const counts = [...velocitiesIn(table)].filter(([, { count }]) => count === 'applications' || count === 'distinct');
  return counts.flatMap(([part, one]) =>
    counts.flatMap(([whole, other]) => {
      if (part === whole || !isPart(one, other)) return [];
      return { part, whole, areAlike: countedWords(one) === countedWords(other) };
    }),
  );
});

function isPart(one: Velocity, other: Velocity): boolean {
  if (one.withinMs > other.withinMs) return false;
  if (countedWords(one) === countedWords(other)) return true;
  const isOfAll = other.count === 'applications' && (!other.where || sameJson(one.where, other.where));
  return isOfAll && sameJson(one.by, other.by) && one.since === other.since;
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Whether verdict may count so: no count is greater than one that it is part of, and none is missing beside one within
 * a longer window. Facts that are absent say nothing.
 */
export function areCountsPossible(facts: Facts, table: FactTable): boolean {
  const isPossible = ({ part, whole, areAlike }: Nested) => {
    const [less, more] = [facts.get(part), facts.get(whole)];
    return !less || !more || isMissing(more) || !isMissing(less) || !areAlike;
  };
  return nestedCounts(table).every(isPossible) && findGreaterPart(facts, table) === undefined;
}

/** A count that is greater than one that it is part of. */
export function findGreaterPart(facts: Facts, table: FactTable): Nested | undefined {
  return nestedCounts(table).find(({ part, whole }) => {
    const [less, more] = [facts.get(part), facts.get(whole)];
    return less && more && !isMissing(less) && !isMissing(more) && less.value > more.value;
  });
}
