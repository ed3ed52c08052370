/** The URL of a database -> the log in it and its keys, over connections that all of a process share. */

import { CodedCause } from '../errors.ts';
import { type Connections, isDurable, openConnections, toMendInPostgres } from '../platform/homes/connections.ts';
import { type Area, migrate, problemOfLevel, readLevel } from '../platform/homes/migrations.ts';
import { openHome } from '../platform/homes/open-home.ts';
import { addToIndex, forgetSegments } from './index/index-postgres.ts';
import type { Alongside, NewLine } from './index/index-sql.ts';
import { readLine } from './index/news.ts';
import type { DatabasePlace, LogHome } from './place.ts';
import type { SearchEntry } from './read/search-entry.ts';
import { type Folder, folderAt, realFiles } from './store/files.ts';
import { unusable, wrapIoErrors } from './store/io-errors.ts';
import { keyRows } from './store/postgres/key-rows.ts';
import { logRows, type WrittenLines } from './store/postgres/log-rows.ts';

/** The tables of a log. */
export const LOG_TABLES: Area = {
  name: 'log',
  table: 'log_entry',
  files: ['0001-tables'],
  command: 'verdict audit migrate postgres:NAME',
};

/** The tables of its keys. */
export const KEY_TABLES: Area = {
  name: 'keys',
  table: 'key_data',
  files: ['0001-tables'],
  command: 'verdict audit migrate postgres:NAME --keys',
};

/** A call ends within this time: an append is refused, and its record not acknowledged. */
const LIMIT_MS = 10_000;

function needKeys(): never {
  throw unusable('expected the keys of the log too: a key folder, or the master key of keys in a database');
}

/** The keys for who gave none. */
const NO_KEYS: Folder = { files: { ...realFiles, read: needKeys, list: needKeys }, path: '' };

/**
 * Connections by their area, URL and use, as long as the process runs; those that nobody uses close themselves.
 * INVARIANT: who writes waits for no connection that readers have: one that comes too late stops the writing.
 */
const opened = new Map<string, Promise<Connections>>();

/** Resolves once the tables of the area are there, which `make` makes or migrates. */
export async function connectTo(url: string, area: Area, use: 'read' | 'write' | 'make'): Promise<Connections> {
  const name = `${area.name} ${url} ${use === 'write'}`;
  const open = async () => {
    const limits = { limitMs: LIMIT_MS, what: area.name };
    const connections = await openConnections(url, limits, (code) => new CodedCause(code));
    const check = async () => {
      if (use === 'make') await migrate(connections, area);
      const level = await readLevel(connections.query, area);
      const problem = level.isNew ? `found no ${area.name} in that database: ${INIT}` : problemOfLevel(area, level);
      if (problem !== undefined) throw unusable(problem);
      if (!(await isDurable(connections.query))) throw unusable(`${NOT_DURABLE} for the ${area.name}`);
    };
    await openHome(check, { toMend: toMendInPostgres(`the ${area.name}`), close: () => void connections.end() });
    return connections;
  };
  const found = opened.get(name) ?? open();
  opened.set(name, found);
  found.catch(() => opened.delete(name));
  return wrapIoErrors('opened', () => found);
}

const MASTER_KEY = 'the master key is malformed: expected 64 hexadecimal digits, as of openssl rand -hex 32';
const INIT = '`verdict audit init` makes one';

const NOT_DURABLE = 'synchronous_commit of PostgreSQL is off: set it to on';

/** Makes the tables of a log and its keys, unless they are there. */
export async function makeTables({ postgres, keys }: DatabasePlace): Promise<void> {
  await connectTo(postgres, LOG_TABLES, 'make');
  if (typeof keys === 'object') await connectTo(keys.postgres ?? postgres, KEY_TABLES, 'make');
}

/** The home of a log in a database, with its index. `alongside`: of who writes it; see `homeOf`. */
export async function databaseHome({ postgres, keys }: DatabasePlace, alongside?: Alongside): Promise<LogHome> {
  const use = alongside ? 'write' : 'read';
  const connections = await connectTo(postgres, LOG_TABLES, use);
  const files = logRows(connections, {
    added: async (query, written) => {
      const lines = linesOf(written);
      await addToIndex(query, lines);
      await alongside?.(query, lines);
    },
    removed: (query, chain, segment) => forgetSegments(query, chain, [segment]),
  });
  const log = { files, path: '' };
  if (typeof keys !== 'object') return { log, keys: keys === undefined ? NO_KEYS : folderAt(keys) };
  if (!/^[\da-f]{64}$/i.test(keys.masterKey)) throw unusable(MASTER_KEY);
  const keyConnections = await connectTo(keys.postgres ?? postgres, KEY_TABLES, use);
  return { log, keys: { files: keyRows(keyConnections, keys.masterKey), path: '' } };
}

/** The entries of lines, and where they are. */
export function linesOf({ chain, segment, line: first, starts, texts }: WrittenLines): readonly NewLine[] {
  return texts.map((text, i) => {
    const bytes = Buffer.from(text);
    const [line, start] = [first + i, starts[i] ?? 0];
    const position = { chain, segment, line, start, end: start + bytes.length + 1 };
    return { position, entry: readLine(bytes, position) as SearchEntry };
  });
}
