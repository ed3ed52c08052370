/** Days of decisions, and of facts -> words. */

import { daysBetween } from '../../facts/day.ts';
import { count } from '../../text.ts';

/** From a day on, to a last day, or on that day alone. */
export function daysWords(firstDay: string, { lastDay }: { readonly lastDay?: string }): string {
  if (lastDay === undefined) return `from ${firstDay} on`;
  return lastDay === firstDay ? `on ${firstDay}` : `from ${firstDay} to ${lastDay}`;
}

/** `7 days before`: before the day of the decision, which may be long ago itself. */
export function ageWords(of: string, day: string): string {
  const age = daysBetween(of, day);
  if (age === 0) return 'the same day';
  return age < 0 ? `${count(-age, 'day')} later` : `${count(age, 'day')} before`;
}
