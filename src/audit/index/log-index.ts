/** A log's folder -> its index: the entries about an id, and decisions that pass a filter, without reading the log. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CodedCause, VerdictError } from '../../errors.ts';
import { Thread } from '../../platform/thread.ts';
import type { RecordedOutcome } from '../entry/entry.ts';
import { INDEX_FILE, readLog } from '../place.ts';
import type { Filter } from '../read/filter.ts';
import type { IndexedPosition } from '../read/read-log.ts';
import { type Folder, folderAt } from '../store/files.ts';
import type { DayCount, DecisionPosition, IndexResult, IndexSearch } from './index-file.ts';
import type { IndexFunctions, IndexSetting } from './index-thread.ts';
import type { NewEntry, News, NewsPosition } from './news.ts';
import type { CountedKind } from './terms.ts';

export type { NewEntry, NewsPosition };

/** An index that is open. Each call rejects with AUDIT_FAILED if a line of the log or the index cannot be read. */
export interface LogIndex {
  /** The folder of the log. */
  readonly log: Folder;
  /** Reads what is new in the log; resolves to a text that is another one whenever the log has changed. */
  catchUp(): Promise<string>;
  /** How many entries are indexed. */
  entries(): Promise<number>;
  /** How many bytes of the log are not read yet. */
  behind(): Promise<number>;
  /** `withEvents`: whether those about it too, which may be many. Default: yes. */
  find(id: string, withEvents?: boolean): Promise<readonly IndexedPosition[]>;
  /** The entries about some ids, as far as they are indexed; one about several may be there several times. */
  about(ids: readonly string[]): Promise<readonly IndexedPosition[]>;
  /** See `narrow` of the file; of what is new too. */
  narrow(filter: Filter): Promise<readonly DecisionPosition[] | undefined>;
  search(search: IndexSearch): Promise<IndexResult>;
  /** From the day of an instant on, in milliseconds since 1970. Default: all. */
  dayCounts(kind: CountedKind, from?: number): Promise<readonly DayCount[]>;
  /** See `readNews` of the news. */
  readNews(after: NewsPosition, limit: number, outcome?: RecordedOutcome): Promise<News>;
  /** The position at the end of the log. */
  newsEnd(): Promise<NewsPosition>;
  close(): Promise<void>;
  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Whether a log has an index. */
export function hasIndex(dir: string): boolean {
  return existsSync(join(dir, INDEX_FILE));
}

/**
 * Opens the index of a log, in a thread of its own, and makes it if there is none. Rejects with CONFIGURATION_INVALID
 * if there is no log.
 */
export async function openLogIndex(dir: string): Promise<LogIndex> {
  const log = folderAt(dir);
  await readLog(log);
  const setting: IndexSetting = { dir, file: join(dir, INDEX_FILE) };
  const thread = new Thread<IndexFunctions>('audit/index/index-thread', setting);
  const wrapped = async <Result>(call: Promise<Result>): Promise<Result> => {
    try {
      return await call;
    } catch (error) {
      if (!(error instanceof CodedCause)) throw error;
      throw new VerdictError('AUDIT_FAILED', `the index of the log cannot be used (${error.code})`, { cause: error });
    }
  };
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
    readNews: (...asked) => wrapped(thread.call('readNews', ...asked)),
    newsEnd: () => wrapped(thread.call('newsEnd')),
    close: () => thread.end(),
    [Symbol.asyncDispose]: () => thread.end(),
  };
}
