/** A folder of a log -> what stands in it, and the bytes of its files; nothing is followed, waited for or written. */

import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode } from './files.ts';
import { TEMPORARY } from './segment.ts';

/** What a name stands for; `other` is a link, a pipe, a socket or a device. */
export interface FolderItem {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'other';
  /** In bytes. */
  readonly size: number;
}

/** What stands in a folder, sorted by name, without the files that are being written; nothing where it is no folder. */
export async function listFolder(folder: string): Promise<FolderItem[]> {
  const names = (await statEntry(folder))?.kind === 'folder' ? await orNothing(readdir(folder)) : undefined;
  const entries: FolderItem[] = [];
  for (const name of (names ?? []).sort()) {
    const entry = await statEntry(join(folder, name), name);
    // Who is gone since the folder was read is not missed: what has to be there is asked for by its name.
    if (entry && !(entry.kind === 'file' && TEMPORARY.test(name))) entries.push(entry);
  }
  return entries;
}

/** What stands at a path; undefined where nothing does. */
export async function statEntry(path: string, name = path): Promise<FolderItem | undefined> {
  const found = await orNothing(lstat(path));
  if (!found) return undefined;
  return { name, kind: found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other', size: found.size };
}

/** Large enough that reading costs little, small enough to hold many. */
const CHUNK_BYTES = 256 * 1024;

/** The first so many bytes of a file, in pieces; nothing where there is no file any more. */
export async function* readPieces(path: string, length: number): AsyncGenerator<Buffer> {
  // A link put in place of the file meanwhile is not followed, and a pipe not waited for.
  const opened = open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const file = await orNothing(opened);
  if (!file) return;
  try {
    if (!(await file.stat()).isFile()) return;
    const readAt = (at: number) => {
      if (at >= length) return undefined;
      const reading = file.read(Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, length - at)), 0, undefined, at);
      // Who takes no more pieces does not hear of it.
      reading.catch(() => {});
      return reading;
    };
    let reading = readAt(0);
    for (let at = 0; reading; ) {
      const { buffer, bytesRead } = await reading;
      if (bytesRead === 0) return;
      at += bytesRead;
      // The disk is busy while this piece is looked at.
      reading = readAt(at);
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** The bytes of a file that is not larger than so many; undefined where it is larger, or none. */
export async function readSmall(path: string, most = 64 * 1024): Promise<Buffer | undefined> {
  const entry = await statEntry(path);
  if (entry?.kind !== 'file' || entry.size > most) return undefined;
  return Buffer.concat(await Array.fromAsync(readPieces(path, entry.size)));
}

async function orNothing<Result>(asked: Promise<Result>): Promise<Result | undefined> {
  try {
    return await asked;
  } catch (error) {
    // In a file that stands in place of a folder there is nothing.
    if (isCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO')) return undefined;
    throw error;
  }
}
