/** A day as an answer writes it, and the allowed formats -> yyyy-MM-dd, independent of clock and time zone. */

import { trimWhiteSpace } from '../../../text.ts';
import { dayNumber, dayOfInstant, dayOfNumber, FIRST_DAY, formatDay, isCalendarDay, LAST_DAY } from '../../day.ts';

/**
 * Days written as year, month and day: `dd` and `MM` are two digits, `d` and `M` one or two, `MMM` is the English name
 * of a month, in full or by its first three letters.
 */
const CALENDAR_FORMATS = [
  'yyyy-MM-dd',
  'yyyy/MM/dd',
  'yyyyMMdd',
  'dd/MM/yyyy',
  'd/M/yyyy',
  'MM/dd/yyyy',
  'M/d/yyyy',
  'dd.MM.yyyy',
  'd.M.yyyy',
  'dd-MM-yyyy',
  'd MMM yyyy',
  'MMM d yyyy',
] as const;

type CalendarFormat = (typeof CALENDAR_FORMATS)[number];

/** The formats in which a day can be written. */
export const DAY_FORMATS = [
  'yyyy-MM-dd',
  'isoDateTime',
  ...CALENDAR_FORMATS.slice(1),
  'epochMillis',
  'epochSeconds',
  'daysAgo',
] as const;
export type DayFormat = (typeof DAY_FORMATS)[number];

/** The formats of a signal whose mapping names none. */
export const USUAL_DAY_FORMATS: readonly DayFormat[] = ['yyyy-MM-dd', 'isoDateTime'];

/** Formats that read the same texts as different days. */
export const RIVAL_FORMATS: readonly (readonly [readonly DayFormat[], readonly DayFormat[]])[] = [
  [
    ['dd/MM/yyyy', 'd/M/yyyy'],
    ['MM/dd/yyyy', 'M/d/yyyy'],
  ],
];

/** Which day a month or year without a day means: its first or its last. */
export const PARTIALS = ['earliest', 'latest'] as const;
export type PartialDay = (typeof PARTIALS)[number];

/** How a day is read. */
export interface DayReading {
  readonly formats: readonly DayFormat[];
  readonly partial: PartialDay | undefined;
  /** Whether the day cannot be after the day of the decision. */
  readonly past: boolean;
  /** The day of the decision, yyyy-MM-dd. */
  readonly today: string;
}

/** No format has longer texts: the longest ISO date and time is half as long. */
const MAX_LENGTH = 60;

/** Undefined if the value is in none of the formats, or names a day that does not exist. */
export function readDayAs(raw: unknown, { formats, partial, past, today }: DayReading): string | undefined {
  const text = textOf(raw);
  if (text === undefined) return undefined;
  for (const format of formats) {
    const day = canBePartial(format) ? readCalendarDay(text, format) : OTHER_READERS[format](text, today);
    if (day !== undefined) return day;
  }
  if (partial === undefined) return undefined;
  for (const format of formats.filter(canBePartial)) {
    const period = readPeriod(text, format);
    if (period) return partial === 'earliest' ? period.first : lastOf(period, past, today);
  }
  return undefined;
}

/** The earliest date of .NET and of SQL databases, an old default of databases, the Unix epoch. */
const NO_DATES = ['0001-01-01', '1900-01-01', '1970-01-01'];

/** The epoch in a time zone west of Greenwich. */
const EPOCH_IN_THE_WEST = '1969-12-31';

/** Whether a service writes the day for "no date". */
export function isNoDate(day: string, { past }: Pick<DayReading, 'past'>): boolean {
  return NO_DATES.includes(day) || (past && day === EPOCH_IN_THE_WEST);
}

/** Whether a format can be written without its day, as a month or year. */
export function canBePartial(format: DayFormat): format is CalendarFormat {
  return CALENDAR_FORMATS.some((one) => one === format);
}

function textOf(raw: unknown): string | undefined {
  if (typeof raw === 'number') return String(raw);
  if (typeof raw !== 'string' || raw.length > 2 * MAX_LENGTH) return undefined;
  const text = trimWhiteSpace(raw);
  return text.length <= MAX_LENGTH ? text : undefined;
}

/** ISO 8601; a space may replace the T (RFC 3339, section 5.6); seconds, fraction and offset are optional. */
const ISO_DATE_TIME = new RegExp(
  String.raw`^(\d{4})-(\d{2})-(\d{2})[Tt ]` +
    String.raw`([01]\d|2[0-4]):([0-5]\d)(?::[0-5]\d|:60)?(?:[.,]\d{1,9})?` +
    String.raw`(?:[Zz]|([+-])([01]\d)(?::?([0-5]\d))?)?$`,
);

const NUMERAL = /^\d{1,15}(?:\.\d{1,9})?$/;

/**
 * Seconds and milliseconds of the days from 1973-03-03 to 2286-11-20. The ranges do not overlap, so no instant is
 * read in the wrong unit. 0 and similar values, which services write for "no date", are in neither range.
 */
const EPOCH_SECONDS = [1e8, 1e10] as const;
const EPOCH_MILLIS = [1e11, 1e13] as const;

/** Up to 273 years: older than any record. */
const DAYS_AGO = /^\d{1,5}$/;
const LEAST = dayNumber(FIRST_DAY);
const MOST = dayNumber(LAST_DAY);

const OTHER_READERS: Readonly<
  Record<Exclude<DayFormat, CalendarFormat>, (text: string, today: string) => string | undefined>
> = {
  isoDateTime: readDateTime,
  epochMillis: (text) => readInstant(text, EPOCH_MILLIS, 1),
  epochSeconds: (text) => readInstant(text, EPOCH_SECONDS, 1000),
  daysAgo: (text, today) => {
    const day = DAYS_AGO.test(text) ? dayNumber(today) - Number(text) : Number.NaN;
    return day >= LEAST ? dayOfNumber(day) : undefined;
  },
};

/** The UTC day of a date and a time; without an offset they are UTC. A day for "no date" is that day at any offset. */
function readDateTime(text: string): string | undefined {
  const [, year, month, day, hour, minute, sign, ...offset] = ISO_DATE_TIME.exec(text) ?? [];
  const written = dayOf(year, month, day);
  if (written === undefined || NO_DATES.includes(written)) return written;
  const ahead = (sign === '-' ? -1 : 1) * minutesOf(offset);
  const days = dayNumber(written) + Math.floor((minutesOf([hour, minute]) - ahead) / MINUTES_OF_DAY);
  return days >= LEAST && days <= MOST ? dayOfNumber(days) : undefined;
}

const MINUTES_OF_DAY = 24 * 60;

function minutesOf([hours = '0', minutes = '0']: readonly (string | undefined)[]): number {
  return Number(hours) * 60 + Number(minutes);
}

function readInstant(text: string, [from, before]: readonly [number, number], unitMs: number): string | undefined {
  const instant = NUMERAL.test(text) ? Number(text) : Number.NaN;
  return instant >= from && instant < before ? dayOfInstant(instant * unitMs) : undefined;
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/** By full name, by its first three letters, and `sept`. */
const MONTH_NUMBERS: ReadonlyMap<string, number> = new Map([
  ...MONTHS.flatMap((name, i) => [[name, i + 1] as const, [name.slice(0, 3), i + 1] as const]),
  ['sept', 9],
]);

function readCalendarDay(text: string, format: CalendarFormat): string | undefined {
  const { year, month, day } = PATTERNS[format].whole.exec(text)?.groups ?? {};
  return dayOf(year, month, day);
}

function dayOf(year = '', month = '', day = ''): string | undefined {
  const [y, m, d] = [Number(year), monthOf(month), Number(day)];
  return isCalendarDay(y, m, d) ? formatDay(y, m, d) : undefined;
}

/** 0, which is not a month, for an unknown name. */
function monthOf(month: string): number {
  return /^\d/.test(month) ? Number(month) : (MONTH_NUMBERS.get(month.toLowerCase()) ?? 0);
}

interface Period {
  readonly first: string;
  readonly last: string;
}

/** Reads a month or a year, written like the format without its day. */
function readPeriod(text: string, format: CalendarFormat): Period | undefined {
  const { month, year } = PATTERNS[format];
  const groups = month.exec(text)?.groups ?? year.exec(text)?.groups;
  if (!groups) return undefined;
  const y = Number(groups['year']);
  const isYear = groups['month'] === undefined;
  const m = isYear ? 1 : monthOf(groups['month'] ?? '');
  if (!isCalendarDay(y, m, 1)) return undefined;
  const lastMonth = isYear ? 12 : m;
  const lastDay = [31, 30, 29].find((day) => isCalendarDay(y, lastMonth, day)) ?? 28;
  return { first: formatDay(y, m, 1), last: formatDay(y, lastMonth, lastDay) };
}

/** The last day of the period; for a `past` date in the current period, today. */
function lastOf({ first, last }: Period, past: boolean, today: string): string {
  return past && first <= today && today < last ? today : last;
}

const PARTS: Readonly<Record<string, string>> = {
  yyyy: '(?<year>\\d{4})',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  MMM: '(?<month>[a-z]{3,9})\\.?',
  dd: '(?<day>\\d{2})',
  d: '(?<day>\\d{1,2})',
  // Only next to the name of a month, where no separator is ambiguous: `14-Mar-2019`, `Mar 14, 2019`.
  ' ': '(?:, ?|[ -])',
};

/** The patterns of a format: the whole day, its month without a day, its year alone. */
interface Patterns {
  readonly whole: RegExp;
  readonly month: RegExp;
  readonly year: RegExp;
}

const PATTERNS = Object.fromEntries(
  CALENDAR_FORMATS.map((format) => {
    const withoutDay = format.replace(/\W?d+$|d+\W?/, '');
    return [format, { whole: patternOf(format), month: patternOf(withoutDay), year: patternOf('yyyy') }];
  }),
) as Readonly<Record<CalendarFormat, Patterns>>;

function patternOf(format: string): RegExp {
  const source = format.replace(/y+|M+|d+|\W/g, (part) => PARTS[part] ?? `\\${part}`);
  return new RegExp(`^${source}$`, 'i');
}
