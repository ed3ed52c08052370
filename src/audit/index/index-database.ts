/** The path of `index.sqlite` -> the open database; a damaged one, or one of another format, is made again. */

import { closeSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { CodedCause } from '../../errors.ts';
import { idOf } from '../../platform/files/file-id.ts';
import { INDEX_ENDINGS } from '../place.ts';
import { TERMS } from '../read/criteria.ts';

/** The fourth had 13 kinds of terms. Without a further one, an index would miss decisions: it is made again. */
const FORMAT = 4 + Object.keys(TERMS).length - 13;

/**
 * `segment.line`, `end`: the last line that is indexed, and where the next one begins; `digest` is of that last line.
 * `about`: the entries that name an id. Times are in milliseconds since 1970.
 */
const SCHEMA = `
  create table segment (chain text not null, segment integer not null, line integer not null, start integer not null,
    end integer not null, digest text not null, primary key (chain, segment)) strict, without rowid;
  create table chain (n integer primary key, name text not null unique) strict;
  create table entry (n integer primary key, chain integer not null, segment integer not null, line integer not null,
    start integer not null, end integer not null) strict;
  create table about (id blob not null, role integer not null, entry integer not null,
    primary key (id, role, entry)) strict, without rowid;
  create table decision (entry integer primary key, at integer not null, id blob not null,
    earlier integer not null) strict;
  create index decision_at on decision (at, id);
  create table term (key integer not null, at integer not null, entry integer not null,
    primary key (key, at, entry)) strict, without rowid;
  create table note (decision blob not null, at integer not null, id blob not null, entry integer not null,
    seq integer not null, disposition text not null, primary key (decision, at, id, entry)) strict, without rowid;
  create table name (key integer primary key, kind text not null, text text) strict;
  create table day (chain integer not null, segment integer not null, key integer not null, day integer not null,
    n integer not null, primary key (chain, segment, key, day)) strict, without rowid;
  pragma user_version = ${FORMAT};`;

/** SQLITE_CORRUPT and SQLITE_NOTADB (sqlite.org/rescode.html). */
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);

/** SQLITE_READONLY, SQLITE_IOERR and SQLITE_CANTOPEN: of a file that is removed while it is opened, among others. */
const MAY_BE_GONE: ReadonlySet<number> = new Set([8, 10, 14]);

/** Whether an error of SQLite says that the file is damaged. */
export function isDamaged(error: unknown): boolean {
  return DAMAGED.has(primaryCodeOf(error));
}

/** NaN of an error that is not SQLite's. */
function primaryCodeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : Number.NaN;
}

/** An index that is open, and which file it is. */
export interface OpenIndex {
  readonly database: DatabaseSync;
  /** Of `idOfIndex`, when it was opened. */
  readonly id: string;
}

/** How often the file is opened if other processes remove it meanwhile. */
const ATTEMPTS = 20;

/** Opens the file, and makes it if there is none; one that is damaged or of another format is made again. */
export function openIndex(path: string): OpenIndex {
  for (let left = ATTEMPTS; left > 0; left--) {
    // Readable by its owner alone, as the log.
    closeSync(openSync(path, 'a', 0o600));
    const id = idOf(path);
    try {
      const database = openDatabase(path);
      if (database && id === idOf(path)) return { database, id: idOfIndex(path) };
      if (database) database.close();
      else removeIndex(path);
    } catch (error) {
      if (left === 1 || !MAY_BE_GONE.has(primaryCodeOf(error))) throw error;
    }
  }
  throw new CodedCause('SQLITE_CANTOPEN');
}

/** Undefined if the file is damaged or has another format. */
function openDatabase(path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path);
  try {
    // It is made again from the log, so a commit need not be on the disk.
    database.exec(
      'pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = normal; ' +
        'pragma secure_delete = on; begin immediate',
    );
    const { user_version: format } = { ...database.prepare('pragma user_version').get() };
    const isNew = format === 0 && !database.prepare('select 1 from sqlite_schema').get();
    if (isNew) database.exec(SCHEMA);
    database.exec('commit; pragma cache_size = -65536');
    if (isNew || format === FORMAT) return database;
  } catch (error) {
    database.close();
    if (isDamaged(error)) return undefined;
    throw error;
  }
  database.close();
  return undefined;
}

/** Removes an index: it is made again from the log. */
export function removeIndex(path: string): void {
  for (const ending of INDEX_ENDINGS) rmSync(path + ending, { force: true });
}

/** Equal as long as who opens the index gets this file and its write-ahead log. */
export function idOfIndex(path: string): string {
  return `${idOf(path)} ${idOf(`${path}-wal`)}`;
}
