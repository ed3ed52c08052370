/** A day or an instant as a person types it -> an instant as entries have it: such texts sort by time. */

import { dayOfInstant, isDay } from './day.ts';

/** The expected format, in words. */
export const INSTANT_EXPECTED = 'a calendar day, yyyy-MM-dd, or an instant like 2026-11-20T12:00:00Z';

/** RFC 3339 with at most milliseconds, the precision of an entry; seconds are optional. */
const INSTANT = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * The day of an instant in a zone, or a day as it is, and the time of an instant in milliseconds since 1970. Undefined
 * for any other text.
 */
export function readDayOrInstant(text: string, zone?: string) {
  if (isDay(text)) return { at: text };
  const instant = readInstant(text);
  if (instant === undefined) return undefined;
  const timeMs = Date.parse(instant);
  return { at: dayOfInstant(timeMs, zone), timeMs };
}

/** The start of a UTC day, or the instant, in ISO 8601, UTC, with milliseconds. Undefined for any other text. */
export function startOf(text: string): string | undefined {
  return isDay(text) ? `${text}T00:00:00.000Z` : readInstant(text);
}

/** The end of a UTC day, or the instant, in the same format. */
export function endOf(text: string): string | undefined {
  return isDay(text) ? `${text}T23:59:59.999Z` : readInstant(text);
}

function readInstant(text: string): string | undefined {
  const [, day = ''] = INSTANT.exec(text) ?? [];
  if (!isDay(day)) return undefined;
  const instant = new Date(text).toISOString();
  // An offset can move the year out of 0000 to 9999, where texts no longer sort by time.
  return /^\d{4}-/.test(instant) ? instant : undefined;
}
