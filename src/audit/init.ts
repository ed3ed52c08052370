/** Two absent or empty folders -> a new audit log and its keys. */

import { chmod, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import type { VerdictError } from '../errors.ts';
import { optionsReader } from '../platform/given/options.ts';
import { dataFolder } from './keys/data-keys.ts';
import { createKeys, putPublicKey } from './keys/key-folder.ts';
import {
  checkApart,
  formatLogFile,
  homeOf,
  keysFolder,
  LOG_PLACE,
  type LogFile,
  type LogPlace,
  ORIGIN,
} from './place.ts';
import { below, ensureFolder, folderAt, isCode, publishNew, realFiles, unlessCode } from './store/files.ts';
import { unusable, wrapIoErrors } from './store/io-errors.ts';
import { instantOf } from './store/segment.ts';

/** What a new log needs. */
export interface InitOptions extends LogPlace {
  /** The operator, as the log's checkpoints name it: visible ASCII without spaces. Default: `verdict-audit`. */
  readonly origin?: string;
}

/**
 * Creates a log in folders that are absent or empty. Rejects with CONFIGURATION_INVALID if a folder is not empty or
 * the key folder is inside the log, and with AUDIT_FAILED if the disk fails.
 */
export async function initAuditLog(options: InitOptions): Promise<LogFile> {
  const { origin = 'verdict-audit', ...place } = readOptions(options);
  const { dir } = place;
  const keysDir = keysFolder(place);
  const home = await homeOf(place);
  const log = uuidV7();
  const logFile = { log, origin, createdAt: instantOf(log) };
  return wrapIoErrors('created', async () => {
    await checkApart(dir, keysDir);
    await checkEmpty(dir, 'log');
    await checkEmpty(keysDir, 'key');
    const chains = join(dir, 'chains');
    await makePrivateFolder(dir);
    // If two processes create the log at once, only one of them can make this folder.
    await makeNewFolder(chains, 'log');
    await makePrivateFolder(keysDir);
    try {
      await makeNewFolder(dataFolder(home.keys).path, 'key');
    } catch (error) {
      await rmdir(chains);
      throw error;
    }
    const publicKey = await createKeys(home.keys, log);
    for (const folder of ['policies', 'mappings']) await ensureFolder(below(home.log, folder));
    await putPublicKey(home.log, publicKey);
    // Last: a folder with this file is complete.
    await publishNew(home.log, 'log.json', formatLogFile(logFile));
    return logFile;
  });
}

const readOptions = optionsReader<InitOptions>('the options of the audit log', { ...LOG_PLACE, 'origin?': ORIGIN });

async function checkEmpty(folder: string, what: 'log' | 'key'): Promise<void> {
  if ((await unlessCode(realFiles.list(folder), 'ENOENT'))?.length) throw notEmpty(what);
}

function notEmpty(what: 'log' | 'key'): VerdictError {
  return unusable(`the ${what} folder is not empty, and is left as it is`);
}

/** Makes a folder for its owner alone, or makes an existing one so. */
async function makePrivateFolder(folder: string): Promise<void> {
  await ensureFolder(folderAt(folder));
  await chmod(folder, 0o700);
}

async function makeNewFolder(folder: string, what: 'log' | 'key'): Promise<void> {
  try {
    await realFiles.makeFolder(folder);
  } catch (error) {
    throw isCode(error, 'EEXIST') ? notEmpty(what) : error;
  }
}
