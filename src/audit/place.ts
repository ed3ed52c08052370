/** Where a log is -> the folders of the log and its keys, which must be apart; its id, operator and beginning. */

import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isBelow } from '../platform/files/project.ts';
import { type Kind, type Kinds, optionsReader, TEXT } from '../platform/given/options.ts';
import { isObject, parseJson } from '../platform/json.ts';
import * as is from './entry/schema.ts';
import { FORMAT, formatExactFile, readExactFile } from './entry/schema.ts';
import { type Folder, readWhole, unlessCode } from './store/files.ts';
import { unusable, wrapIoErrors } from './store/io-errors.ts';
import { instantOf } from './store/segment.ts';

/** A log in a folder of this machine. */
export interface FolderPlace {
  /** The log's folder. */
  readonly dir: string;
  /** The key folder, outside the log's folder. Default: the log's folder with `-keys` appended to its name. */
  readonly keys?: string;
  /**
   * A folder on a local disk, where each log has a folder for its index; outside the log's folder. Default: the log's
   * folder, where SQLite cannot keep an index if it is on a network.
   */
  readonly index?: string;
  readonly postgres?: undefined;
}

/** A log in a database, which processes of several machines share. */
export interface DatabasePlace {
  /** The URL: `postgres://user:password@host/database?sslmode=verify-full`. */
  readonly postgres: string;
  /** A key folder, or a database: by default that of the log. Only who verifies a log can do without. */
  readonly keys?: string | DatabaseKeys | undefined;
  readonly dir?: undefined;
  readonly index?: undefined;
}

/** Keys in a database, each wrapped by a master key. */
export interface DatabaseKeys {
  /** The URL of their database. Default: that of the log. */
  readonly postgres?: string | undefined;
  /** 32 bytes as 64 hexadecimal digits. */
  readonly masterKey: string;
}

/** Where a log and its keys are. */
export type LogPlace = FolderPlace | DatabasePlace;

const KEYS: Kind = {
  expected: 'a folder, or { masterKey, postgres? }',
  is: (value) => TEXT.is(value) || (isObject(value) && TEXT.is(value['masterKey'])),
};

/** The kinds of `LogPlace`. */
export const LOG_PLACE: Kinds<LogPlace> = { 'dir?': TEXT, 'postgres?': TEXT, 'keys?': KEYS, 'index?': TEXT };

/** Checks where a log is. Throws CONFIGURATION_INVALID. */
export const readPlace = optionsReader<LogPlace>('the place of the log', LOG_PLACE);

/** The key folder of a log. */
export function keysFolder({ dir, keys }: FolderPlace): string {
  return keys ?? `${resolve(dir)}-keys`;
}

/** A log and its keys: folders of this machine, or of a database. */
export interface LogHome {
  readonly log: Folder;
  readonly keys: Folder;
}

/** The place of a log for who has no keys. */
export function withoutKeys({ dir, postgres }: LogPlace): LogPlace {
  return dir === undefined ? { postgres } : { dir };
}

/** Throws CONFIGURATION_INVALID if one of the folders is inside the other, under any name. */
export async function checkApart(dir: string, other: string, what: 'key' | 'index' = 'key'): Promise<void> {
  const [log, apart] = [await resolveLinks(dir), await resolveLinks(other)];
  if (!isBelow(log, apart) && !isBelow(apart, log)) return;
  const expected = `expected them apart: a copy of the log must not hold ${what === 'key' ? 'keys' : 'its index'}`;
  throw unusable(`the log folder or ${what} folder is inside the other, ${expected}`);
}

/** The path with all links followed, as far as it exists. */
async function resolveLinks(path: string): Promise<string> {
  const full = resolve(path);
  const parent = dirname(full);
  // The root always exists.
  const real = parent === full ? await realpath(full) : await unlessCode(realpath(full), 'ENOENT', 'ENOTDIR');
  return real ?? join(await resolveLinks(parent), basename(full));
}

/** The index in the folder of a log: not a part of it, and made again if it is removed. */
export const INDEX_FILE = 'index.sqlite';

/** The endings of the files of an index: SQLite keeps more files beside an open one. */
export const INDEX_ENDINGS = ['', '-wal', '-shm', '-journal'] as const;

/** Whether a name in the folder of a log is of its index. */
export function isOfIndex(name: string): boolean {
  return INDEX_ENDINGS.some((ending) => name === INDEX_FILE + ending);
}

/** The contents of `log.json`. */
export interface LogFile {
  /** A UUID, version 7, made when the log was created. */
  readonly log: string;
  /** The operator, as the log's checkpoints name it. */
  readonly origin: string;
  /** ISO 8601, UTC: the instant of the UUID. */
  readonly createdAt: string;
}

/** A name without spaces, because a signed note separates it by spaces. */
export const ORIGIN = is.textLike('1 to 200 visible ASCII characters without spaces', /^[!-~]{1,200}$/);

const SHAPE: is.Shape = { format: FORMAT, log: is.ID, origin: ORIGIN, createdAt: is.INSTANT };

/** The bytes of `log.json`. */
export function formatLogFile({ log, origin, createdAt }: LogFile): Buffer {
  return formatExactFile({ format: 1, log, origin, createdAt });
}

/** The contents of `log.json`; undefined if the bytes are not those written for them. */
export function readLogFile(bytes: Uint8Array): LogFile | undefined {
  const file = readExactFile(bytes, SHAPE) as LogFile | undefined;
  // Nothing else would reveal a changed instant.
  return file && instantOf(file.log) === file.createdAt ? file : undefined;
}

/** What to say of the file of a later version; undefined for any other. */
function formatOf(bytes: Uint8Array): string | undefined {
  const { value } = { value: undefined, ...parseJson(Buffer.from(bytes)) };
  const format = isObject(value) ? value['format'] : undefined;
  return Number.isSafeInteger(format) && format !== 1 ? `has format ${format}, and this version reads 1` : undefined;
}

/** Reads `log.json` of a log. Rejects with CONFIGURATION_INVALID if it is absent or malformed. */
export async function readLog(log: Folder): Promise<LogFile> {
  const bytes = await wrapIoErrors('read', () => unlessCode(readWhole(log, 'log.json'), 'ENOTDIR', 'EISDIR'));
  if (!bytes) throw unusable('found no audit log in that folder: `verdict audit init` creates one');
  const file = readLogFile(bytes);
  if (!file) throw unusable(`log.json of the audit log ${formatOf(bytes) ?? 'is malformed'}`);
  return file;
}
