/** Where a log is -> its index, which is open. */

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { foreignCode, VerdictError } from '../../errors.ts';
import { Thread } from '../../platform/thread.ts';
import { homeOf } from '../home.ts';
import { checkApart, type FolderPlace, INDEX_FILE, type LogPlace, readLog, readPlace } from '../place.ts';
import type { IndexFunctions, IndexSetting } from './index-thread.ts';
import type { LogIndex } from './log-index.ts';

/** Whether a log has an index: one in a database does. */
export function hasIndex(place: LogPlace): boolean {
  return place.dir === undefined || place.index !== undefined || existsSync(join(place.dir, INDEX_FILE));
}

/** Named by the log, since an index is of one log. */
async function indexFolder({ dir, index }: FolderPlace, log: string): Promise<string> {
  if (index === undefined) return dir;
  await checkApart(dir, index, 'index');
  const folder = join(index, log);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * Opens the index of a log: that of its database, or a file, in a thread of its own, which is made if there is none.
 * Rejects with CONFIGURATION_INVALID if there is no log.
 */
export async function openLogIndex(given: LogPlace): Promise<LogIndex> {
  const place = readPlace(given);
  const { log } = await homeOf(place);
  const { log: id } = await readLog(log);
  if (place.dir === undefined) {
    const { databaseIndex } = await import('./database-index.ts');
    return databaseIndex(place, log);
  }
  const wrapped = async <Result>(call: Promise<Result>): Promise<Result> => {
    try {
      return await call;
    } catch (error) {
      const code = foreignCode(error);
      if (code === undefined) throw error;
      throw new VerdictError('AUDIT_FAILED', `the index of the log cannot be used (${code})`, { cause: error });
    }
  };
  const folder = await wrapped(indexFolder(place, id));
  const setting: IndexSetting = { dir: place.dir, file: join(folder, INDEX_FILE) };
  const thread = new Thread<IndexFunctions>('audit/index/index-thread', setting);
  return {
    log,
    catchUp: () => wrapped(thread.call('catchUp')),
    entries: () => wrapped(thread.call('entries')),
    behind: () => wrapped(thread.call('behind')),
    find: (...asked) => wrapped(thread.call('find', ...asked)),
    about: (ids) => wrapped(thread.call('about', ids)),
    narrow: (filter) => wrapped(thread.call('narrow', filter)),
    search: (search) => wrapped(thread.call('search', search)),
    dayCounts: (kind, from) => wrapped(thread.call('dayCounts', kind, from)),
    texts: (kind) => wrapped(thread.call('texts', kind)),
    begins: (terms) => wrapped(thread.call('begins', terms)),
    counts: (terms, among) => wrapped(thread.call('counts', terms, among)),
    readNews: (...asked) => wrapped(thread.call('readNews', ...asked)),
    newsEnd: () => wrapped(thread.call('newsEnd')),
    close: () => thread.end(),
    [Symbol.asyncDispose]: () => thread.end(),
  };
}
