/** Arguments of `verdict release`: the log with the releases, whom this machine trusts, the number of one. */

import type { Command, OptionValues } from 'commander';
import type { Means } from '../../release/acts.ts';
import { type Io, orCannotRun, UsageError } from '../io.ts';
import type { NoOptions, OptionsOf } from './arguments.ts';
import { checkIsLog, type KeysOptions, logPlaceOf, withLog } from './log-place.ts';

/** Adds `--trust`. */
export function addTrust<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command.option('--trust <file>', 'whom this machine trusts with releases', 'trust.yaml');
}

/** Whom this machine trusts with releases. */
export async function trustOf({ trust }: OptionsOf<typeof addTrust<[], NoOptions>>) {
  const { readTrust } = await import('../../service/config/trust.ts');
  return orCannotRun(async () => readTrust(trust));
}

/** Works with the releases of a log, which is open for writing. */
export function withReleases<Result>(
  dir: string,
  options: KeysOptions,
  io: Io,
  work: (means: Means) => Promise<Result>,
): Promise<Result> {
  const place = logPlaceOf(dir, options, io);
  checkIsLog(dir);
  return withLog(place, (log) => work({ log }));
}

/** The number of a release. */
export function readNumber(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError('expected the number of a release');
}
