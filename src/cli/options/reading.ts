/** Who reads facts on record, and why -> an event in the log that is read, before anything is shown. */

import { accessSync, constants } from 'node:fs';
import { type Command, Option, type OptionValues } from 'commander';
import type { AuditEvent } from '../../audit/query/event.ts';
import { VerdictError } from '../../errors.ts';
import { type Io, say, UsageError } from '../io.ts';
import type { NoOptions, OptionsOf } from './arguments.ts';
import { type logPlaceOf, mayExist, withLog } from './log-place.ts';

/** Who does something, and why. */
type ActorOptions = OptionsOf<typeof addActor<[], NoOptions>>;

/** Adds `--by` and `--why`. */
export function addActor<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .option('--by <name>', 'who does it; on record, encrypted like the facts')
    .option('--why <text>', 'why; on record, encrypted like the facts');
}

/** Adds these and `--unrecorded`. */
export function addReading<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return addActor(command).addOption(
    new Option('--unrecorded', 'read facts in a copy of a log that cannot be written').conflicts(['by', 'why']),
  );
}

/** Both, or a usage error. */
export function readActor({ by, why }: ActorOptions, what: string): Required<ActorOptions> {
  if (by !== undefined && why !== undefined) return { by, why };
  throw new UsageError(`${what} goes on record: say who does it with --by, and why with --why`);
}

/**
 * Puts on record who reads facts and why. Throws a usage error without both, and where that fails; with `--unrecorded`
 * where it would not.
 */
export async function recordReading(
  place: ReturnType<typeof logPlaceOf>,
  event: Pick<AuditEvent, 'type' | 'object' | 'detail' | 'subjects'>,
  { unrecorded, ...options }: OptionsOf<typeof addReading<[], NoOptions>>,
  io: Io,
): Promise<void> {
  const actor = unrecorded ? undefined : readActor(options, 'reading facts');
  const { addEvent } = await import('../../audit/query/event.ts');
  try {
    if (typeof place.keys === 'string' && mayExist(place.keys)) accessSync(place.keys, constants.W_OK);
    await withLog(place, async (log) => actor && addEvent({ log, ...actor, ...event }));
  } catch (error) {
    if (VerdictError.is(error) && error.code !== 'AUDIT_FAILED') throw error;
    const why = VerdictError.is(error) ? error.message : 'the key folder cannot be written';
    if (!unrecorded) throw new UsageError(`${why}; --unrecorded reads facts without a record of it`);
    return say(io.stderr, `not on record: ${why}\n`);
  }
  if (unrecorded) throw new UsageError('--unrecorded is for a log that cannot be written: give --by and --why');
}

/** The hashes of a person, with the newest key, as records of today have them. */
export async function subjectsNamed(subject: string, place: ReturnType<typeof logPlaceOf>) {
  const { homeOf } = await import('../../audit/home.ts');
  const { seekPerson } = await import('../../audit/read/filter.ts');
  const { variable, hashes } = await seekPerson(subject, await homeOf(place));
  return { [variable]: hashes.at(-1) };
}
