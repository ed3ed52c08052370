/** `verdict audit copy`: a log in a folder or a database -> the same log in another. */

import type { Command } from 'commander';
import type { LogPlace } from '../../../audit/place.ts';
import { count } from '../../../text.ts';
import { type Io, UsageError } from '../../io.ts';
import { addJson } from '../../options/arguments.ts';
import { checkIsLog, logPlaceOf } from '../../options/log-place.ts';
import { isDatabase, postgresOf } from '../../options/tables.ts';
import { endWith } from '../../result.ts';

export function addCopy(audit: Command, io: Io): void {
  const command = audit
    .command('copy')
    .description('copy a log to an empty folder or database; without its keys, unless both places of keys are given')
    .requiredOption('--from <place>', 'the log: a folder, or postgres:NAME')
    .requiredOption('--to <place>', 'where it is copied to: a folder, or postgres:NAME')
    .option('--from-keys <place>', 'its keys: a folder, or postgres:NAME with the master key in VERDICT_MASTER_KEY')
    .option('--to-keys <place>', 'where its keys are copied to: a folder, or postgres:NAME');
  addJson(command).action(async ({ from, to, fromKeys, toKeys, ...options }) => {
    const { copyLog } = await import('../../../audit/copy.ts');
    if ((fromKeys === undefined) !== (toKeys === undefined)) throw new UsageError(TOGETHER);
    const placeOf = (place: string, keys: string | undefined): LogPlace => {
      if (keys !== undefined) return logPlaceOf(place, { keys }, io);
      return isDatabase(place) ? { postgres: postgresOf(place, io) } : { dir: place };
    };
    checkIsLog(from);
    const copied = await copyLog({ from: placeOf(from, fromKeys), to: placeOf(to, toKeys) });
    const { log, chains, bytes, keys } = copied;
    const text = () =>
      `log ${log} copied${keys ? ' with its keys' : ''}: ${count(chains, 'chain')}, ${bytes} bytes of lines\n`;
    await endWith(io, options, { data: () => copied, text });
  });
}

const TOGETHER = '--from-keys and --to-keys go together: without either the log is copied without its keys';
