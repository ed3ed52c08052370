/** `verdict audit copy`: a log in a folder or a database -> the same log in another. */

import type { Command } from 'commander';
import type { LogPlace } from '../../../audit/place.ts';
import { count } from '../../../text.ts';
import { EXIT, type Finish, type Io, UsageError } from '../../io.ts';
import { addFormat, type JsonOptions } from '../../options/arguments.ts';
import { printResult } from '../../options/html.ts';
import { checkIsLog, logPlaceOf } from '../../options/log-place.ts';
import { isDatabase, postgresOf } from '../../options/tables.ts';

interface Options extends JsonOptions {
  readonly from: string;
  readonly to: string;
  readonly fromKeys?: string;
  readonly toKeys?: string;
}

/** Adds the command. */
export function addCopy(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('copy')
    .description('copy a log to an empty folder or database; without its keys, unless both places of keys are given')
    .requiredOption('--from <place>', 'the log: a folder, or postgres:NAME')
    .requiredOption('--to <place>', 'where it is copied to: a folder, or postgres:NAME')
    .option('--from-keys <place>', 'its keys: a folder, or postgres:NAME with the master key in VERDICT_MASTER_KEY')
    .option('--to-keys <place>', 'where its keys are copied to: a folder, or postgres:NAME');
  addFormat(command, ['text', 'json']).action(async ({ from, to, fromKeys, toKeys, ...options }: Options) => {
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
    await printResult(io, options, { data: () => copied, text });
    finish(EXIT.done);
  });
}

const TOGETHER = '--from-keys and --to-keys go together: without either the log is copied without its keys';
