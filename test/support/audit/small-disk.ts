/** A small file system of its own, which a test can fill. */

import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../policy/policy.ts';

/** A small new file system; undefined if it cannot be mounted. */
export function mountSmall(options: string): string | undefined {
  const at = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', at], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  // Lazily, because a failed test may have left a file open.
  onTestFinished(() => void execFileSync('umount', ['-l', at]));
  return at;
}

/** Writes a file, `ballast`, until the last byte is taken. */
export function fill(at: string): void {
  for (let size = 1 << 20; size >= 1; size >>= 1)
    try {
      appendFileSync(join(at, 'ballast'), Buffer.alloc(size));
    } catch {
      // Not so much any more.
    }
}
