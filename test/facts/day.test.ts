/** Completed years between days, held against a comparison of years, months and days, around every leap day. */

import { expect, test } from 'vitest';
import {
  completedYears,
  dayNumber,
  dayOfInstant,
  dayOfNumber,
  dayWithYears,
  lastDayWithYears,
} from '../../src/facts/day.ts';

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

test.each([
  ['2026-11-20T04:59:59.999Z', 'America/New_York', '2026-11-19'],
  ['2026-11-20T05:00:00.000Z', 'America/New_York', '2026-11-20'],
  // In summer the clocks are an hour ahead.
  ['2026-07-01T04:00:00.000Z', 'America/New_York', '2026-07-01'],
  ['2026-11-01T03:59:59.999Z', 'America/New_York', '2026-10-31'],
  ['2026-11-20T10:00:00.000Z', 'Pacific/Kiritimati', '2026-11-21'],
  ['2026-11-20T18:15:00.000Z', 'Asia/Kathmandu', '2026-11-21'],
  ['2026-11-20T18:14:59.999Z', 'Asia/Kathmandu', '2026-11-20'],
  ['2026-11-20T23:59:59.999Z', 'UTC', '2026-11-20'],
])('%s is in %s on %s', (instant, zone, day) => expect(dayOfInstant(Date.parse(instant), zone)).toBe(day));
