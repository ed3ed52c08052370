/** A path in a log that others may write -> its files and folders now; anything of another kind counts as absent. */

import { join } from 'node:path';
import { type FileState, isCode, readWhole, realFiles, unlessCode } from './files.ts';
import { TEMPORARY } from './segment.ts';

/** A name in a folder. */
export interface FolderItem extends Pick<FileState, 'kind' | 'size'> {
  readonly name: string;
}

/** The codes if there is nothing at a path, or a file, link, pipe or socket in place of a folder or file. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR', 'EINVAL'];

/** The items of a folder, sorted by name, without files still being written; empty if it is no folder. */
export async function listFolder(folder: string): Promise<FolderItem[]> {
  if ((await statEntry(folder))?.kind !== 'folder') return [];
  const items: FolderItem[] = [];
  for (const name of ((await unlessCode(realFiles.list(folder), ...ABSENT)) ?? []).toSorted()) {
    const found = await statEntry(join(folder, name));
    // A file removed since the folder was listed is skipped: a file that must be there is read by its name.
    if (found && !(found.kind === 'file' && TEMPORARY.test(name))) {
      items.push({ name, kind: found.kind, size: found.size });
    }
  }
  return items;
}

/** What a path names; undefined if it names nothing. */
export function statEntry(path: string): Promise<FileState | undefined> {
  return unlessCode(realFiles.stat(path), ...ABSENT);
}

/** The first `length` bytes of a file, in chunks; none if there is no file any more. */
export async function* readPieces(path: string, length: number): AsyncGenerator<Buffer> {
  try {
    yield* realFiles.read(path, 0, length);
  } catch (error) {
    if (!isCode(error, ...ABSENT)) throw error;
  }
}

/** The bytes of a file of at most `most` bytes; undefined if it is larger, or there is none. */
export function readSmall(path: string, most?: number): Promise<Buffer | undefined> {
  return unlessCode(readWhole(realFiles, path, most === undefined ? {} : { most }), ...ABSENT, 'EFBIG');
}
