/** The database of a log -> its index, whose rows are written with the lines. */

import { connectTo, LOG_TABLES } from '../database.ts';
import type { DatabasePlace } from '../place.ts';
import type { Folder } from '../store/files.ts';
import { postgresIndex } from './index-postgres.ts';
import type { LogIndex } from './log-index.ts';
import { readNews } from './news.ts';

/** The index of a log in a database: nothing is behind. */
export async function databaseIndex({ postgres }: DatabasePlace, log: Folder): Promise<LogIndex> {
  const connections = await connectTo(postgres, LOG_TABLES);
  const ends = async () => {
    const last = 'distinct on (chain) chain, number as segment, bytes as "end"';
    const rows = await connections.query(`select ${last} from log_segment order by chain, number desc`);
    return rows as readonly { readonly chain: string; readonly segment: number; readonly end: number }[];
  };
  return {
    log,
    ...postgresIndex(connections),
    catchUp: async () => JSON.stringify(await ends()),
    behind: async () => 0,
    readNews: (...asked) => readNews(log, ...asked),
    newsEnd: async () => Object.fromEntries((await ends()).map(({ chain, segment, end }) => [chain, { segment, end }])),
    close: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}
