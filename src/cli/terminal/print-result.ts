/** The result of a command -> text, JSON or a page, as its options ask. */

import type { Styler } from '../../report/words/style.ts';
import { type Io, stylerFor, write, writeJson } from '../io.ts';
import { type PageOptions, writePageFile } from '../options/html.ts';

/** A result in each form; only the form that is printed is computed. */
export interface Result {
  data(): unknown;
  text(style: Styler): string | Promise<string>;
  page?(): Promise<string>;
}

/** Prints a result: a page with `--html`, JSON with `--format json`, text otherwise. */
export async function printResult(
  io: Io,
  { format, html }: PageOptions & { readonly format: 'text' | 'json' },
  { data, text, page }: Result,
): Promise<void> {
  if (html !== undefined && page) await writePageFile(html, await page(), io);
  else if (format === 'json') await writeJson(io.stdout, data());
  else await write(io.stdout, await text(stylerFor(io.stdout, io.env)));
}
