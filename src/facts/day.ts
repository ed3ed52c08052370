/** Calendar days (proleptic Gregorian) as yyyy-MM-dd texts and as day numbers, independent of clock and time zone. */

import { type Kind, readArgument } from '../platform/given/options.ts';

/** No date is earlier. */
export const FIRST_DAY = '0001-01-01';

/** No date is later. */
export const LAST_DAY = '9999-12-31';

/** The zone of days that no policy gives another one. */
export const UTC = 'UTC';

const FORM = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Whether a text is a calendar day that exists, written yyyy-MM-dd, from 0001-01-01 to 9999-12-31. */
export function isDay(text: string): boolean {
  const match = FORM.exec(text);
  return match !== null && isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3]));
}

/** A calendar day, yyyy-MM-dd. */
export const DAY: Kind = {
  expected: 'a calendar day that exists, as a text yyyy-MM-dd',
  is: (value) => typeof value === 'string' && isDay(value),
};

/** Checks the day of a decision. Throws REQUEST_INVALID if it is not a day as defined by `isDay`. */
export function readDay(day: string): string {
  return readArgument('the day', DAY, day);
}

/** Whether year (1 to 9999), month (1 to 12) and day of the month name a calendar day that exists. */
export function isCalendarDay(year: number, month: number, day: number): boolean {
  return year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** The yyyy-MM-dd text of a calendar day. */
export function formatDay(year: number, month: number, day: number): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** The day number of a yyyy-MM-dd text: days since 1970-01-01. INVARIANT: `isDay(text)`. */
export function dayNumber(text: string): number {
  // Uses character codes for speed: matchers convert every date of every applicant.
  const digits = (from: number, count: number) => {
    let number = 0;
    for (let i = from; i < from + count; i++) number = number * 10 + text.charCodeAt(i) - 48;
    return number;
  };
  return daysFromCivil(digits(0, 4), digits(5, 2), digits(8, 2));
}

/** The yyyy-MM-dd text of a day number between 0001-01-01 and 9999-12-31. */
export function dayOfNumber(days: number): string {
  // The inverse of `daysFromCivil`: eras of 400 years, and years that begin on 1 March.
  const shifted = days + DAYS_TO_1970;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return formatDay(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day);
}

/** The day of an instant, in milliseconds since 1970, in a zone. */
export function dayOfInstant(epochMs: number, zone: string = UTC): string {
  return dayOfNumber(Math.floor((epochMs + offsetAt(epochMs, zone)) / 86_400_000));
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(epochMs: number, zone: string): number {
  if (zone === UTC) return 0;
  const format = FORMATS.get(zone) ?? new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  FORMATS.set(zone, format);
  const [, sign, ...parts] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(format.format(epochMs)) ?? [];
  const [hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0));
  return (sign === '-' ? -1000 : 1000) * (3600 * hours + 60 * minutes + seconds);
}

/** The name of a time zone as the database of IANA has it; undefined if there is none, however it is spelled. */
export function timeZoneNamed(text: string): string | undefined {
  if (!/^[A-Za-z][\w+/-]*$/.test(text)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    // Another name of a zone is kept.
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}

/** The instant, in milliseconds since 1970, of a day's midnight UTC. */
export function instantOfDay(day: string): number {
  return dayNumber(day) * 86_400_000;
}

/** Whole days from `from` to `to`, both yyyy-MM-dd; negative where `to` is earlier. */
export function daysBetween(from: string, to: string): number {
  return dayNumber(to) - dayNumber(from);
}

/**
 * Completed years from one day number to another, negative where `to` is earlier: from tomorrow to today it is -1. A
 * person born on 29 February completes a year on 1 March of a common year.
 */
export function completedYears(from: number, to: number): number {
  return Math.floor((anniversaryNumber(to) - anniversaryNumber(from)) / DAYS_OF_LONGEST_YEAR);
}

/** Every year counts as long as the longest, so that a calendar day has the same number in each year. */
export const DAYS_OF_LONGEST_YEAR = 366;

/** The number of a day when years begin on 1 March, so that 29 February is the last day, and each has 366 numbers. */
export function anniversaryNumber(days: number): number {
  // The same algorithm as `writeAnniversary` in decision/sql/operators.ts: the days of a century, then of a year.
  const shifted = days + DAYS_TO_1970;
  const century = Math.floor((4 * shifted + 3) / 146_097);
  const dayOfCentury = shifted - Math.floor((146_097 * century) / 4);
  const year = Math.floor((4 * dayOfCentury + 3) / 1461);
  return DAYS_OF_LONGEST_YEAR * (100 * century + year) + dayOfCentury - Math.floor((1461 * year) / 4);
}

/** The days from 0000-03-01 to 1970-01-01. */
export const DAYS_TO_1970 = 719_468;

/** The day number of the latest date that lies `years` completed years before `day`; it may be out of range. */
export function dayWithYears(years: number, day: string): number {
  // For a later date: the day after the last one with a year more.
  return years < 0 ? lastDayWithYears(years + 1, day) + 1 : lastDayWithYears(years, day);
}

/** The day number of the last date from which `years` years are completed on `day`: 29 February may become the 28th. */
export function lastDayWithYears(years: number, day: string): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return daysFromCivil(year - years, month, Math.min(date, daysInMonth(year - years, month)));
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - DAYS_TO_1970;
}
