/** The result of a command -> text or JSON, and a page in a file that only its owner can read. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { isOwnPage } from '../../report/html/generator.ts';
import type { Styler } from '../../report/outline.ts';
import { type Io, stylerFor, write, writeJson } from '../io.ts';
import { OUTPUT_GROUP } from './arguments.ts';
import { ownFileReader, writeOwnFile } from './own-file.ts';

export interface PageOptions {
  readonly html?: string;
}

/** Adds `--html`: a page beside other output or, on standard output, in its place. */
export function addHtml(command: Command): Command {
  return addPageOption(
    command,
    'also write one self-contained page; - for standard output, and nothing else',
    readPage,
  );
}

/** Adds `--html` to a command of which standard output has more than a page can. */
export function addHtmlFile(command: Command, words: string): Command {
  return addPageOption(command, words, (file) => {
    if (file === '-') throw new InvalidArgumentError('Expected a file; other output is on standard output.');
    return readPage(file);
  });
}

function addPageOption(command: Command, words: string, read: (file: string) => string): Command {
  // Checked before the command does anything: a billed decision must not be lost.
  return command.addOption(new Option('--html <file>', words).argParser(read).helpGroup(OUTPUT_GROUP));
}

/** The beginning of a page that contains its generator. */
const HEAD_BYTES = 4096;

const readNewFile = ownFileReader({ what: 'a page of verdict', headBytes: HEAD_BYTES, isOwn: isOwnPage });

function readPage(file: string): string {
  return file === '-' ? file : readNewFile(file);
}

/**
 * Writes the page of a command, if there is to be one: atomically, in place of an earlier one. A page may contain data
 * that the log encrypts: mode 600. Gives whether other output is to follow.
 */
export async function writePage(
  file: string | undefined,
  page: () => string | Promise<string>,
  { stdout }: Io,
): Promise<boolean> {
  if (file === undefined) return true;
  if (file === '-') await write(stdout, await page());
  else writeOwnFile(file, await page(), 0o600);
  return file !== '-';
}

/** A result in each form; only the form that is printed is computed. */
export interface Result {
  data(): unknown;
  text(style: Styler): string | Promise<string>;
  page?(): Promise<string>;
}

/** Prints a result as JSON or text, after its page if there is to be one. */
export async function printResult(
  io: Io,
  { format, html }: PageOptions & { readonly format: 'text' | 'json' },
  { data, text, page }: Result,
): Promise<void> {
  if (page && !(await writePage(html, page, io))) return;
  if (format === 'json') await writeJson(io.stdout, data());
  else await write(io.stdout, await text(stylerFor(io.stdout, io.env)));
}
