/** A folder of a log, or of its keys -> what in it others than its owner may read, write or enter. */

import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode } from './files.ts';
import { wrapIoErrors } from './io-errors.ts';

/** Files and folders that are not for their owner alone. */
export interface OpenToOthers {
  /** How many, the folder itself among them. */
  readonly count: number;
  /** The first of them, seen from the folder, which is itself called `.`. */
  readonly first: string;
  /** How it is, as `chmod` has it: four octal digits. */
  readonly mode: string;
}

/** What the group and all others may do (POSIX, `S_IRWXG` and `S_IRWXO`). */
const OTHERS = 0o077;

/**
 * Undefined where all is for its owner alone, and where nothing can be told: on a system without such modes, or of a folder that is not there. A file
 * counts by its own mode though a folder above it is closed: copies take the mode along. Links are not followed, but for the folder itself.
 */
export async function findOpenToOthers(
  dir: string,
  platform: NodeJS.Platform = process.platform,
): Promise<OpenToOthers | undefined> {
  // Windows has lists of access, of which Node tells nothing.
  if (platform === 'win32') return undefined;
  const found: { name: string; mode: number }[] = [];
  await wrapIoErrors('read', async () => {
    for await (const entry of walk(dir, '.')) if ((entry.mode & OTHERS) !== 0) found.push(entry);
  });
  const [first] = found;
  return first && { count: found.length, first: first.name, mode: (first.mode & 0o7777).toString(8).padStart(4, '0') };
}

async function* walk(dir: string, name: string): AsyncGenerator<{ name: string; mode: number }> {
  const path = join(dir, name);
  const entry = await orNothing(name === '.' ? stat(path) : lstat(path));
  if (!entry || entry.isSymbolicLink()) return;
  yield { name, mode: entry.mode };
  if (!entry.isDirectory()) return;
  const names = (await orNothing(readdir(path))) ?? [];
  for (const each of names.sort()) yield* walk(dir, name === '.' ? each : `${name}/${each}`);
}

/** What is gone meanwhile, or closed to whoever asks, is not open to all. */
async function orNothing<Result>(asked: Promise<Result>): Promise<Result | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return undefined;
    throw error;
  }
}
