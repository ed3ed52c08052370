/** A file and its new text -> the file, replaced at once, so that no reader sees a part of it. */

import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a text in place of a file, or as a new one. Throws an error of Node if it cannot be written. */
export function replaceFile(path: string, text: string, mode: number): void {
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
