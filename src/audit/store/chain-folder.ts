/** A folder in a log that others may write -> its files now; the folder of a chain -> its segments and owners. */

import { join } from 'node:path';
import { type RawLine, splitLines } from '../../platform/files/lines.ts';
import { isRunning } from '../../platform/process.ts';
import { MAX_LINE_BYTES } from '../entry/entry.ts';
import { isChainName } from './chain.ts';
import {
  below,
  type FileRange,
  type FileState,
  type Folder,
  type FolderItem,
  isCode,
  openToRead,
  readWhole,
  syncFile,
  unlessCode,
} from './files.ts';
import { type LastState, lastStateOf, parseOwner } from './lease.ts';
import { OWNERS, readTornName, SEGMENTS, TEMPORARY, TOMBSTONES } from './segment.ts';

/** The codes if there is nothing at a path, or a file, link, pipe or socket in place of a folder or file. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR', 'EINVAL'];

/** The items of a folder, sorted by name, without files still being written; empty if it is not a folder. */
export async function listFolder(folder: Folder): Promise<FolderItem[]> {
  if (folder.files.rows) return folder.files.rows.items(folder.path);
  if ((await statEntry(folder))?.kind !== 'folder') return [];
  const items: FolderItem[] = [];
  for (const name of ((await unlessCode(folder.files.list(folder.path), ...ABSENT)) ?? []).toSorted()) {
    const found = await statEntry(folder, name);
    // A file removed since the folder was listed is skipped: a file that must be there is read by its name.
    if (found && !(found.kind === 'file' && TEMPORARY.test(name))) {
      items.push({ name, kind: found.kind, size: found.size });
    }
  }
  return items;
}

/** What a name in a folder, or the folder's own, names; undefined if nothing. */
export function statEntry({ files, path }: Folder, name = ''): Promise<FileState | undefined> {
  return unlessCode(files.stat(join(path, name)), ...ABSENT);
}

/** `length` bytes of a file, in chunks; none if the file is gone. */
export async function* readPieces(
  { files, path }: Folder,
  name: string,
  length: number,
  from = 0,
): AsyncGenerator<Buffer> {
  try {
    yield* files.read(join(path, name), from, length);
  } catch (error) {
    if (!isCode(error, ...ABSENT)) throw error;
  }
}

/** How many ranges are read at once. */
const RANGES_AT_A_TIME = 100;

/** Each range in one piece, as far as its file has it. A file is opened once for ranges that follow each other. */
export async function* readRanges<Range extends FileRange>(
  { files }: Folder,
  ranges: readonly Range[],
): AsyncGenerator<{ readonly bytes: Buffer; readonly range: Range }> {
  if (files.rows?.log) {
    for (let from = 0; from < ranges.length; from += RANGES_AT_A_TIME) {
      const part = ranges.slice(from, from + RANGES_AT_A_TIME);
      const read = await files.rows.log.readRanges(part);
      for (const [i, range] of part.entries()) yield { bytes: read[i] ?? Buffer.alloc(0), range };
    }
    return;
  }
  let path: string | undefined;
  let file: OpenedFile | undefined;
  try {
    for (let from = 0; from < ranges.length; ) {
      const next = ranges[from]?.path;
      if (next !== path) {
        await file?.handle.close();
        file = undefined;
        path = next;
        file = path === undefined ? undefined : await unlessCode(openToRead(path), ...ABSENT);
      }
      const others = ranges.slice(from, from + RANGES_AT_A_TIME).findIndex((range) => range.path !== path);
      const part = ranges.slice(from, from + (others === -1 ? RANGES_AT_A_TIME : others));
      const read = await Promise.all(part.map((range) => readRange(file, range)));
      for (const [i, range] of part.entries()) yield { bytes: read[i] ?? Buffer.alloc(0), range };
      from += part.length;
    }
  } finally {
    await file?.handle.close();
  }
}

type OpenedFile = Awaited<ReturnType<typeof openToRead>>;

async function readRange(file: OpenedFile | undefined, { start, end }: FileRange): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(end, file?.size ?? 0) - start));
  const bytesRead = bytes.length === 0 ? 0 : (await file?.handle.read(bytes, 0, undefined, start))?.bytesRead;
  return bytes.subarray(0, bytesRead);
}

/** The bytes of a file of at most `most` bytes; undefined if it is larger, or there is none. */
export function readSmall(folder: Folder, name: string, most?: number): Promise<Buffer | undefined> {
  return unlessCode(readWhole(folder, name, most === undefined ? {} : { most }), ...ABSENT, 'EFBIG');
}

/** The contents of a chain's folder at one moment. */
export interface ChainFolder extends Folder {
  /** The size of each segment in bytes, ascending by number. Readers stop there, so later lines are not read. */
  readonly segments: ReadonlyMap<number, number>;
  readonly tombstones: ReadonlySet<number>;
  /** The size of each file with a torn tail, by name. */
  readonly torn: ReadonlyMap<string, number>;
  /** Ascending. */
  readonly owners: readonly number[];
  /** The highest number of a segment or tombstone; 0 if there is none. */
  readonly last: number;
  readonly unexpected: readonly string[];
  readonly entries: readonly FolderItem[];
}

/** The chains of a log, oldest first. */
export async function listChains(log: Folder): Promise<string[]> {
  const items = await listFolder(below(log, 'chains'));
  return items.filter(({ name, kind }) => kind === 'folder' && isChainName(name)).map(({ name }) => name);
}

/** Lists the folder of a chain of a log. */
export function listChain(log: Folder, chain: string): Promise<ChainFolder> {
  return listChainFolder(below(log, 'chains', chain));
}

/** Lists the folder of a chain. */
export async function listChainFolder({ files, path }: Folder): Promise<ChainFolder> {
  const entries = await listFolder({ files, path });
  const segments = new Map<number, number>();
  const tombstones = new Set<number>();
  const torn = new Map<string, number>();
  const owners: number[] = [];
  const unexpected: string[] = [];
  for (const { name, kind, size } of entries) {
    const [segment, tombstone, owner] = [SEGMENTS, TOMBSTONES, OWNERS].map((names) => names.numberOf(name));
    if (kind !== 'file') unexpected.push(name);
    else if (segment !== undefined) segments.set(segment, size);
    else if (tombstone !== undefined) tombstones.add(tombstone);
    else if (owner !== undefined) owners.push(owner);
    else if (readTornName(name)) torn.set(name, size);
    else unexpected.push(name);
  }
  const last = [...segments.keys(), ...tombstones].reduce((most, number) => Math.max(most, number), 0);
  // By number, because a name with one more digit sorts before the others.
  const inOrder = new Map([...segments].sort(([one], [other]) => one - other));
  owners.sort((one, other) => one - other);
  return { files, path, segments: inOrder, tombstones, torn, owners, last, unexpected, entries };
}

/** The bytes of a segment up to its length when the folder was listed, in chunks; none if it is not there. */
export function readPiecesOf(folder: ChainFolder, segment: number, from = 0): AsyncGenerator<Buffer> {
  return readPieces(folder, SEGMENTS.of(segment), (folder.segments.get(segment) ?? 0) - from, from);
}

/** The same bytes as lines that are not parsed. */
export function readRawLines(folder: ChainFolder, segment: number): AsyncGenerator<RawLine> {
  return splitLines(readPiecesOf(folder, segment), MAX_LINE_BYTES);
}

/** Whether no file was written, added or removed between two listings. */
export function isUnchanged(before: ChainFolder, after: ChainFolder): boolean {
  return JSON.stringify(before.entries) === JSON.stringify(after.entries);
}

/** The state in which a chain was left when its folder was listed; undefined if it cannot be known. */
export async function readLastState(folder: ChainFolder): Promise<LastState | undefined> {
  const { owners, entries } = folder;
  const name = OWNERS.of(owners.at(-1) ?? 0);
  const found = entries.find((entry) => entry.name === name);
  const bytes = found && (await readSmall(folder, name));
  // An owner file replaced since then may name lines that were not listed. It is longer, because it says `released`.
  const owner = bytes?.length === found?.size ? bytes && parseOwner(bytes) : undefined;
  return owner && lastStateOf(owner);
}

/** The owners of a chain whose files are malformed, and whether the last owner writes the chain, or may. */
export async function readOwners(folder: ChainFolder): Promise<{ invalid: number[]; isWritten: boolean }> {
  const invalid: number[] = [];
  let isWritten = false;
  for (const number of folder.owners) {
    const file = OWNERS.of(number);
    const bytes = await readSmall(folder, file);
    const owner = bytes && parseOwner(bytes);
    // An absent file was removed by the next owner. A file that is too large is malformed.
    if (!owner && (bytes || (await statEntry(folder, file)))) invalid.push(number);
    isWritten = owner?.released !== true && !(owner && isRunning(owner) === false);
  }
  return { invalid, isWritten };
}

/** Resolves when every entry of a chain would survive a power failure, one being written just now included. */
export async function syncChain(log: Folder, chain: string): Promise<void> {
  const folder = await listChain(log, chain);
  if (!folder.segments.has(folder.last)) return;
  await syncFile(folder, SEGMENTS.of(folder.last));
  await folder.files.syncFolder(folder.path);
}
