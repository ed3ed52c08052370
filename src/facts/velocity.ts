/** What a policy counts of earlier applications -> the facts of it, and words for people. */

import { cached } from '../platform/cached.ts';
import { timeWords } from '../platform/files/times.ts';
import type { FactDefinition, FactTable, Velocity } from './catalog.ts';

/** What the paths of these facts begin with. */
export const VELOCITY = 'velocity.';

/** `distinct email`: what a policy writes for it. */
export function countWords({ count, of }: Pick<Velocity, 'count' | 'of'>): string {
  return of === undefined ? count : `${count} ${of}`;
}

/** `distinct email by ip/24`: equal for velocities that count the same, within whatever windows. */
export function countedWords(velocity: Velocity): string {
  const { by, where, since } = velocity;
  const filter = where ? ` where ${where.key} is ${where.value}` : '';
  return `${countWords(velocity)} by ${by.join(' and ')}${filter}${since === undefined ? '' : ` since ${since}`}`;
}

/** `distinct email by ip/24 within 7 days`: equal for velocities that count the same. Each record of a log asks. */
export const velocityWords = cached((velocity: Velocity): string => {
  return `${countedWords(velocity)} within ${timeWords(velocity.withinMs)}`;
});

/** The fact of a velocity: a whole number from 0, or any sum. */
export function velocityFact(velocity: Velocity, description?: string): FactDefinition {
  const isSum = velocity.count === 'sum';
  const isTime = velocity.count === 'first' || velocity.count === 'last';
  return {
    type: isSum ? 'number' : 'integer',
    origin: 'velocity',
    description: description ?? `Seen before: ${velocityWords(velocity)}.`,
    ...(isSum ? {} : { range: [0, Number.MAX_SAFE_INTEGER] as const }),
    ...(isTime ? { unit: 'minutes' } : {}),
    velocity,
  };
}

/** The velocities of a table by the paths of their facts. */
export const velocitiesIn = cached((table: FactTable): ReadonlyMap<string, Velocity> => {
  return new Map([...table].flatMap(([path, { velocity }]) => (velocity ? [[path, velocity] as const] : [])));
});

/** What a velocity reads of an application, by the names of its keys. */
export function namesCounted({ by, of, where }: Velocity): readonly string[] {
  const filter = where?.key.startsWith('context.') ? [where.key] : [];
  return [...by, ...(of === undefined ? [] : [of]), ...filter];
}
