/** The result of a command -> text, JSON or a page, on standard output or in a file that only its owner can read. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { isOwnPage } from '../../report/html/generator.ts';
import type { Styler } from '../../report/outline.ts';
import { printable } from '../../text.ts';
import { type Io, stylerFor, write, writeJson } from '../io.ts';
import { OUTPUT_GROUP } from './arguments.ts';
import { ownFileReader, writeOwnFile } from './own-file.ts';

export interface PageOptions {
  readonly html?: string;
}

/** Adds `--html`: writes a page instead of other output. */
export function addHtml(command: Command): Command {
  const words = 'write one self-contained page; - for standard output';
  // Checked before the command does anything: a billed decision must not be lost.
  return command.addOption(new Option(NAME, words).argParser(readPageFile).conflicts('format').helpGroup(OUTPUT_GROUP));
}

const NAME = '--html <file>';

/** `--html` for a page beside other output, which is not on standard output then. */
export function pageOption(words: string): Option {
  const readFile = (file: string) => {
    if (file === '-') throw new InvalidArgumentError('Expected a file; other output is on standard output.');
    return readPageFile(file);
  };
  return new Option(NAME, words).argParser(readFile).helpGroup(OUTPUT_GROUP);
}

/** The beginning of a page that contains its generator. */
const HEAD_BYTES = 4096;

const readNewFile = ownFileReader({ what: 'a page of verdict', headBytes: HEAD_BYTES, isOwn: isOwnPage });

function readPageFile(file: string): string {
  return file === '-' ? file : readNewFile(file);
}

/**
 * Writes a page atomically, in place of an earlier one. With a `head`, prints it and where the page is. A page may
 * contain data that the log encrypts: mode 600.
 */
export async function writePageFile(file: string, page: string, { stdout }: Io, head?: string): Promise<void> {
  if (file === '-') return write(stdout, page);
  writeOwnFile(file, page, 0o600);
  if (head !== undefined) await write(stdout, `${head}The page is ${printable(file)}\n`);
}

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
