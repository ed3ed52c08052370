/** A file that a command writes: a new one, or one that it wrote before, so that a mistake overwrites nothing else. */

import { closeSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { checkWritable, realPathOf, replaceFile } from '../../platform/files/disk-file.ts';
import { printable } from '../../text.ts';
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
    throw new InvalidArgumentError(
      `${printable(file)} exists and is not ${own.what}: expected a new file, or one that is.`,
    );
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
export function writeOwnFile(file: string, text: string, mode?: number): void {
  orCannotWrite(file, (path) => replaceFile(path, text, mode));
}

/** Writes a file that must not be there yet, and makes it durable. */
export function writeNewFile(file: string, text: string): void {
  orCannotWrite(file, (path) => writeFileSync(path, text, { flag: 'wx', flush: true }));
}

/** Throws for a file that is read-only. */
export function checkFileWritable(file: string): void {
  orCannotWrite(file, checkWritable);
}

const READ_ONLY = 'is read-only; it was not changed';

/** Why a file cannot be written, by the code of the error. */
const CAUSES: Readonly<Record<string, string>> = {
  EEXIST: 'exists; expected a new file',
  EACCES: READ_ONLY,
  EPERM: READ_ONLY,
  EROFS: READ_ONLY,
  ENOENT: 'cannot be written: there is no such folder',
  ENOTDIR: 'cannot be written: a part of its path is not a folder',
  EISDIR: 'is a folder; expected a file',
  ENOSPC: 'cannot be written: no space is left',
};

/** Calls `act` with the path that a link leads to: a link stays one. */
function orCannotWrite(file: string, act: (path: string) => void): void {
  try {
    act(realPathOf(file) ?? file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new CouldNotRunError(`${printable(file)} ${CAUSES[code] ?? `cannot be written (${code})`}`);
  }
}
