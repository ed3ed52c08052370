/** A path -> which file is there. */

import { statSync } from 'node:fs';

/** Equal as long as no other file takes the place of this one; of a file that is not there too. */
export function idOf(path: string): string {
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${dev}:${ino}`;
}
