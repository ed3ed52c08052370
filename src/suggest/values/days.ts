/** Texts and numbers in which services write days -> the formats that read them, and the days. */

import { isCalendarDay } from '../../facts/day.ts';
import type { DayFormat } from '../../facts/mapping/value/day-format.ts';
import { DAY_FORMATS, readDayAs } from '../../facts/mapping/value/day-format.ts';
import type { Scalar } from '../../facts/mapping/value/spelling-key.ts';

/** What of all the answers tells whether days or months stand first, by the mark between them. */
export interface DayOrder {
  /** Marks between the parts of a date that can only be read with the day, or the month, in front. */
  readonly dayFirst: ReadonlySet<string>;
  readonly monthFirst: ReadonlySet<string>;
}

/** How a set of values is to be read as days. */
export interface DaySeries {
  /** For `formats`; empty where what is read without it will do. */
  readonly formats: readonly string[];
  /** The day of each value, by its text, where it can be told. */
  readonly days: ReadonlyMap<string, string>;
  /** Days first or months first: of no account, shown by these values, only by other dates of the answers, or by none. */
  readonly order: 'plain' | 'shown' | 'elsewhere' | 'open';
  /** How many lack the day: `2019-03`. */
  readonly partial: number;
  /** Whether there is a format for each of them. */
  readonly supported: boolean;
}

/** Day and month by numbers, which could change places. */
const NUMERIC = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/;

/** Looks at every text of the answers for what shows the order. */
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

/** Reads the values of a date; undefined where one of them is none. `isAge` where the name says that they are days ago. */
export function readDays(values: readonly Scalar[], order: DayOrder, isAge = false): DaySeries | undefined {
  const texts = [...new Set(values.map((value) => String(value).trim()))];
  const numeric = texts.flatMap((text) => NUMERIC.exec(text) ?? []);
  const isPadded = texts.some((text) => NUMERIC.test(text) && /\b0\d\b/.test(text));
  const formatOf = (text: string) => (isAge ? 'daysAgo' : (plainFormat(text) ?? numericFormat(text, order, isPadded)));
  const formats = new Set<string>();
  const days = new Map<string, string>();
  let partial = 0;
  for (const text of texts) {
    const format = formatOf(text);
    if (format === undefined && !isPartial(text)) return undefined;
    if (format === undefined) partial++;
    else formats.add(format);
    const day = isFormat(format)
      ? readDayAs(text, { formats: [format], partial: undefined, past: false, today: ANY_DAY })
      : undefined;
    if (isFormat(format) && day === undefined) return undefined;
    if (day !== undefined && !isAge) days.set(text, day);
  }
  return {
    formats: [...formats].every((format) => USUAL.has(format)) ? [] : [...formats],
    days,
    order: numeric.length === 0 ? 'plain' : orderOf(texts, order),
    partial,
    supported: [...formats].every(isFormat),
  };
}

const ANY_DAY = '2000-01-01';
/** Both are read where a mapping says nothing. */
const USUAL: ReadonlySet<string> = new Set(['yyyy-MM-dd', 'isoDateTime']);

const isFormat = (format: string | undefined): format is DayFormat => DAY_FORMATS.some((one) => one === format);

/** Formats that are known by their looks, the first that fits. */
const LOOKS: readonly (readonly [format: string, looks: RegExp])[] = [
  ['yyyy-MM-dd', /^\d{4}-\d{2}-\d{2}$/],
  ['isoDateTime', /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}/],
  ['yyyy/MM/dd', /^\d{4}\/\d{2}\/\d{2}$/],
  ['yyyyMMdd', /^(?:19|20)\d{6}$/],
  ['d MMM yyyy', /^\d{1,2}[ -]\p{L}{3,9}\.?[ -]\d{4}$/u],
  ['MMM d yyyy', /^\p{L}{3,9}\.? \d{1,2},? \d{4}$/u],
  // By their size: seconds and milliseconds of the years 1973 to 2096 have nothing in common.
  ['epochSeconds', /^[1-3]?\d{9}(?:\.\d+)?$/],
  ['epochMillis', /^[1-3]?\d{12}(?:\.\d+)?$/],
  // No version reads these; that they are dates is plain all the same.
  ['a date with a time', /^\d{1,2}[/.-]\d{1,2}[/.-]\d{4}[ T]\d{1,2}:\d{2}/],
  ['a year of two digits', /^\d{1,2}[/.-]\d{1,2}[/.-]\d{2}$/],
];

function plainFormat(text: string): string | undefined {
  return text.length > 60 ? undefined : LOOKS.find(([, looks]) => looks.test(text))?.[0];
}

function numericFormat(text: string, order: DayOrder, isPadded: boolean): string | undefined {
  const [, first, mark = '', second, year] = NUMERIC.exec(text) ?? [];
  const isMonthFirst = order.monthFirst.has(mark) && !order.dayFirst.has(mark);
  const [day, month] = isMonthFirst ? [second, first] : [first, second];
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return undefined;
  const parts = isPadded ? ['dd', 'MM'] : ['d', 'M'];
  const padded = [...(isMonthFirst ? parts.toReversed() : parts), 'yyyy'].join(mark);
  return isFormat(padded) ? padded : padded.replace(/\bd\b/, 'dd').replace(/\bM\b/, 'MM');
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
