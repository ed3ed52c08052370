/** What a policy counts of earlier applications -> the facts of it, and words for people. */

import { cached } from '../platform/cached.ts';
import { count } from '../text.ts';
import type { FactDefinition, FactTable, Velocity } from './catalog.ts';

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

/** `distinct email by ip/24 within 7 days`: equal for velocities that count the same. Each record of a log asks. */
export const velocityWords = cached((velocity: Velocity): string => {
  return `${countedWords(velocity)} within ${windowWords(velocity.withinMs)}`;
});

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

/** The velocities of a table by the paths of their facts. */
export const velocitiesIn = cached((table: FactTable): ReadonlyMap<string, Velocity> => {
  return new Map([...table].flatMap(([path, { velocity }]) => (velocity ? [[path, velocity] as const] : [])));
});
