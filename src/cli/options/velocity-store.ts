/** The store of velocity that a command uses, and its key. */

import type { Command, OptionValues } from 'commander';
import type { LogPlace } from '../../audit/place.ts';
import type { OpenVelocityStore, VelocityStoreOptions } from '../../stores/velocity/velocity.ts';
import { printable } from '../../text.ts';
import { type Io, say, UsageError } from '../io.ts';
import { addJson, type NoOptions, type OptionsOf, requireWith } from './arguments.ts';
import { addKeys, logPlaceOf } from './log-place.ts';

const [STORE_VARIABLE, KEY_VARIABLE] = ['VERDICT_VELOCITY', 'VERDICT_VELOCITY_KEY'];

/** Adds `--velocity` and `--velocity-key`. */
export function addVelocity<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .option(
      '--velocity <file>',
      `the velocity store: a file (default: ${STORE_VARIABLE}, a file or the URL of PostgreSQL or Redis)`,
    )
    .option(
      '--velocity-key <file>',
      `the file with its key, without a log (default: ${KEY_VARIABLE}, or beside the file)`,
    );
}

/** The options of the store that is named; undefined if none is. `keys`: the log that has its key. */
export function velocityOptions(
  { velocity, velocityKey }: OptionsOf<typeof addVelocity<[], NoOptions>>,
  { env }: Pick<Io, 'env'>,
  keys: LogPlace | undefined,
): VelocityStoreOptions | undefined {
  if (velocity?.includes('://')) throw new UsageError(`--velocity names a file: a URL belongs in ${STORE_VARIABLE}`);
  const place = velocity ?? (env[STORE_VARIABLE] || undefined);
  const keyFile = velocityKey ?? (env[KEY_VARIABLE] || undefined);
  if (place === undefined) {
    if (velocityKey !== undefined) throw new UsageError('--velocity-key goes with --velocity');
    return undefined;
  }
  if (keys !== undefined && velocityKey !== undefined) {
    throw new UsageError('--velocity-key is for a store without a log: here the log has the key');
  }
  const key = keys === undefined ? (keyFile === undefined ? {} : { keyFile }) : { keys };
  if (!place.includes('://')) return { sqlite: place, ...key };
  const [isPostgres, isRedis] = [/^postgres(ql)?:\/\//.test(place), /^rediss?:\/\//.test(place)];
  if (!isPostgres && !isRedis)
    throw new UsageError(`${STORE_VARIABLE} is malformed: expected a file, or the URL of PostgreSQL or Redis`);
  if (keys === undefined && keyFile === undefined)
    throw new UsageError('a velocity store on a server has no key of its own: give a log, or --velocity-key');
  return { ...(isPostgres ? { postgres: place } : { redis: place }), ...key };
}

/**
 * Opens the store while `use` runs.
 *
 * @param mayMake whether a file that is not there becomes a new store; else it is a mistake of the command line
 */
export async function withVelocity<Result>(
  options: VelocityStoreOptions,
  use: (store: OpenVelocityStore) => Promise<Result>,
  mayMake = false,
): Promise<Result> {
  const { createVelocityStore, isNewStore } = await import('../../stores/velocity/velocity.ts');
  const { sqlite } = options;
  if (!mayMake && sqlite !== undefined && isNewStore(sqlite)) {
    throw new UsageError(`no velocity store at ${sqlite}: run \`verdict velocity init\` to make one`);
  }
  const store = await createVelocityStore(options);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Adds which store a command is about, its key, and the format of the output. */
export function addStore<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  const log = addVelocity(command).option('--log <log>', 'the audit log whose key the store has');
  return addJson(addKeys(log));
}

/** The store that is named; says so if others than their owner may read its key. */
export async function storeOptions(
  options: OptionsOf<typeof addStore<[], NoOptions>>,
  io: Io,
): Promise<VelocityStoreOptions> {
  requireWith(options, ['keys'], 'log');
  const { log } = options;
  const store = velocityOptions(options, io, log === undefined ? undefined : logPlaceOf(log, options, io));
  if (!store) throw new UsageError('no velocity store: give --velocity, or set VERDICT_VELOCITY');
  const { keyFileOf } = await import('../../stores/velocity/velocity.ts');
  const { findOpenToOthers } = await import('../../audit/store/permissions.ts');
  const keyFile = keyFileOf(store);
  const open = keyFile === undefined ? undefined : await findOpenToOthers(keyFile);
  if (keyFile !== undefined && open) {
    const path = printable(keyFile);
    const risk = 'anyone with it and the store can look up a phone number';
    await say(io.stderr, `verdict: open to other users: ${path} (mode ${open.mode}); ${risk}: chmod go= ${path}\n`);
  }
  return store;
}
