/** A time in words -> milliseconds, and back. */

import { count } from '../../text.ts';

/** The milliseconds of each unit, the shortest first. */
export const UNIT_MS = { millisecond: 1, second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** `7 days`, `90 minutes`: in the longest unit that leaves no rest. */
export function timeWords(ms: number): string {
  const [unit, size] = Object.entries(UNIT_MS).findLast(([, each]) => ms % each === 0) ?? ['millisecond', 1];
  return count(ms / size, unit);
}

const BEFORE = /^(in the last|the last|last|past|per|each|every) /i;
const LOOSE = /^(\d{1,6}(?:[.,]\d)?|one|an?|)\s*(secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?|[smhdw])$/i;

/** Of loose words, by the first letter of their unit. */
const LETTERS: Readonly<Record<string, number>> = {
  ...{ s: UNIT_MS.second, m: UNIT_MS.minute, h: UNIT_MS.hour, d: UNIT_MS.day, w: 7 * UNIT_MS.day },
};

/** Reads a time that somebody wrote as `1h`, `1,5 days` or `one hour`, in milliseconds; undefined for other texts. */
export function timeMeant(text: string): number | undefined {
  const [, amount = '', [letter = ''] = ''] = LOOSE.exec(text.trim().replace(BEFORE, '')) ?? [];
  const ms = LETTERS[letter.toLowerCase()];
  return ms && Math.round(ms * (/\d/.test(amount) ? Number(amount.replace(',', '.')) : 1));
}
