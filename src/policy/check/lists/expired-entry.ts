/** Lists with entries whose last day is over -> a warning each, at the first of them. */

import { count } from '../../../text.ts';
import type { Check } from '../context.ts';

export function checkExpiredEntries({ lists, day, warn }: Check): void {
  for (const { name, entries } of lists) {
    const expired = entries.filter(({ written: { until } }) => until !== undefined && until < day);
    const more = expired.length > 1 ? `, and so have ${count(expired.length - 1, 'more')} of the list` : '';
    const message = `this entry of the list "${name}" expired on ${expired[0]?.written.until}${more}`;
    warn(expired[0]?.span, 'expired-entry', message, 'remove it, or write a later day');
  }
}
