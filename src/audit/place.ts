/** A log's folder and its key folder: where they are, each outside of the other. */

import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { VerdictError } from '../errors.ts';
import { isCode } from './store/files.ts';

/** Where a log and its keys are. */
export interface LogPlace {
  /** The log's folder. */
  readonly dir: string;
  /** The key folder, outside the log's. Default: `keysFolder(dir)`. */
  readonly keys?: string;
}

/** The key folder of a log, where nobody says otherwise: beside it, its name with `-keys` behind. */
export function keysFolder({ dir, keys }: LogPlace): string {
  return keys ?? `${resolve(dir)}-keys`;
}

/** Throws CONFIGURATION_INVALID where one of the folders stands in the other, by whatever name. */
export async function checkApart(dir: string, keysDir: string): Promise<void> {
  const [log, keys] = [await realPlace(dir), await realPlace(keysDir)];
  if (!isInside(keys, log) && !isInside(log, keys)) return;
  throw new VerdictError(
    'CONFIGURATION_INVALID',
    'the key folder has to stand outside of the log, and the log outside of it: who may copy the log must not get its keys with it',
  );
}

function isInside(one: string, other: string): boolean {
  return `${one}${sep}`.startsWith(other.endsWith(sep) ? other : `${other}${sep}`);
}

/** Where a path leads, links followed as far as it is there. */
async function realPlace(path: string): Promise<string> {
  const whole = resolve(path);
  try {
    return await realpath(whole);
  } catch (error) {
    if (!isCode(error, 'ENOENT', 'ENOTDIR') || dirname(whole) === whole) throw error;
    return join(await realPlace(dirname(whole)), basename(whole));
  }
}
