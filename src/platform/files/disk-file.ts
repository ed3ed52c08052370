/** A path -> its real path, its fingerprint; a file and its text -> the file, made or replaced at once. */

import { randomBytes } from 'node:crypto';
import {
  accessSync,
  type BigIntStats,
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';

/** A path with its links resolved; undefined if it leads nowhere, in a circle, or where this user may not look. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Two writes of the same length within one tick of the file system's clock (10 ms at most on Linux) give the same
 * metadata. So the fingerprint of a file that was written less than this ago differs from its later ones.
 */
const YOUNG_MS = 20;

/** The present fingerprint of the file that a path leads to; an empty text for a path that leads nowhere. */
export function fingerprintOf(path: string): string {
  const stats = statsOf(path);
  if (!stats) return '';
  const ageMs = Date.now() - Number(stats.ctimeMs);
  const isYoung = ageMs >= 0 && ageMs < YOUNG_MS;
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs, isYoung].join(' ');
}

function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

const WRITE_BITS = 0o222;

/**
 * Writes a text in place of a file, or as a new one; by default it keeps the mode of the file, and a link stays one.
 * Throws an error of Node if it cannot be written.
 */
export function replaceFile(path: string, text: string, ownMode?: number): void {
  const mode = ownMode ?? modeOf(path) ?? 0o644;
  checkWritable(path);
  const target = realPathOf(path) ?? path;
  writeBeside(target, (written) => {
    writeFileSync(written, text, { mode: 0o600, flag: 'wx', flush: true });
    // Not at its creation, where the umask would take part.
    chmodSync(written, mode);
    renameSync(written, target);
  });
}

/** Writes a file that must not be there yet. Throws an error of Node, EEXIST if it is there. */
export function createFile(path: string, text: string): void {
  writeBeside(path, (written) => {
    writeFileSync(written, text, { flag: 'wx', flush: true });
    nameFile(written, path);
  });
}

/** Runs work with the name of a temporary file beside another, so that nobody sees half of that one. */
function writeBeside(path: string, work: (written: string) => void): void {
  const written = temporaryName(path);
  try {
    work(written);
  } finally {
    rmSync(written, { force: true });
  }
}

/** A free name in the folder of a file. */
export function temporaryName(path: string): string {
  return `${path}.new-${randomBytes(8).toString('hex')}`;
}

/** Gives a complete file a name that must be free: unlike a rename, this replaces nothing. */
export function nameFile(written: string, path: string): void {
  try {
    linkSync(written, path);
  } catch (error) {
    // A memory card has no second names for a file; its copy at least replaces nothing.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    copyFileSync(written, path, constants.COPYFILE_EXCL);
  }
}

/**
 * Throws an error of Node for a file that is read-only. Replacing it would not fail: that takes no more than the right
 * to write to its folder.
 */
export function checkWritable(path: string): void {
  const mode = modeOf(path);
  if (mode === undefined) return;
  accessSync(path, constants.W_OK);
  // To the superuser, no file is read-only but by its mode.
  if ((mode & WRITE_BITS) === 0) throw Object.assign(new Error('the file is read-only'), { code: 'EACCES', path });
}

function modeOf(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && stats.mode & 0o777;
}
