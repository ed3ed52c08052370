/** Instants and spans of time -> words. */

import { type Markup, time } from '../../../report/html/markup.ts';
import { minuteWords } from '../../../text.ts';

const MINUTE_MS = 60_000;

/** `in 1 h 12 min`, `3 h 5 min ago`, `now`; days without minutes. */
export function fromNow(atMs: number, nowMs: number): string {
  const words = spanWords(Math.abs(atMs - nowMs));
  if (words === NONE_YET) return 'now';
  return atMs >= nowMs ? `in ${words}` : `${words} ago`;
}

const NONE_YET = '0 min';

/** `1 h 12 min`, `3 d 2 h`. */
export function spanWords(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  const parts = [
    days > 0 ? `${days} d` : '',
    hours > 0 ? `${hours} h` : '',
    rest > 0 && days === 0 ? `${rest} min` : '',
  ];
  return parts.filter(Boolean).join(' ') || NONE_YET;
}

/** An instant to the minute: nobody reads milliseconds. */
export function minute(ms: number): Markup {
  return time({ datetime: iso(ms) }, minuteWords(ms));
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
