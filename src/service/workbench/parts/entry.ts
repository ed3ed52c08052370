/** Values of a decision and lists that take them -> a form that proposes one more entry. */

import { type Child, p } from '../../../report/html/markup.ts';
import * as s from '../../../report/html/served.ts';
import { RELEASES } from '../words/releases.ts';
import { actionForm, choice, field, submit, whyField } from './form.ts';
import type { Reader } from './frame.ts';

/** A value of a decision, and a list with a file that it can be added to. */
export interface ListEntry {
  readonly fact: string;
  readonly list: string;
  readonly file: string;
}

export function entryForm(decision: string, entries: readonly ListEntry[], reader: Reader): Child {
  if (entries.length === 0) return undefined;
  const options = entries.map(({ fact, list }) => [`${fact} ${list}`, RELEASES.entryOption(fact, list)] as const);
  return actionForm(
    reader,
    { action: `/decisions/${decision}/list` },
    p(RELEASES.entryWhy),
    choice('entry', RELEASES.entryWhat, options, undefined, 'entry-value'),
    field('entry-until', RELEASES.until, s.input({ type: 'date', id: 'entry-until', name: 'until' })),
    whyField('entry-why', RELEASES.why),
    submit(RELEASES.entry),
  );
}
