/** `--html`, and a page -> a file that only its owner can read. */

import { type Command, InvalidArgumentError, Option, type OptionValues } from 'commander';
import { isOwnPage } from '../../report/html/generator.ts';
import { OUTPUT_GROUP } from './arguments.ts';
import { ownFileReader, writeOwnFile } from './own-file.ts';

/** Adds `--html`: writes a page beside the output. */
export function addHtml<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
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
