/** A file as a caller names it, by a path or a file URL -> its path. */

import { fileURLToPath } from 'node:url';
import { type Kind, readArgument } from './options.ts';

/** A path, or a URL such as `new URL('policy.yaml', import.meta.url)`. */
export type FilePath = string | URL;

/** A file by its path or its URL. */
export const FILE: Kind = {
  expected: 'a path: a text or a file URL',
  is: (value) => (typeof value === 'string' && value !== '') || (value instanceof URL && fileURLToPath(value) !== ''),
};

/** The path of a file. Throws REQUEST_INVALID for anything that does not name a file. */
export function readPath(file: FilePath): string {
  return pathOf(readArgument('the file', FILE, file));
}

/** The path of a file that was checked. */
export function pathOf(file: FilePath): string {
  return typeof file === 'string' ? file : fileURLToPath(file);
}
