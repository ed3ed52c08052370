/** A day or an instant, as somebody writes where a search begins or ends -> the text that records have, whose order is that of time. */

import { isDay } from '../../facts/day.ts';

/** What is expected of such a text. */
export const INSTANT_EXPECTED = 'a calendar day, yyyy-MM-dd, or an instant like 2026-11-20T12:00:00Z';

/** RFC 3339, as far as a record's own time is that fine; the seconds may be left out. */
const INSTANT = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** The beginning of a day, UTC, or the instant: ISO 8601, UTC, in milliseconds. Undefined for what is neither. */
export function beginningOf(text: string): string | undefined {
  return isDay(text) ? `${text}T00:00:00.000Z` : readInstant(text);
}

/** The end of a day, UTC, or the instant. */
export function endOf(text: string): string | undefined {
  return isDay(text) ? `${text}T23:59:59.999Z` : readInstant(text);
}

function readInstant(text: string): string | undefined {
  const [, day = ''] = INSTANT.exec(text) ?? [];
  if (!isDay(day)) return undefined;
  const instant = new Date(text).toISOString();
  // An offset may lead out of the years that records can have.
  return /^\d{4}-/.test(instant) ? instant : undefined;
}
