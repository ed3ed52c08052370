/** Where a log is -> the folders of the log and its keys, of this machine or of a database. */

import { realpath } from 'node:fs/promises';
import type { Alongside } from './index/index-sql.ts';
import { keysFolder, type LogHome, type LogPlace } from './place.ts';
import { folderAt } from './store/files.ts';
import { unusable } from './store/io-errors.ts';

/**
 * The home of a log that is in a place. Rejects with CONFIGURATION_INVALID unless the place is one folder or one
 * database. `alongside`: of who writes a log in a database, what else is written with its lines.
 */
export async function homeOf(place: LogPlace, alongside?: Alongside): Promise<LogHome> {
  if ((place.dir === undefined) === (place.postgres === undefined)) throw unusable(ONE_PLACE);
  if (place.postgres !== undefined) {
    const { databaseHome } = await import('./database.ts');
    return databaseHome(place, alongside);
  }
  // The log's folder may be a link; inside it, no link is followed.
  const dir = await realpath(place.dir).catch(() => place.dir);
  return { log: folderAt(dir), keys: folderAt(keysFolder(place)) };
}

const ONE_PLACE = 'expected a log in one place: dir, or postgres with keys';
