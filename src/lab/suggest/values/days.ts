/** Texts and numbers that are days -> the formats that read them, and the days. */

import { isCalendarDay } from '../../../facts/day.ts';
import type { DayFormat } from '../../../facts/mapping/value/day-format.ts';
import { DAY_FORMATS, readDayAs } from '../../../facts/mapping/value/day-format.ts';
import type { Scalar } from '../../../facts/mapping/value/spelling-key.ts';

/** Separators of numeric dates that somewhere in the answers have the day first, or the month first. */
export interface DayOrder {
  readonly dayFirst: ReadonlySet<string>;
  readonly monthFirst: ReadonlySet<string>;
}

/** How a set of values is read as days. */
export interface DaySeries {
  /** For `formats`; empty if the default formats of a mapping suffice. */
  readonly formats: readonly string[];
  /** The day of each value that can be read, by its text. */
  readonly days: ReadonlyMap<string, string>;
  /** Day or month first: irrelevant, shown by these values, shown only by other dates in the answers, or unknown. */
  readonly order: 'irrelevant' | 'shown' | 'elsewhere' | 'open';
  /** The number of values without a day of the month: `2019-03`. */
  readonly partial: number;
  /** Whether a mapping can read all of them. */
  readonly isSupported: boolean;
}

/** Day and month as numbers, in either order. */
const NUMERIC = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/;

/** Finds the dates that show the order: those with a number above 12. */
export function findDayOrder(texts: Iterable<string>): DayOrder {
  const dayFirst = new Set<string>();
  const monthFirst = new Set<string>();
  for (const text of texts) {
    if (text.length > 500) continue;
    for (const part of text.split(/[;,|\s]+/)) {
      const [, first, mark = '', second, year] = NUMERIC.exec(part) ?? [];
      if (Number(first) > 12 && isCalendarDay(Number(year), Number(second), Number(first))) dayFirst.add(mark);
      if (Number(second) > 12 && isCalendarDay(Number(year), Number(first), Number(second))) monthFirst.add(mark);
    }
  }
  return { dayFirst, monthFirst };
}

/** Reads values as dates; undefined if one of them is not a date. `isAge`: the values are numbers of days ago. */
export function readDays(values: readonly Scalar[], order: DayOrder, isAge = false): DaySeries | undefined {
  const texts = [...new Set(values.map((value) => String(value).trim()))];
  const isPadded = texts.some((text) => NUMERIC.test(text) && /\b0\d\b/.test(text));
  const formats = new Set<string>();
  const days = new Map<string, string>();
  let partial = 0;
  for (const text of texts) {
    const format = isAge ? 'daysAgo' : (formatOf(text) ?? numericFormat(text, order, isPadded));
    if (format === undefined) {
      if (!isPartial(text)) return undefined;
      partial++;
      continue;
    }
    formats.add(format);
    if (!isSupported(format)) continue;
    const day = readDayAs(text, { formats: [format], partial: undefined, past: false, today: ANY_DAY });
    if (day === undefined) return undefined;
    if (!isAge) days.set(text, day);
  }
  return {
    formats: [...formats].every((format) => DEFAULT_FORMATS.has(format)) ? [] : [...formats],
    days,
    order: texts.some((text) => NUMERIC.test(text)) ? orderOf(texts, order) : 'irrelevant',
    partial,
    isSupported: [...formats].every(isSupported),
  };
}

/** `readDayAs` needs a day to count back from; whether an age can be read does not depend on it. */
const ANY_DAY = '2000-01-01';
/** The formats that a mapping reads by default. */
const DEFAULT_FORMATS: ReadonlySet<string> = new Set(['yyyy-MM-dd', 'isoDateTime']);

const isSupported = (format: string): format is DayFormat => DAY_FORMATS.some((one) => one === format);

/** Formats with a recognisable pattern; the first match counts. */
const PATTERNS: readonly (readonly [format: string, pattern: RegExp])[] = [
  ['yyyy-MM-dd', /^\d{4}-\d{2}-\d{2}$/],
  ['isoDateTime', /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}/],
  ['yyyy/MM/dd', /^\d{4}\/\d{2}\/\d{2}$/],
  ['yyyyMMdd', /^(?:19|20)\d{6}$/],
  ['d MMM yyyy', /^\d{1,2}[ -]\p{L}{3,9}\.?[ -]\d{4}$/u],
  ['MMM d yyyy', /^\p{L}{3,9}\.? \d{1,2},? \d{4}$/u],
  // The number of digits distinguishes the two for the years 1973 to 2096.
  ['epochSeconds', /^[1-3]?\d{9}(?:\.\d+)?$/],
  ['epochMillis', /^[1-3]?\d{12}(?:\.\d+)?$/],
  // Dates that no mapping can read: recognised to ask the vendor for another form.
  ['a date with a time', /^\d{1,2}[/.-]\d{1,2}[/.-]\d{4}[ T]\d{1,2}:\d{2}/],
  ['a year of two digits', /^\d{1,2}[/.-]\d{1,2}[/.-]\d{2}$/],
];

function formatOf(text: string): string | undefined {
  return text.length > 60 ? undefined : PATTERNS.find(([, pattern]) => pattern.test(text))?.[0];
}

function numericFormat(text: string, order: DayOrder, isPadded: boolean): string | undefined {
  const [, first, mark = '', second, year] = NUMERIC.exec(text) ?? [];
  const isMonthFirst = order.monthFirst.has(mark) && !order.dayFirst.has(mark);
  const [day, month] = isMonthFirst ? [second, first] : [first, second];
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return undefined;
  const parts = isPadded ? ['dd', 'MM'] : ['d', 'M'];
  const format = [...(isMonthFirst ? parts.toReversed() : parts), 'yyyy'].join(mark);
  return isSupported(format) ? format : format.replace(/\bd\b/, 'dd').replace(/\bM\b/, 'MM');
}

function orderOf(texts: readonly string[], all: DayOrder): DaySeries['order'] {
  const marks = texts.flatMap((text) => NUMERIC.exec(text)?.[2] ?? []);
  const isKnown = ({ dayFirst, monthFirst }: DayOrder) =>
    marks.every((mark) => dayFirst.has(mark) !== monthFirst.has(mark));
  if (!isKnown(all)) return 'open';
  return isKnown(findDayOrder(texts)) ? 'shown' : 'elsewhere';
}

/** A year, or a year and a month. */
function isPartial(text: string): boolean {
  return /^(?:19|20)\d{2}(?:[-/](?:0[1-9]|1[0-2]))?$/.test(text);
}
