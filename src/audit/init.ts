/** Two folders, empty or not there -> an audit log and its keys, begun. */

import { chmod, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { VerdictError } from '../errors.ts';
import { dataFolder } from './keys/data-keys.ts';
import { createKeys, putPublicKey } from './keys/index-keys.ts';
import { formatLogFile, instantOf, type LogFile, ORIGIN } from './log-file.ts';
import { checkApart, keysFolder, type LogPlace } from './place.ts';
import { ensureFolder, isCode, publish, realFiles } from './store/files.ts';
import { wrapIoErrors } from './store/io-errors.ts';

/** What a log is begun with. */
export interface InitOptions extends LogPlace {
  /** Who keeps it, as its checkpoints name it: visible ASCII without spaces. Default: `verdict-audit`. */
  readonly origin?: string;
}

/**
 * Begins a log, in folders that are not there or empty. Rejects with CONFIGURATION_INVALID where something is there, or the keys
 * would stand inside the log, and with AUDIT_FAILED where the disk fails.
 */
export async function initAuditLog({ dir, keys, origin = 'verdict-audit' }: InitOptions): Promise<LogFile> {
  const keysDir = keysFolder(keys === undefined ? { dir } : { dir, keys });
  if (!ORIGIN.is(origin)) throw new VerdictError('CONFIGURATION_INVALID', `the origin has to be ${ORIGIN.expected}`);
  const log = uuidV7();
  const logFile = { log, origin, createdAt: instantOf(log) };
  return wrapIoErrors('begun', async () => {
    await checkApart(dir, keysDir);
    await checkEmpty(dir, 'log');
    await checkEmpty(keysDir, 'key');
    const chains = join(dir, 'chains');
    await makeOwn(dir);
    // Of two who begin at once, only one can make a folder.
    await makeNew(chains, 'log');
    await makeOwn(keysDir);
    try {
      await makeNew(dataFolder(keysDir), 'key');
    } catch (error) {
      await rmdir(chains);
      throw error;
    }
    const publicKey = await createKeys(keysDir, log);
    for (const folder of ['policies', 'mappings']) await ensureFolder(realFiles, join(dir, folder));
    await putPublicKey(dir, publicKey);
    // Last: a folder that has it is whole.
    await publish(realFiles, join(dir, 'log.json'), Buffer.from(formatLogFile(logFile)), 'new');
    await realFiles.syncFolder(dir);
    return logFile;
  });
}

async function checkEmpty(folder: string, what: 'log' | 'key'): Promise<void> {
  const names = await realFiles.list(folder).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  });
  if (names.length > 0) throw notEmpty(what);
}

function notEmpty(what: 'log' | 'key'): VerdictError {
  return new VerdictError('CONFIGURATION_INVALID', `the ${what} folder is not empty, and is left as it is`);
}

/** A folder for its owner alone, whoever made it. */
async function makeOwn(folder: string): Promise<void> {
  await ensureFolder(realFiles, folder);
  await chmod(folder, 0o700);
}

async function makeNew(folder: string, what: 'log' | 'key'): Promise<void> {
  try {
    await realFiles.makeFolder(folder);
  } catch (error) {
    throw isCode(error, 'EEXIST') ? notEmpty(what) : error;
  }
}
