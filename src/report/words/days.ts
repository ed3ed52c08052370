/** Days of decisions -> words. */

/** From a day on, to a last day, or on that day alone. */
export function daysWords(firstDay: string, { lastDay }: { readonly lastDay?: string }): string {
  if (lastDay === undefined) return `from ${firstDay} on`;
  return lastDay === firstDay ? `on ${firstDay}` : `from ${firstDay} to ${lastDay}`;
}
