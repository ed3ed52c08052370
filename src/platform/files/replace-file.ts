/** A file and its new text -> the file, replaced at once, so that no reader sees a part of it. */

import { randomBytes } from 'node:crypto';
import { accessSync, chmodSync, constants, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

const WRITE_BITS = 0o222;

/**
 * Writes a text in place of a file, or as a new one; by default it keeps the mode of the file. Throws an error of Node
 * if it cannot be written.
 */
export function replaceFile(path: string, text: string, ownMode?: number): void {
  const mode = ownMode ?? modeOf(path) ?? 0o644;
  checkWritable(path);
  const written = `${path}.new-${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(written, text, { mode: 0o600, flag: 'wx' });
    // Not at its creation, where the umask would take part.
    chmodSync(written, mode);
    renameSync(written, path);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
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
