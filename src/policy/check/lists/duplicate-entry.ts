/** Entries that their list has already -> a warning each. */

import type { Check } from '../context.ts';
import { entriesByValue, valuesOf } from './read-entries.ts';

/** More of one list help nobody. */
const MAX_REPORTED = 10;

export function checkDuplicateEntries({ lists, warn }: Check): void {
  for (const list of lists) {
    if (valuesOf(list.list).size === list.entries.length) continue;
    const repeated = [...entriesByValue(list).values()].flatMap(([first, ...others]) =>
      others.map((other) => ({ other, first })),
    );
    for (const { other, first } of repeated.slice(0, MAX_REPORTED)) {
      const message = `the list "${list.name}" has this entry twice`;
      const days = [first, other].filter((entry) => entry?.written.until !== undefined).length;
      const hint = days > 0 ? 'remove one; the one with the later last day counts, or the one without' : 'remove one';
      const related = first && { at: first.span, message: 'the entry is here too' };
      warn(other.span, 'duplicate-entry', message, hint, related);
    }
  }
}
