/** A page -> a file that only its owner can read, or standard output. */

import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { CouldNotRunError, type Io, write } from './io.ts';

/** Where a page goes. */
export interface PageOptions {
  readonly html?: string;
}

/** Adds `--html`. */
export function addHtml(command: Command): Command {
  return command.option('--html <file>', 'write it as one self-contained page; - for standard output');
}

/** Writes a page, in place of what has that name. It may hold what the log keeps sealed. */
export async function writePageFile(file: string, page: string, { stdout }: Io): Promise<void> {
  if (file === '-') return write(stdout, page);
  try {
    writeFileSync(file, page, { mode: 0o600 });
  } catch {
    throw new CouldNotRunError(`${file} cannot be written`);
  }
}
