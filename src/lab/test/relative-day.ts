/** A text such as `7 days ago` -> the day that it means, seen from another day. */

import { dayNumber, dayOfNumber, dayWithYears } from '../../facts/day.ts';
import type { JsonSchema } from '../../facts/json-schema.ts';

const NAMED: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

const AGO = /^(\d{1,6}) (day|week|year)s? ago$/;
const AHEAD = /^in (\d{1,6}) (day|week)s?$/;

/** The form of a relative day, for editors. */
export const RELATIVE_DAY: JsonSchema = {
  type: 'string',
  pattern: `^(${Object.keys(NAMED).join('|')}|\\d{1,6} (day|week|year)s? ago|in \\d{1,6} (day|week)s?)$`,
  patternErrorMessage: 'A day is expected: yyyy-MM-dd, today, "7 days ago" or "in 3 weeks".',
  examples: ['today', '7 days ago', '18 years ago', 'in 3 days'],
};

/**
 * Moves a day as a text says; undefined for any other text. Years are completed ones: somebody born 18 years ago is 18
 * today. A day that the calendar does not have gives a text that is no day.
 */
export function readRelativeDay(text: string): ((day: string) => string) | undefined {
  const by = (days: number) => (day: string) => dayOfNumber(dayNumber(day) + days);
  const named = Object.hasOwn(NAMED, text) ? NAMED[text] : undefined;
  if (named !== undefined) return by(named);
  const [, ago, unitAgo] = AGO.exec(text) ?? [];
  if (unitAgo === 'year') return (day) => dayOfNumber(dayWithYears(Number(ago), day));
  if (ago !== undefined) return by(-Number(ago) * daysOf(unitAgo));
  const [, ahead, unitAhead] = AHEAD.exec(text) ?? [];
  return ahead === undefined ? undefined : by(Number(ahead) * daysOf(unitAhead));
}

function daysOf(unit: string | undefined): number {
  return unit === 'week' ? 7 : 1;
}
