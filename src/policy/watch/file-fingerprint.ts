/** A file -> what the file system says of it: a text that is another one once the file has changed. */

import { type BigIntStats, statSync } from 'node:fs';

/**
 * Two writes of the same length within one tick of the file system's clock (10 ms at most on Linux) leave no trace. Of a file
 * that was written so short a time ago, the stamp is one that it will not have again.
 */
const YOUNG_MS = 20;

/** The stamp of the file that a path leads to, now; of a path that leads nowhere, an empty text. */
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
