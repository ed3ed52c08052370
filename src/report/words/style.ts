/** The styles of words; the front end that prints them decides how they look. */

import type { RecordedOutcome } from '../../audit/entry/entry.ts';

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

/** Styles a text; returns it unchanged if the output has no styles. */
export type Styler = (style: Style, text: string) => string;

export const OUTCOME_STYLES: Readonly<Record<RecordedOutcome, Style>> = {
  ...{ accept: 'green', review: 'yellow', reject: 'red' },
  aborted: 'dim',
};
