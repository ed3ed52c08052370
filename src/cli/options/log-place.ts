/** The folder of a log on the command line, and that of its keys. */

import { accessSync, constants, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { OpenAuditLog } from '../../audit/log.ts';
import { keysFolder, type LogPlace } from '../../audit/place.ts';
import { CouldNotRunError, type Io, UsageError } from '../io.ts';

/** Where the keys are. */
export interface KeysOptions {
  readonly keys?: string;
}

/** The environment variable that names the key folder. */
const KEYS_VARIABLE = 'VERDICT_AUDIT_KEYS';

/** Adds `--keys`. */
export function addKeys(command: Command): Command {
  return command.option('--keys <dir>', `the key folder (default: ${KEYS_VARIABLE}, or DIR-keys)`);
}

/** The folders of a log. */
export function placeOf(
  dir: string,
  { keys }: KeysOptions,
  { env }: Pick<Io, 'env'>,
): LogPlace & { readonly keys: string } {
  // What an unset variable of a shell leaves; it would stand for the folder that one is in.
  if (dir === '' || keys === '')
    throw new UsageError(`${dir === '' ? '<dir>' : '--keys'} is empty: a folder was expected`);
  const named = keys ?? (env[KEYS_VARIABLE] || undefined);
  return { dir, keys: named ?? keysFolder({ dir }) };
}

/** Whether somebody said where the keys are, and wants them used: who only reads need not have any. */
export function isNamed({ keys }: KeysOptions, { env }: Pick<Io, 'env'>): boolean {
  return keys !== undefined || Boolean(env[KEYS_VARIABLE]);
}

/** Whether this user may look into a folder. */
export function isReadable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Throws where there is no log: to be said before anything is said of its keys. */
export function checkIsLog(dir: string): void {
  if (isThere(join(dir, 'log.json')) || isThere(join(dir, 'chains'))) return;
  throw new UsageError('found no audit log in that folder: `verdict audit init` creates one');
}

/** Whether something is there; what may not be looked at may be. */
export function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

/** Opens the log to write in it, for as long as something is done with it. */
export async function withLog<Result>(place: LogPlace, use: (log: OpenAuditLog) => Promise<Result>): Promise<Result> {
  const { createAuditLog } = await import('../../audit/log.ts');
  const log = await createAuditLog(place);
  try {
    return await use(log);
  } finally {
    await log.close();
  }
}

/** A small file that the command line names. */
export function readNamed(file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code !== 'ENOENT';
    throw new CouldNotRunError(isThere ? `the ${what} ${file} cannot be read` : `${file}: no such file`);
  }
}

/** What `-` stands for: the first line of standard input, so that it stands in no shell history. */
export async function readSecret(text: string, { stdin }: Pick<Io, 'stdin'>, what: string): Promise<string> {
  if (text !== '-') return text;
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    if (chunks.at(-1)?.includes('\n')) break;
  }
  const [line = ''] = Buffer.concat(chunks).toString('utf8').split('\n');
  if (line.trim() === '') throw new UsageError(`${what} was expected on standard input`);
  return line.trim();
}
