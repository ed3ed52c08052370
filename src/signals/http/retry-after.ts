/** A `Retry-After` header -> how long to wait, in milliseconds (RFC 9110, section 10.2.3). */

const SECONDS = /^\d+(?:\.\d+)?$/;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The three forms of a date in HTTP (RFC 9110, section 5.6.7): IMF-fixdate, RFC 850, asctime. */
const DATES = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]+, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/**
 * Undefined if the header is absent or cannot be read; 0 for a date in the past.
 *
 * @param date the answer's `Date` header: the service's time is by its own clock, which may differ from ours
 * @param nowMs our clock, for answers without a `Date`
 */
export function readRetryAfter(header: unknown, date: unknown, nowMs: number): number | undefined {
  const text = typeof header === 'string' ? header.trim() : '';
  if (SECONDS.test(text)) return Number(text) * 1000;
  const until = readHttpDate(text, nowMs);
  if (until === undefined) return undefined;
  const from = typeof date === 'string' ? readHttpDate(date.trim(), nowMs) : undefined;
  return Math.max(0, until - (from ?? nowMs));
}

function readHttpDate(text: string, nowMs: number): number | undefined {
  for (const form of DATES) {
    const { day = '', month = '', year = '', time = '' } = form.exec(text)?.groups ?? {};
    const monthIndex = MONTHS.indexOf(month);
    if (monthIndex < 0) continue;
    const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
    const at = Date.UTC(fullYear(year, nowMs), monthIndex, Number(day), hours, minutes, seconds);
    return Number.isNaN(at) ? undefined : at;
  }
  return undefined;
}

/** A two-digit year is at most 50 years ahead (RFC 9110, section 5.6.7). */
function fullYear(year: string, nowMs: number): number {
  if (year.length > 2) return Number(year);
  const now = new Date(nowMs).getUTCFullYear();
  const inThisCentury = now - (now % 100) + Number(year);
  return inThisCentury > now + 50 ? inThisCentury - 100 : inThisCentury;
}
