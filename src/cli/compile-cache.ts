/** The environment -> the folder of Node's compiled code, if nobody else can write to it. */

import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { makeFolder } from '../platform/files/disk-file.ts';

/**
 * A folder for compiled code in the user's own cache (`XDG_CACHE_HOME`, or else `~/.cache`), made if it is not there.
 * Undefined if it is not a folder, has another owner, or others may write to it: Node runs what it finds there.
 */
export function ownCacheFolder(env: NodeJS.ProcessEnv): string | undefined {
  try {
    const named = env['XDG_CACHE_HOME'] ?? '';
    const folder = join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'verdict');
    makeFolder(folder, 0o700);
    const found = lstatSync(folder);
    // Windows has no modes; the user's own folder is closed to others there.
    const isOwn = !process.getuid || (found.uid === process.getuid() && (found.mode & WRITABLE_FOR_OTHERS) === 0);
    return found.isDirectory() && isOwn ? folder : undefined;
  } catch {
    // No home, or it is read-only: the code is compiled again.
    return undefined;
  }
}

const WRITABLE_FOR_OTHERS = 0o022;
