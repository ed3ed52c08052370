/** A path -> the same path with symbolic links resolved, if it leads to something. */

import { realpathSync } from 'node:fs';

/** Undefined for a path that leads nowhere, in a circle, to a place this user may not look at, or is not a path. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
