/** The result of a command -> text, JSON, CSV and a page, and the exit code. */

import type { Styler } from '../report/outline.ts';
import { type Io, say, stylerFor, write, writeJson } from './io.ts';
import { writePageFile } from './options/html.ts';

/** A result in each form; only the forms that are asked for are computed. */
export interface Result {
  /** Of every format without a form of its own. */
  text(style: Styler): string | Promise<string>;
  data?(): unknown;
  csv?(): string | Promise<string>;
  /** Of `--html`. */
  page?(): Promise<string>;
  /** Said beside JSON and CSV, for people; the text has it itself. */
  readonly footer?: string;
  /** Default: done. */
  readonly exitCode?: number;
}

/** Ends a command: prints its result in the format of the options, writes the page, and sets the exit code. */
export async function endWith(
  io: Io,
  { format, html }: { readonly format: string; readonly html?: string | undefined },
  { text, data, csv, page, footer = '', exitCode }: Result,
): Promise<void> {
  if (format === 'json' && data) await writeJson(io.stdout, await data());
  else if (format === 'csv' && csv) await write(io.stdout, await csv());
  else await write(io.stdout, await text(stylerFor(io.stdout, io.env)));
  if (format !== 'text') await say(io.stderr, footer);
  if (html !== undefined && page) writePageFile(html, await page());
  if (exitCode !== undefined) io.finish(exitCode);
}
