/** What an index of a log answers, without reading the log. */

import type { RecordedOutcome } from '../entry/entry.ts';
import type { Filter, Term } from '../read/filter.ts';
import type { IndexedPosition } from '../read/read-log.ts';
import type { Folder } from '../store/files.ts';
import type { Among, DayCount, DecisionPosition, IndexResult, IndexSearch } from './index-sql.ts';
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
  /** See `texts`, `begins` and `counts` of the questions. */
  texts(kind: CountedKind): Promise<readonly string[]>;
  begins(terms: readonly Term[]): Promise<readonly (number | undefined)[]>;
  counts(terms: readonly Term[], among: Among): Promise<readonly number[]>;
  /** See `readNews` of the news. */
  readNews(after: NewsPosition, limit: number, outcome?: RecordedOutcome): Promise<News>;
  /** The position at the end of the log. */
  newsEnd(): Promise<NewsPosition>;
  close(): Promise<void>;
  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void>;
}
