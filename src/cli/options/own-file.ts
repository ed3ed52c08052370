/** A file that a command writes: a new one, or one that it wrote before, so that a slip overwrites nothing else. */

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { replaceFile } from '../../platform/files/replace-file.ts';
import { CouldNotRunError } from '../io.ts';

/** How a command knows a file of its own. */
export interface OwnFile {
  /** What it is, such as `a tracefile`. */
  readonly what: string;
  /** How much of it has to be read to know it. */
  readonly headBytes: number;
  isOwn(head: string): boolean;
}

/** Reads an option that names such a file; refuses any other that exists. */
export function ownFileReader(own: OwnFile): (file: string) => string {
  return (file) => {
    if (mayBeWritten(file, own)) return file;
    throw new InvalidArgumentError(`The file exists and is not ${own.what}. Expected a new file.`);
  };
}

function mayBeWritten(file: string, { headBytes, isOwn }: OwnFile): boolean {
  try {
    if (!statSync(file).isFile()) return false;
    const [head, opened] = [Buffer.alloc(headBytes), openSync(file, 'r')];
    try {
      return isOwn(head.toString('utf8', 0, readSync(opened, head)));
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    // A file that cannot be read may be anything; an unwritable path is reported when the file is written.
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

/** Writes a file atomically, in place of an earlier one. */
export function writeOwnFile(file: string, text: string, mode: number): void {
  try {
    replaceFile(file, text, mode);
  } catch {
    throw new CouldNotRunError(`${file} cannot be written`);
  }
}
