/** What a policy counts of earlier applications -> the facts of it, and words for people. */

import { count } from '../text.ts';
import type { FactDefinition, FactTable, Velocity } from './catalog.ts';
import { type Facts, isMissing } from './fact.ts';

/** What the paths of these facts begin with. */
export const VELOCITY = 'velocity.';

/** The units of a window, the longest first. */
export const WINDOW_UNITS = { day: 86_400_000, hour: 3_600_000, minute: 60_000 } as const;

/** `7 days`, `90 minutes`. */
export function windowWords(ms: number): string {
  const [unit, size] = Object.entries(WINDOW_UNITS).find(([, each]) => ms % each === 0) ?? ['minute', 60_000];
  return count(ms / size, unit);
}

/** `distinct email by ip/24`: equal for velocities that count the same, within whatever windows. */
export function countedWords({ count: counted, by, where }: Velocity): string {
  const what = counted === 'applications' ? counted : `distinct ${counted}`;
  return `${what} by ${by}${where ? ` where ${where.key} is ${where.value}` : ''}`;
}

/** `distinct email by ip/24 within 7 days`. */
export function velocityWords(velocity: Velocity): string {
  return `${countedWords(velocity)} within ${windowWords(velocity.withinMs)}`;
}

/** The fact of a velocity: a whole number from 0. */
export function velocityFact(velocity: Velocity, description?: string): FactDefinition {
  return {
    type: 'integer',
    origin: 'velocity',
    description: description ?? `Seen before: ${velocityWords(velocity)}.`,
    range: [0, Number.MAX_SAFE_INTEGER],
    velocity,
  };
}

const velocities = new WeakMap<FactTable, ReadonlyMap<string, Velocity>>();

/** The velocities of a table by the paths of their facts. Cached by table. */
export function velocitiesIn(table: FactTable): ReadonlyMap<string, Velocity> {
  let found = velocities.get(table);
  if (!found) {
    found = new Map([...table].flatMap(([path, { velocity }]) => (velocity ? [[path, velocity] as const] : [])));
    velocities.set(table, found);
  }
  return found;
}

/** The path of a count, and that of one that has all of it: of the same, within a window at least as long. */
type PartAndWhole = readonly [part: string, whole: string];

const parts = new WeakMap<FactTable, readonly PartAndWhole[]>();

/** The counts of a table that are part of others. Cached by table. */
export function partsIn(table: FactTable): readonly PartAndWhole[] {
  let found = parts.get(table);
  if (!found) {
    const families = Map.groupBy(velocitiesIn(table), ([, velocity]) => countedWords(velocity));
    const isPart = ([path, one]: [string, Velocity], [otherPath, other]: [string, Velocity]) =>
      path !== otherPath && one.withinMs <= other.withinMs;
    found = [...families.values()].flatMap((family) =>
      family.flatMap((one) => family.filter((other) => isPart(one, other)).map(([whole]) => [one[0], whole] as const)),
    );
    parts.set(table, found);
  }
  return found;
}

/**
 * Whether verdict may count so: no count is greater than one that it is part of, and none is missing beside it. Facts
 * that are absent say nothing.
 */
export function areCountsPossible(facts: Facts, table: FactTable): boolean {
  return partsIn(table).every(([part, whole]) => {
    const [less, more] = [facts.get(part), facts.get(whole)];
    if (!less || !more) return true;
    return isMissing(less) || isMissing(more) ? isMissing(less) && isMissing(more) : less.value <= more.value;
  });
}
