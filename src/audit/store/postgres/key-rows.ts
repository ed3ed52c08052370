/** A database of PostgreSQL and a master key -> the files of the keys of a log, each wrapped (AES-256-GCM). */

import { createSecretKey } from 'node:crypto';
import type { Connections } from '../../../platform/homes/connections.ts';
import { KEY_BYTES } from '../../keys/data-keys.ts';
import { openBytes, sealBytes } from '../../keys/encrypt.ts';
import {
  byName,
  codedError,
  type FileState,
  type Files,
  type FolderItem,
  NOT_OF_ROWS,
  type OpenFile,
} from '../files.ts';
import { unusable } from '../io-errors.ts';

const BLOCK = /^data\/(.+)\.keys$/;
const FOLDERS = ['data', 'policies'];

const SQL = {
  files: 'select name, length(bytes) as size from key_file',
  blocks: 'select name, slots from key_block',
  file: 'select bytes from key_file where name = $1',
  block: 'select slots from key_block where name = $1',
  slots: 'select slot, bytes from key_data where block = $1 and slot >= $2 and slot < $3',
  add: 'insert into key_file values ($1, $2) on conflict do nothing returning name',
  put: 'insert into key_file values ($1, $2) on conflict (name) do update set bytes = excluded.bytes returning name',
  change: 'update key_file set bytes = $2 where name = $1',
  addBlock: `with block as (insert into key_block values ($1, $2) on conflict do nothing returning name), keys as (
      insert into key_data select name, n - 1, bytes from block, unnest($3::bytea[]) with ordinality as key(bytes, n)
        where bytes is not null)
    select name from block`,
  erase: 'delete from key_data where block = $1 and slot = any ($2::integer[])',
} as const;

/** Bytes, and where in a file they are written. */
interface Written {
  readonly at: number;
  readonly bytes: Buffer;
}

/** The keys of the log that a database has. Errors have codes, as those of a file system. */
export function keyRows(connections: Connections, masterKey: string): Files {
  const rows = async <Row>(text: string, parameters: readonly unknown[] = []) =>
    (await connections.query(text, parameters)) as readonly Row[];
  const master = createSecretKey(masterKey, 'hex');
  /** A name is bound to what is wrapped under it, so that no row can take another's place. */
  const wrap = (bytes: Buffer, name: string) => sealBytes(bytes, master, Buffer.from(name));
  const unwrap = (wrapped: Buffer, name: string): Buffer => {
    const bytes = openBytes(wrapped, master, Buffer.from(name));
    if (!bytes) throw unusable(NOT_OPENED);
    return bytes;
  };

  const items = async (folder: string): Promise<FolderItem[]> => {
    if (folder === 'data') {
      const blocks = await rows<{ name: string; slots: number }>(SQL.blocks);
      const found = blocks.map(({ name, slots }) => ({ name: `${name}.keys`, size: slots * KEY_BYTES }));
      return found.map((each): FolderItem => ({ ...each, kind: 'file' })).sort(byName);
    }
    const start = folder === '' ? '' : `${folder}/`;
    const inside = (await rows<{ name: string; size: number }>(SQL.files)).filter(({ name }) => name.startsWith(start));
    const found = inside.map(({ name, size }) => ({ name: name.slice(start.length), size: Number(size) }));
    return [
      ...(folder === '' ? FOLDERS : []).map((name): FolderItem => ({ name, size: 0, kind: 'folder' })),
      ...found.flatMap(({ name, size }): FolderItem[] => (name.includes('/') ? [] : [{ name, size, kind: 'file' }])),
    ].sort(byName);
  };

  const readWholeFile = async (path: string): Promise<Buffer> => {
    const [found] = await rows<{ bytes: Buffer }>(SQL.file, [path]);
    if (!found) throw codedError(FOLDERS.includes(path) ? 'EISDIR' : 'ENOENT', path);
    return unwrap(found.bytes, path);
  };

  /** The keys of a block, with zeros for those that are erased. */
  const readBlock = async (path: string, block: string, from: number, end: number): Promise<Buffer> => {
    const [found] = await rows<{ slots: number }>(SQL.block, [block]);
    if (!found) throw codedError('ENOENT', path);
    const bytes = Buffer.alloc(found.slots * KEY_BYTES);
    const slots = [block, Math.floor(from / KEY_BYTES), Math.ceil(Math.min(end, bytes.length) / KEY_BYTES)];
    for (const { slot, bytes: wrapped } of await rows<{ slot: number; bytes: Buffer }>(SQL.slots, slots)) {
      unwrap(wrapped, `${block}:${slot}`).copy(bytes, slot * KEY_BYTES);
    }
    return bytes.subarray(from, end);
  };

  async function* read(path: string, from = 0, length?: number): AsyncGenerator<Buffer> {
    const end = length === undefined ? Number.MAX_SAFE_INTEGER : from + length;
    const block = BLOCK.exec(path)?.[1];
    yield block === undefined
      ? (await readWholeFile(path)).subarray(from, end)
      : await readBlock(path, block, from, end);
  }

  const stat = async (path: string): Promise<FileState> => {
    if (path === '' || path === '.' || FOLDERS.includes(path)) return { kind: 'folder', size: 0, id: path };
    const block = BLOCK.exec(path)?.[1];
    const size =
      block === undefined
        ? (await readWholeFile(path)).length
        : (await rows<{ slots: number }>(SQL.block, [block])).map(({ slots }) => slots * KEY_BYTES)[0];
    if (size === undefined) throw codedError('ENOENT', path);
    return { kind: 'file', size, id: path };
  };

  /** What is written to it is given to `save`. */
  const file = (path: string, save: (written: readonly Written[]) => Promise<void>): OpenFile => {
    const written: Written[] = [];
    return {
      write: async (bytes, at = 0) => written.push({ at, bytes }) && bytes.length,
      datasync: () => save(written),
      truncate: () => Promise.reject(codedError('EINVAL', path)),
      state: () => stat(path),
      close: async () => {},
    };
  };

  const addBlock = async (path: string, block: string, written: readonly Written[]) => {
    const keys = Buffer.concat(written.map(({ bytes }) => bytes));
    const slots = Array.from({ length: Math.floor(keys.length / KEY_BYTES) }, (_, slot) => {
      const key = keys.subarray(slot * KEY_BYTES, (slot + 1) * KEY_BYTES);
      // A block that is copied may have keys that are erased.
      return key.every((byte) => byte === 0) ? null : wrap(key, `${block}:${slot}`);
    });
    keys.fill(0);
    if ((await rows(SQL.addBlock, [block, slots.length, slots])).length === 0) throw codedError('EEXIST', path);
  };

  const eraseSlots = async (block: string, written: readonly Written[]) => {
    await rows(SQL.erase, [block, written.map(({ at }) => at / KEY_BYTES)]);
  };

  const overwrite = (path: string, written: readonly Written[]) =>
    connections.transaction(`key ${path}`, async (query) => {
      const [found] = (await query(SQL.file, [path])) as readonly { bytes: Buffer }[];
      if (!found) throw codedError('ENOENT', path);
      const whole = unwrap(found.bytes, path);
      for (const { at, bytes } of written) bytes.copy(whole, at);
      await query(SQL.change, [path, wrap(whole, path)]);
    });

  return {
    ...NOT_OF_ROWS,
    open: async (path, mode) => {
      const block = BLOCK.exec(path)?.[1];
      if (mode === 'create' && block !== undefined) return file(path, (written) => addBlock(path, block, written));
      if (mode !== 'change') throw codedError('EINVAL', path);
      return file(path, (written) => (block === undefined ? overwrite(path, written) : eraseSlots(block, written)));
    },
    read,
    list: async (folder) => (await items(folder)).map(({ name }) => name),
    stat,
    makeFolder: (path) => Promise.reject(codedError('EEXIST', path)),
    rows: {
      items,
      publish: async (path, bytes, how) => {
        const put = await rows(how === 'new' ? SQL.add : SQL.put, [path, wrap(bytes, path)]);
        if (put.length === 0) throw codedError('EEXIST', path);
      },
    },
  };
}

const NOT_OPENED = 'a key of the log does not open: the master key is another one, or the row was changed';
