/** The folder of a log on the command line, and that of its keys. */

import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { keysFolder, type LogPlace, type OpenAuditLog } from '../../audit/log.ts';
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
  const named = keys ?? (env[KEYS_VARIABLE] || undefined);
  return { dir, keys: named ?? keysFolder({ dir }) };
}

/** Whether there are keys to use: who only reads need not have them, and who names them wants them used. */
export function hasKeys(options: KeysOptions, { env }: Pick<Io, 'env'>, keys: string): boolean {
  return options.keys !== undefined || Boolean(env[KEYS_VARIABLE]) || existsSync(keys);
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
