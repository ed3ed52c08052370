/** Two absent or empty folders, or a database -> a new audit log and its keys. */

import { chmod, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import type { VerdictError } from '../errors.ts';
import { optionsReader } from '../platform/given/options.ts';
import { homeOf } from './home.ts';
import { dataFolder } from './keys/data-keys.ts';
import { createKeys, putPublicKey } from './keys/key-folder.ts';
import {
  checkApart,
  type DatabasePlace,
  type FolderPlace,
  formatLogFile,
  keysFolder,
  LOG_PLACE,
  type LogFile,
  type LogHome,
  type LogPlace,
  ORIGIN,
} from './place.ts';
import { isChainName } from './store/chain.ts';
import { listFolder } from './store/chain-folder.ts';
import {
  below,
  ensureFolder,
  type Folder,
  folderAt,
  isCode,
  publishNew,
  realFiles,
  unlessCode,
} from './store/files.ts';
import { unusable, wrapIoErrors } from './store/io-errors.ts';
import { instantOf } from './store/segment.ts';

/** What a new log needs. */
export type InitOptions = LogPlace & {
  /** The operator, as the log's checkpoints name it: visible ASCII without spaces. Default: `verdict-audit`. */
  readonly origin?: string;
};

/**
 * Creates a log in folders that are absent or empty, or in a database that has none, whose tables it makes. Rejects
 * with CONFIGURATION_INVALID if a folder is not empty, the key folder is inside the log, or the database has a log,
 * and with AUDIT_FAILED if the disk or the database fails.
 */
export async function initAuditLog(options: InitOptions): Promise<LogFile> {
  const { origin = 'verdict-audit', ...place } = readOptions(options);
  const log = uuidV7();
  const logFile = { log, origin, createdAt: instantOf(log) };
  return wrapIoErrors('created', async () => {
    const home = await makeHome(place);
    const publicKey = await createKeys(home.keys, log);
    await putPublicKey(home.log, publicKey);
    // Last: a log with this file is complete.
    await publishNew(home.log, 'log.json', formatLogFile(logFile));
    return logFile;
  });
}

/** A home for a log: folders that are absent or empty, or the tables of a database that has none. */
export async function makeHome(place: LogPlace, hasKeys = true): Promise<LogHome> {
  return place.postgres === undefined ? makeFolders(place, hasKeys) : makeRows(place);
}

async function makeFolders(place: FolderPlace, hasKeys: boolean): Promise<LogHome> {
  const { dir } = place;
  const keysDir = keysFolder(place);
  await checkApart(dir, keysDir);
  await checkEmpty(dir, 'log');
  if (hasKeys) await checkEmpty(keysDir, 'key');
  const chains = join(dir, 'chains');
  await makePrivateFolder(dir);
  // If two processes create the log at once, only one of them can make this folder.
  await makeNewFolder(chains, 'log');
  try {
    if (hasKeys) await makeKeyFolder(keysDir);
  } catch (error) {
    await rmdir(chains);
    throw error;
  }
  const home = await homeOf(place);
  for (const folder of ['policies', 'mappings']) await ensureFolder(below(home.log, folder));
  return home;
}

/** The rows of an empty database; its tables are made if they are not there. */
async function makeRows(place: DatabasePlace): Promise<LogHome> {
  const { makeTables } = await import('./database.ts');
  await makeTables(place);
  if (typeof place.keys === 'string') await checkEmpty(place.keys, 'key');
  const home = await homeOf(place);
  if (await hasFiles(home.log)) throw unusable('the database has a log, or a part of one, which is left as it is');
  if (typeof place.keys === 'string') await makeKeyFolder(place.keys);
  else if (place.keys && (await hasFiles(home.keys))) {
    throw unusable('the database has keys, which are left as they are');
  }
  return home;
}

async function hasFiles(folder: Folder): Promise<boolean> {
  for (const { name, kind } of await listFolder(folder)) {
    if (kind !== 'folder' || isChainName(name) || (await hasFiles(below(folder, name)))) return true;
  }
  return false;
}

async function makeKeyFolder(folder: string): Promise<void> {
  await makePrivateFolder(folder);
  await makeNewFolder(dataFolder(folderAt(folder)).path, 'key');
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
