/** Completed years between days, held against a comparison of years, months and days, around every leap day. */

import { expect, test } from 'vitest';
import { completedYears, dayNumber, dayOfNumber, dayWithYears, lastDayWithYears } from '../../src/facts/day.ts';

/** Days around the end of February in years that are leap years by each of the rules, and in common years. */
const DAYS = [1900, 1996, 1999, 2000, 2001, 2004, 2023, 2024, 2026, 2100, 2400].flatMap((year) =>
  [-3, -2, -1, 0, 1, 2].map((n) => dayOfNumber(dayNumber(`${year}-03-01`) + n)),
);

const plainYears = (from: string, to: string) =>
  Number(to.slice(0, 4)) - Number(from.slice(0, 4)) - (to.slice(5) < from.slice(5) ? 1 : 0);

test('completed years are the difference of the years, less one before the day of the year', () => {
  for (const from of DAYS) {
    for (const to of DAYS) {
      expect([from, to, completedYears(dayNumber(from), dayNumber(to))]).toEqual([from, to, plainYears(from, to)]);
    }
  }
});

test('the last day with a number of years has it, and the day after has one less', () => {
  for (const day of DAYS) {
    for (const years of [-5, -4, -1, 0, 1, 3, 4, 18, 100]) {
      const [last, today] = [lastDayWithYears(years, day), dayNumber(day)];
      expect([last, last + 1, dayWithYears(years, day)].map((from) => completedYears(from, today))).toEqual([
        years,
        years - 1,
        years,
      ]);
    }
  }
});
