/** The folder of a log and of its keys -> where they are, and a check that neither is inside the other. */

import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type Kinds, TEXT } from '../given/options.ts';
import { unlessCode } from './store/files.ts';
import { unusable } from './store/io-errors.ts';

/** Where a log and its keys are. */
export interface LogPlace {
  /** The log's folder. */
  readonly dir: string;
  /** The key folder, outside the log's folder. Default: the log's folder with `-keys` appended to its name. */
  readonly keys?: string;
}

/** The kinds of `LogPlace`. */
export const LOG_PLACE: Kinds<LogPlace> = { dir: TEXT, 'keys?': TEXT };

/** The key folder of a log. */
export function keysFolder({ dir, keys }: LogPlace): string {
  return keys ?? `${resolve(dir)}-keys`;
}

/** Throws CONFIGURATION_INVALID if one of the folders is inside the other, under any name. */
export async function checkApart(dir: string, keysDir: string): Promise<void> {
  const [log, keys] = [await resolveLinks(dir), await resolveLinks(keysDir)];
  if (!isInside(keys, log) && !isInside(log, keys)) return;
  const expected = 'expected them apart: a copy of the log must not hold keys';
  throw unusable(`the log folder or key folder is inside the other, ${expected}`);
}

function isInside(one: string, other: string): boolean {
  return `${one}${sep}`.startsWith(other.endsWith(sep) ? other : `${other}${sep}`);
}

/** The path with all links followed, as far as it exists. */
async function resolveLinks(path: string): Promise<string> {
  const full = resolve(path);
  const parent = dirname(full);
  // The root always exists.
  const real = parent === full ? await realpath(full) : await unlessCode(realpath(full), 'ENOENT', 'ENOTDIR');
  return real ?? join(await resolveLinks(parent), basename(full));
}
