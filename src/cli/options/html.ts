/** A page -> a file that only its owner can read, or standard output. */

import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isOwnPage } from '../../report/html/generator.ts';
import { CouldNotRunError, type Io, write } from '../io.ts';

/** Where a page goes. */
export interface PageOptions {
  readonly html?: string;
}

/** Adds `--html`: the page is printed in place of anything else. */
export function addHtml(command: Command): Command {
  const words = 'write it as one self-contained page; - for standard output';
  // Looked at before anything is done: a decision is billed, and then has to be given.
  return command.addOption(new Option('--html <file>', words).argParser(readPageFile).conflicts('format'));
}

/** A new file, or a page that was written before: nothing else is lost by a slip of the hand. */
function readPageFile(file: string): string {
  if (file === '-' || mayBeWritten(file)) return file;
  throw new InvalidArgumentError('Something else than a page of verdict stands there: a new file was expected.');
}

/** So far into a page its head says who wrote it. */
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
    // Of what may not be read nobody knows what it is; that nothing can be written there is said when it is.
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

/** Writes a page, whole or not at all, in place of one that has that name. It may hold what the log keeps sealed. */
export async function writePageFile(file: string, page: string, { stdout }: Io): Promise<void> {
  if (file === '-') return write(stdout, page);
  const written = `${file}.new-${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(written, page, { mode: 0o600, flag: 'wx' });
    renameSync(written, file);
  } catch {
    rmSync(written, { force: true });
    throw new CouldNotRunError(`${file} cannot be written`);
  }
}
