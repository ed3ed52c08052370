/** The database of a log -> its index, whose rows are written with the lines. */

import type { Query } from '../../platform/homes/query.ts';
import { connectTo, LOG_TABLES, linesOf } from '../database.ts';
import type { DatabasePlace } from '../place.ts';
import { listChain, listChains } from '../store/chain-folder.ts';
import type { Folder } from '../store/files.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { addToIndex, forgetSegments, postgresIndex } from './index-postgres.ts';
import type { LogIndex } from './log-index.ts';
import { readNews } from './news.ts';

/** A segment has at most some 20,000 lines. */
const SEGMENT_MS = 600_000;

/** Makes the rows of an index again, segment by segment, while services write: those of a segment come together. */
export async function indexAgain({ postgres }: DatabasePlace, log: Folder): Promise<void> {
  const connections = await connectTo(postgres, LOG_TABLES, 'write');
  const make = async (query: Query, chain: string, segment: number): Promise<void> => {
    // Who appends to this segment waits.
    const [found] = await query('select day::text from log_segment where chain = $1 and number = $2 for update', [
      ...[chain, segment],
    ]);
    if (!found) return;
    await forgetSegments(query, chain, [segment]);
    const text = 'select start, text from log_entry where day = $1 and chain = $2 and segment = $3 order by start';
    const rows = (await query(text, [(found as { day: string }).day, chain, segment])) as readonly EntryRow[];
    const [starts, texts] = [rows.map(({ start }) => start), rows.map((row) => row.text)];
    await addToIndex(query, linesOf({ chain, segment, line: 1, starts, texts }));
  };
  for (const chain of await listChains(log)) {
    for (const segment of (await listChain(log, chain)).segments.keys()) {
      const name = `index ${chain} ${segment}`;
      await wrapIoErrors('indexed', () =>
        connections.transaction(name, (query) => make(query, chain, segment), SEGMENT_MS),
      );
    }
  }
}

interface EntryRow {
  readonly start: number;
  readonly text: string;
}

/** The index of a log in a database: nothing is behind. */
export async function databaseIndex({ postgres }: DatabasePlace, log: Folder): Promise<LogIndex> {
  const connections = await connectTo(postgres, LOG_TABLES, 'read');
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
