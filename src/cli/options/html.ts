/** The result of a command -> text or JSON on standard output, and a page in a file that only its owner can read. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { isOwnPage } from '../../report/html/generator.ts';
import type { Styler } from '../../report/outline.ts';
import { type Io, stylerFor, write, writeJson } from '../io.ts';
import { OUTPUT_GROUP } from './arguments.ts';
import { ownFileReader, writeOwnFile } from './own-file.ts';

export interface PageOptions {
  readonly html?: string;
}

/** Adds `--html`: writes a page beside the output. */
export function addHtml(command: Command): Command {
  const words = 'also write one self-contained page';
  // Checked before the command does anything: a billed decision must not be lost.
  return command.addOption(new Option('--html <file>', words).argParser(readPageFile).helpGroup(OUTPUT_GROUP));
}

/** The beginning of a page that contains its generator. */
const HEAD_BYTES = 4096;

const readNewFile = ownFileReader({ what: 'a page of verdict', headBytes: HEAD_BYTES, isOwn: isOwnPage });

function readPageFile(file: string): string {
  if (file === '-') throw new InvalidArgumentError('Expected a file: standard output has the text or the JSON.');
  return readNewFile(file);
}

/** Writes a page atomically, in place of an earlier one. It may contain data that the log encrypts: mode 600. */
export function writePageFile(file: string, page: string): void {
  writeOwnFile(file, page, 0o600);
}

/** A result in each form; only the forms that are asked for are computed. */
export interface Result {
  data(): unknown;
  text(style: Styler): string | Promise<string>;
  page?(): Promise<string>;
}

/** Prints a result, as JSON with `--format json` and as text otherwise; with `--html`, writes its page too. */
export async function printResult(
  io: Io,
  { format, html }: PageOptions & { readonly format: 'text' | 'json' },
  { data, text, page }: Result,
): Promise<void> {
  if (format === 'json') await writeJson(io.stdout, data());
  else await write(io.stdout, await text(stylerFor(io.stdout, io.env)));
  if (html !== undefined && page) writePageFile(html, await page());
}
