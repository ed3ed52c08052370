/** A file that a command writes: a new one, or one that it wrote before, so that a mistake overwrites nothing else. */

import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { checkWritable, createFile, replaceFile } from '../../platform/files/disk-file.ts';
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

/** Whether a file is new, or one that the command wrote. */
export function mayBeWritten(file: string, { headBytes, isOwn }: OwnFile): boolean {
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
  orCannotWrite(file, () => replaceFile(file, text, mode));
}

/** Writes a file atomically that must not be there yet. */
export function writeNewFile(file: string, text: string): void {
  orCannotWrite(file, () => createFile(file, text));
}

/** Throws for a file that is read-only. */
export function checkFileWritable(file: string): void {
  orCannotWrite(file, () => checkWritable(file));
}

function orCannotWrite(file: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    throw describeUnwritable(error, file);
  }
}

/** Why a file cannot be written, by the code of the error. */
const CAUSES: Readonly<Record<string, string>> = {
  EEXIST: 'exists; expected a new file',
  EACCES: 'cannot be written: writing there is not allowed',
  EPERM: 'cannot be written: writing there is not allowed',
  EROFS: 'cannot be written: the file system is read-only',
  ENOENT: 'cannot be written: its folder does not exist',
  ENOTDIR: 'cannot be written: a part of its path is not a folder',
  EISDIR: 'is a folder; expected a file',
  ENOSPC: 'cannot be written: no space is left',
};

/** An error of the file system -> a `CouldNotRunError` with the file and the cause; other errors stay as they are. */
export function describeUnwritable(error: unknown, file: string): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (error instanceof CouldNotRunError || code === undefined || !/^E[A-Z0-9]+$/.test(code)) return error;
  const isReadOnly = ['EACCES', 'EPERM'].includes(code) && existsSync(file);
  const cause = isReadOnly ? 'is read-only; it was not changed' : CAUSES[code];
  return new CouldNotRunError(`${printable(file)} ${cause ?? `cannot be written (${code})`}`);
}
