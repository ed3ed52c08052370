/** A file -> a text made from its metadata, which differs once the file has changed. */

import { type BigIntStats, statSync } from 'node:fs';

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
