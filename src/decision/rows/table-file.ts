/** The name of a file of facts -> what kind of table it is; the file, opened, and its columns, checked. */

import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { fileError } from './fact-columns.ts';

/** The column of the view of a Parquet file with the number of a row. */
export const ROW = 'verdict:row';

const ENDINGS = ['.parquet', '.csv'];

/** The ending of a file's name, in lower case. */
export function endingOf(file: string): string {
  return extname(file).toLowerCase();
}

/** Whether a file is a table by its name. */
export function isTableFile(file: string): boolean {
  return ENDINGS.includes(endingOf(file));
}

/** The version of a file: writing or replacing the file changes it. Undefined if there is no such file. */
export function stateOf(file: string): string | undefined {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return [ino, size, mtimeNs].join();
  } catch {
    return undefined;
  }
}

/** DuckDB takes time by the square of the number of columns: a minute for 50,000. */
const MOST_COLUMNS = 10_000;

/** Throws CONFIGURATION_INVALID for names of columns that cannot be told apart, or for too many. */
export function checkNames(file: string, names: readonly string[]): void {
  if (names.length > MOST_COLUMNS) {
    throw fileError(`${file} has ${names.length} columns; at most ${MOST_COLUMNS} are possible`);
  }
  const seen = new Map([[ROW, -1]]);
  for (const [i, name] of names.entries()) {
    const other = seen.get(name.toLowerCase());
    // The name is not shown: without a header, it would be a value.
    if (other === -1) throw fileError(`${file}: column ${i + 1} has a name that verdict reserves`);
    if (other !== undefined) throw fileError(`${file}: columns ${other + 1} and ${i + 1} have the same name`);
    seen.set(name.toLowerCase(), i);
  }
}

/** Opens a file that is neither a folder nor a device or pipe; throws CONFIGURATION_INVALID otherwise. */
export function openRegularFile(file: string): number {
  let opened: number;
  try {
    // Without waiting for the other end of a pipe.
    opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw fileError(code === 'ENOENT' ? `${file}: no such file` : `${file} cannot be read (${code})`);
  }
  const stats = fstatSync(opened);
  if (stats.isFile()) return opened;
  closeSync(opened);
  throw fileError(`${file} is ${stats.isDirectory() ? 'a folder' : 'not a regular file'}; expected a file`);
}
