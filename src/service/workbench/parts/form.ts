/** What a form asks for -> its fields, each with a label. */

import type { Child, Markup, ServedAttributes } from '../../../report/html/markup.ts';
import * as h from '../../../report/html/markup.ts';
import * as s from '../../../report/html/served.ts';
import { type Reader, tokenField } from './frame.ts';

/** A form that changes something: its answer is another page. */
export function actionForm(
  { csrf }: Reader,
  { action, look, ...rest }: { readonly action: string; readonly look?: string; readonly id?: string },
  ...fields: readonly Child[]
): Markup {
  const classes = look === undefined ? {} : { class: look };
  return s.form({ method: 'post', action, ...classes, ...rest }, tokenField(csrf), fields);
}

/** A button that sends its form. */
export function submit(words: string, more: ServedAttributes = {}): Markup {
  return s.button({ type: 'submit', ...more }, words);
}

/** A field with its label above it. */
export function field(id: string, title: string, input: Child): Markup {
  return h.div({ class: 'field' }, s.label({ for: id }, title), input);
}

/** One line of text. */
export function textField(name: string, title: string, more: ServedAttributes = {}): Markup {
  const id = more.id ?? name;
  return field(id, title, s.input({ type: 'text', autocomplete: 'off', maxlength: 200, ...more, id, name }));
}

/** A choice of one; the first entry is chosen if no other is. */
export function choice(
  name: string,
  title: string,
  options: readonly (readonly [value: string, words: string])[],
  chosen?: string,
  id = name,
): Markup {
  const entries = options.map(([value, words]) => s.option({ value, selected: value === chosen }, words));
  return field(id, title, s.select({ id, name }, entries));
}

/** A field for why something is done, which goes on record. */
export function whyField(id: string, title: string, text = ''): Markup {
  return field(id, title, s.textarea({ id, name: 'why', rows: 2, maxlength: 2000, required: true }, text));
}
