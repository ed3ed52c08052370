/** The path of `index.sqlite` -> the open database, made anew where it is damaged or has another format. */

import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const FORMAT = 3;

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
    disposition text not null, primary key (decision, at, id, entry)) strict, without rowid;
  create table name (key integer primary key, kind text not null, text text) strict;
  create table day (chain integer not null, segment integer not null, key integer not null, day integer not null,
    n integer not null, primary key (chain, segment, key, day)) strict, without rowid;
  pragma user_version = ${FORMAT};`;

/** SQLITE_CORRUPT and SQLITE_NOTADB (sqlite.org/rescode.html). */
const DAMAGED: ReadonlySet<unknown> = new Set([11, 26]);

/** Whether an error of SQLite says that the file is damaged. */
export function isDamaged(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && DAMAGED.has(Number(error.errcode) & 0xff);
}

/** Opens the file, and makes it if there is none; one that is damaged or of another format is made again. */
export function openIndex(path: string): DatabaseSync {
  return openDatabase(path) ?? openNew(path);
}

/** Undefined if the file is damaged or has another format. */
function openDatabase(path: string): DatabaseSync | undefined {
  // Readable by its owner alone, as the log.
  closeSync(openSync(path, 'a', 0o600));
  const db = new DatabaseSync(path);
  try {
    // It is made again from the log, so a commit need not be on the disk.
    db.exec('pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = normal; begin immediate');
    const { user_version: format } = { ...db.prepare('pragma user_version').get() };
    const isNew = format === 0 && !db.prepare('select 1 from sqlite_schema').get();
    if (isNew) db.exec(SCHEMA);
    db.exec('commit; pragma cache_size = -65536');
    if (isNew || format === FORMAT) return db;
  } catch (error) {
    db.close();
    if (isDamaged(error)) return undefined;
    throw error;
  }
  db.close();
  return undefined;
}

function openNew(path: string): DatabaseSync {
  removeIndex(path);
  const db = openDatabase(path);
  if (!db) throw new TypeError('a new index cannot be read');
  return db;
}

/** Removes an index: it is made again from the log. */
export function removeIndex(path: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
}

/** Equal as long as no other file takes the place of this one. */
export function idOf(path: string): string {
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${dev}:${ino}`;
}
