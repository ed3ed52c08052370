/** Facts as given by an answer, a file or a caller -> facts, with the geodata of this package. */

import { WORLD } from '../platform/formats/geo/world.ts';
import type { FactTable } from './catalog.ts';
import { type Fact, type Facts, type GivenFact, isMissing, shownValue } from './fact.ts';
import { addFactsWith, readFactsWith } from './fact-reader.ts';

/**
 * Reads all facts of a table, in its order; paths that are not in the table are ignored. A derived fact is computed
 * from the others only if its path is absent from `given`; a given null or cause counts as present.
 * Throws REQUEST_INVALID for a day that does not exist, and if `given` or the table cannot be read.
 *
 * @param day the day of the decision, yyyy-MM-dd
 */
export function readFacts(given: ReadonlyMap<string, GivenFact>, table: FactTable, day: string): Map<string, Fact> {
  return readFactsWith(WORLD, given, table, day);
}

/** Reads facts again by another table, which may declare them differently. */
export function readAgain(facts: Facts, table: FactTable, day: string): Map<string, Fact> {
  const given = [...facts].map(([path, fact]) => [path, isMissing(fact) ? fact : { value: shownValue(fact) }] as const);
  return readFacts(new Map(given), table, day);
}

/** Reads more facts into facts that `readFacts` returned, and derives the facts that depend on them again. */
export function addFacts(
  facts: Map<string, Fact>,
  given: Iterable<readonly [string, GivenFact]>,
  table: FactTable,
  day: string,
): void {
  addFactsWith(WORLD, facts, given, table, day);
}
