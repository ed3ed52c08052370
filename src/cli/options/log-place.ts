/** Where a log and its keys are, and other arguments of `verdict audit`. */

import { accessSync, constants, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, OptionValues } from 'commander';
import type { LogIndex } from '../../audit/index/log-index.ts';
import type { OpenAuditLog } from '../../audit/log.ts';
import { keysFolder, type LogPlace } from '../../audit/place.ts';
import { VerdictError } from '../../errors.ts';
import { openInput } from '../input/open-input.ts';
import { CouldNotRunError, type Io, say, UsageError } from '../io.ts';
import type { NoOptions, OptionsOf } from './arguments.ts';
import { isDatabase, postgresOf } from './tables.ts';

/** The keys of a log. */
export type KeysOptions = OptionsOf<typeof addKeys<[], NoOptions>>;

/** The environment variable that names the keys, and the one of the master key of keys in a database. */
const [KEYS_VARIABLE, MASTER_VARIABLE] = ['VERDICT_AUDIT_KEYS', 'VERDICT_MASTER_KEY'];

/** Adds `--keys`. */
export function addKeys<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  const where = `a folder, or postgres:NAME with the master key in ${MASTER_VARIABLE}`;
  return command.option('--keys <place>', `the keys: ${where} (default: ${KEYS_VARIABLE}, or where the log is)`);
}

/** Where a log and its keys are: a folder, or `postgres:NAME`, the variable that has the URL of a database. */
export function logPlaceOf(dir: string, { keys }: KeysOptions, io: Pick<Io, 'env'>): LogPlace {
  // An unset shell variable leaves an empty text, which would name the current folder.
  const empty = dir === '' ? 'the log' : '--keys';
  if (dir === '' || keys === '') throw new UsageError(`${empty} is empty, expected a folder or postgres:NAME`);
  const named = keys ?? (io.env[KEYS_VARIABLE] || undefined);
  if (!isDatabase(dir)) {
    if (named !== undefined && isDatabase(named)) throw new UsageError('the keys of a log in a folder are in a folder');
    return { dir, keys: named ?? keysFolder({ dir }) };
  }
  const postgres = postgresOf(dir, io);
  if (named !== undefined && !isDatabase(named)) return { postgres, keys: named };
  const { [MASTER_VARIABLE]: masterKey } = io.env;
  // Who verifies a log may have no keys.
  if (!masterKey && named === undefined) return { postgres };
  if (!masterKey) throw new UsageError(MASTER_KEY);
  return { postgres, keys: { masterKey, ...(named === undefined ? {} : { postgres: postgresOf(named, io) }) } };
}

const MASTER_KEY = `${MASTER_VARIABLE} is not set, expected the master key of the keys`;

/**
 * Whether the user named the keys, or the default folder is there: one that this user may read, or also any other.
 * Commands that only read do not need the default ones.
 */
export function hasKeys(
  { keys: place }: LogPlace,
  { keys }: KeysOptions,
  { env }: Pick<Io, 'env'>,
  isThere: (folder: string) => boolean = isReadable,
): boolean {
  if (typeof place !== 'string') return place !== undefined;
  return keys !== undefined || Boolean(env[KEYS_VARIABLE]) || isThere(place);
}

/** Whether this user may read a folder. */
function isReadable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Throws if there is no log. Call it before any check of the keys, whose messages would mislead. */
export function checkIsLog(dir: string): void {
  // A database is asked when it is opened.
  if (isDatabase(dir)) return;
  if (mayExist(join(dir, 'log.json')) || mayExist(join(dir, 'chains'))) return;
  throw new UsageError('found no audit log in that folder: `verdict audit init` creates one');
}

/** Whether a path exists, or may exist where this user cannot look. */
export function mayExist(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

/** More of a log than this is not read to bring its index up to date: the log itself may be read as fast. */
const MOST_BEHIND_BYTES = 256 * 1024 * 1024;

/**
 * Uses the index of a log, brought up to date, where there is one that can be used; undefined otherwise, and a line on
 * standard error says why.
 */
export async function withIndex<Result>(
  place: LogPlace,
  io: Io,
  use: (index: LogIndex | undefined) => Promise<Result>,
): Promise<Result> {
  const { hasIndex, openLogIndex } = await import('../../audit/index/open-index.ts');
  if (!hasIndex(place)) return use(undefined);
  const index = await openLogIndex(place);
  try {
    const problem = await problemOf(index);
    if (problem !== undefined) await say(io.stderr, `the log is read without its index: ${problem}\n`);
    return await use(problem === undefined ? index : undefined);
  } finally {
    await index.close();
  }
}

async function problemOf(index: LogIndex): Promise<string | undefined> {
  try {
    if ((await index.behind()) > MOST_BEHIND_BYTES) return 'verdict audit index brings it up to date';
    await index.catchUp();
    return undefined;
  } catch (error) {
    if (!VerdictError.is(error)) throw error;
    return error.message;
  }
}

/** Opens the log for writing while `use` runs. */
export async function withLog<Result>(place: LogPlace, use: (log: OpenAuditLog) => Promise<Result>): Promise<Result> {
  const { createAuditLog } = await import('../../audit/log.ts');
  const log = await createAuditLog(place);
  try {
    return await use(log);
  } finally {
    await log.close();
  }
}

/** Reads a small file named on the command line; `what` is its content, for the message. */
export function readInputFile(file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CouldNotRunError(isAbsent ? `${file}: no such file` : `the ${what} ${file} cannot be read`);
  }
}

/** The text, or for `-` the first line of standard input, which keeps the text out of the shell history. */
export async function readSecret(text: string, io: Pick<Io, 'stdin'>, what: string): Promise<string> {
  if (text !== '-') return text;
  const chunks: Buffer[] = [];
  for await (const chunk of openInput('-', io)) {
    chunks.push(chunk);
    if (chunks.at(-1)?.includes('\n')) break;
  }
  const [line = ''] = Buffer.concat(chunks).toString('utf8').split('\n');
  if (line.trim() === '') throw new UsageError(`standard input is empty, expected ${what}`);
  return line.trim();
}
