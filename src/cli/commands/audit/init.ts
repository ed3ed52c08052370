/** `verdict audit init`: two new folders, or a database -> a log and its keys. */

import type { Command } from 'commander';
import type { Io } from '../../io.ts';
import { addJson, present } from '../../options/arguments.ts';
import { addKeys, logPlaceOf } from '../../options/log-place.ts';
import { endWith } from '../../result.ts';

export function addInit(audit: Command, io: Io): void {
  const command = audit
    .command('init <log>')
    .description('create a log in a new folder, and its keys in another; or both in PostgreSQL, postgres:NAME')
    .option('--origin <name>', 'the operator of the log, as checkpoints name it, no spaces (default: verdict-audit)');
  addJson(addKeys(command)).action(async (dir, options) => {
    const { initAuditLog } = await import('../../../audit/init.ts');
    const place = logPlaceOf(dir, options, io);
    const { log, origin } = await initAuditLog({ ...place, ...present({ origin: options.origin }) });
    // A place of keys in a database has the master key.
    const keys = typeof place.keys === 'string' ? place.keys : (options.keys ?? dir);
    const copies =
      place.dir === undefined
        ? 'Keep a copy of the master key elsewhere: without it the keys cannot be read, and nothing brings it back.'
        : `Keep a copy of ${dir}/public elsewhere, to verify checkpoints with.`;
    const text = `log ${log} of ${origin} created
  ${dir}: the records, nothing secret; copy it, back it up
  ${keys}: the keys; anyone with them can read the records, nobody can without them
${copies}
`;
    await endWith(io, options, { data: () => ({ log, origin, dir, keys }), text: () => text });
  });
}
