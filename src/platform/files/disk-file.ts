/** A path -> its real path, its fingerprint; a file and its text -> the file, made or replaced at once. */

import { randomBytes } from 'node:crypto';
import {
  accessSync,
  type BigIntStats,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** A path with its links resolved; undefined if it does not exist, its links form a circle, or access is denied. */
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

/** The present fingerprint of the file at a path; an empty text if there is none. */
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
    // Not set at its creation, because the umask would apply.
    chmodSync(written, mode);
    renameSync(written, target);
  });
}

/**
 * Makes a folder, and those above it, unless it exists. Throws an error of Node if it cannot be made. One folder at a
 * time, because `mkdirSync` with `recursive` never returns for a path below `/proc`.
 */
export function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  // The root of a drive that does not exist has no folder above it.
  if (parent !== path) makeFolder(parent, mode);
  mkdirSync(path, { mode });
}

/** Writes a new file. Throws an error of Node, EEXIST if the file exists. */
export function createFile(path: string, text: string): void {
  writeBeside(path, (written) => {
    writeFileSync(written, text, { flag: 'wx', flush: true });
    nameFile(written, path);
  });
}

/** Runs work with the name of a temporary file beside another, so that readers never see half of that other. */
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
    // A memory card has no hard links; a copy at least replaces nothing.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    copyFileSync(written, path, constants.COPYFILE_EXCL);
  }
}

/**
 * Throws an error of Node for a file that is read-only. Replacing it would not fail, because that needs only the right
 * to write to its folder.
 */
export function checkWritable(path: string): void {
  const mode = modeOf(path);
  if (mode === undefined) return;
  accessSync(path, constants.W_OK);
  // For the superuser, only the mode makes a file read-only.
  if ((mode & WRITE_BITS) === 0) throw Object.assign(new Error('the file is read-only'), { code: 'EACCES', path });
}

function modeOf(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && stats.mode & 0o777;
}
