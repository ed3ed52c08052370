/** `verdict audit index`: a log -> its index, made or brought up to date. */

import type { Command } from 'commander';
import { groupedCount } from '../../../text.ts';
import { type Io, orCannotRun } from '../../io.ts';
import { addJson } from '../../options/arguments.ts';
import { checkIsLog, logPlaceOf } from '../../options/log-place.ts';
import { endWith } from '../../result.ts';

export function addIndex(audit: Command, io: Io): void {
  const command = audit
    .command('index <log>')
    .description('make an index of the log, or bring it up to date: search, show and note then take milliseconds');
  addJson(command)
    .addHelpText(
      'after',
      `
The index is the file index.sqlite in the folder of the log. It holds times, positions and keyed hashes of names, and
nothing that is encrypted in the log. It can be removed at any time. A log in a database has its index there, written
with each record; this makes it again.`,
    )
    .action(async (dir, options) => {
      checkIsLog(dir);
      const { indexAgain } = await import('../../../audit/index/database-index.ts');
      const { openLogIndex } = await import('../../../audit/index/open-index.ts');
      const entries = await orCannotRun(async () => {
        const place = logPlaceOf(dir, {}, io);
        await using index = await openLogIndex(place);
        if (place.postgres !== undefined) await indexAgain(place, index.log);
        await index.catchUp();
        return await index.entries();
      });
      await endWith(io, options, {
        data: () => ({ entries }),
        text: () => `${groupedCount(entries, 'entry')} indexed\n`,
      });
    });
}
