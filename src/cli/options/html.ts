/** A page -> standard output, or a file that only its owner can read. */

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { replaceFile } from '../../platform/files/replace-file.ts';
import { isOwnPage } from '../../report/html/generator.ts';
import { printable } from '../../text.ts';
import { CouldNotRunError, type Io, write } from '../io.ts';

export interface PageOptions {
  readonly html?: string;
}

/** Adds `--html`: writes a page instead of other output. */
export function addHtml(command: Command): Command {
  const words = 'write one self-contained page; - for standard output';
  // Checked before the command does anything: a billed decision must not be lost.
  return command.addOption(new Option(NAME, words).argParser(readPageFile).conflicts('format'));
}

const NAME = '--html <file>';

/** `--html` for a page beside other output, which is not on standard output then. */
export function pageOption(words: string): Option {
  const readFile = (file: string) => {
    if (file === '-') throw new InvalidArgumentError('Expected a file; other output is on standard output.');
    return readPageFile(file);
  };
  return new Option(NAME, words).argParser(readFile);
}

/** Accepts a new file or an earlier page, so that a slip overwrites nothing else. */
function readPageFile(file: string): string {
  if (file === '-' || mayBeWritten(file)) return file;
  throw new InvalidArgumentError('The file exists and is not a page of verdict. Expected a new file.');
}

/** The beginning of a page that contains its generator. */
const HEAD_BYTES = 4096;

function mayBeWritten(file: string): boolean {
  try {
    if (!statSync(file).isFile()) return false;
    const [head, opened] = [Buffer.alloc(HEAD_BYTES), openSync(file, 'r')];
    try {
      return isOwnPage(head.toString('utf8', 0, readSync(opened, head)));
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    // A file that cannot be read may be anything; an unwritable path is reported when the page is written.
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

/**
 * Writes a page atomically, in place of an earlier one. With a `head`, prints it and where the page is. A page may
 * contain data that the log encrypts: mode 600.
 */
export async function writePageFile(file: string, page: string, { stdout }: Io, head?: string): Promise<void> {
  if (file === '-') return write(stdout, page);
  try {
    replaceFile(file, page, 0o600);
  } catch {
    throw new CouldNotRunError(`${file} cannot be written`);
  }
  if (head !== undefined) await write(stdout, `${head}The page is ${printable(file)}\n`);
}
