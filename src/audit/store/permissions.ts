/** A folder of a log or its keys -> the files and folders in it that not only their owner may read, write or enter. */

import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessCode } from './files.ts';
import { wrapIoErrors } from './io-errors.ts';

/** Files and folders that are open to others than their owner. */
export interface OpenToOthers {
  /** How many, the folder itself included. */
  readonly count: number;
  /** The first of them, relative to the folder, which is itself called `.`. */
  readonly first: string;
  /** The mode of the first as `chmod` takes it: four octal digits. */
  readonly mode: string;
}

/** What the group and all others may do (POSIX, `S_IRWXG` and `S_IRWXO`). */
const OTHERS = 0o077;

/**
 * Undefined if everything is for its owner alone, or cannot be known: on a system without such modes, or for an
 * absent folder. A file counts by its own mode even inside a closed folder, because copies keep the mode. Links are
 * not followed, except the folder itself.
 */
export async function findOpenToOthers(
  dir: string,
  platform: NodeJS.Platform = process.platform,
): Promise<OpenToOthers | undefined> {
  // Windows has access control lists, which Node does not show.
  if (platform === 'win32') return undefined;
  const found: { name: string; mode: number }[] = [];
  await wrapIoErrors('read', async () => {
    for await (const entry of walk(dir, '.')) if ((entry.mode & OTHERS) !== 0) found.push(entry);
  });
  const [first] = found;
  return first && { count: found.length, first: first.name, mode: (first.mode & 0o7777).toString(8).padStart(4, '0') };
}

/** Files removed during the walk, or closed to this user, are not open to all. */
const UNREADABLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'];

async function* walk(dir: string, name: string): AsyncGenerator<{ name: string; mode: number }> {
  const path = join(dir, name);
  const entry = await unlessCode(name === '.' ? stat(path) : lstat(path), ...UNREADABLE);
  if (!entry || entry.isSymbolicLink()) return;
  yield { name, mode: entry.mode };
  if (!entry.isDirectory()) return;
  const names = (await unlessCode(readdir(path), ...UNREADABLE)) ?? [];
  for (const each of names.sort()) yield* walk(dir, name === '.' ? each : `${name}/${each}`);
}
