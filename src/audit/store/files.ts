/** The file system as an interface of a few calls, each of which may fail; the real one; and what is built on them. */

import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { chmod, type FileHandle, link, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What a path names, or what is open. */
export interface FileState {
  /** `other` is a link, a pipe, a socket or a device. */
  readonly kind: 'file' | 'folder' | 'other';
  /** In bytes. */
  readonly size: number;
  /** Device and inode: no other file of the machine has it. */
  readonly id: string;
}

/** An open file. */
export interface OpenFile {
  /** Writes at the end, or at an offset in a file opened with `change`; returns the bytes written, maybe not all. */
  write(bytes: Buffer, at?: number): Promise<number>;
  /** Resolves when the bytes written, and the file's length, would survive a power failure (fdatasync). */
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  state(): Promise<FileState>;
  close(): Promise<void>;
}

/** `create` makes a new file and fails if the name is taken, `append` writes at the end, `change` writes anywhere. */
export type OpenMode = 'create' | 'append' | 'change';

/**
 * Files and folders that only their owner may access. Errors are Node's, with its codes.
 *
 * INVARIANT: no call that opens or reads a file follows a link in its place or waits on a pipe, and reading writes
 * nothing.
 */
export interface Files {
  /** Rejects with EMLINK if an existing file has a second name: writing to it would write to that name as well. */
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  /** `length` bytes from an offset on, in chunks. Default: from the beginning, to the end at the time of opening. */
  read(path: string, from?: number, length?: number): AsyncIterable<Buffer>;
  list(folder: string): Promise<readonly string[]>;
  /** Does not follow links. */
  stat(path: string): Promise<FileState>;
  /** Makes one folder. */
  makeFolder(path: string): Promise<void>;
  /** Resolves when the names in a folder would survive a power failure. */
  syncFolder(path: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Present if the files are rows of a database, which does at once what takes several calls of a file system. */
  readonly rows?: Rows;
}

/** A name in a folder. */
export interface FolderItem extends Pick<FileState, 'kind' | 'size'> {
  readonly name: string;
}

export function byName(one: FolderItem, other: FolderItem): number {
  return one.name < other.name ? -1 : 1;
}

/** What a database does in one transaction: all of it, or nothing. */
export interface Rows {
  /** The items of a folder, sorted by name. */
  items(folder: string): Promise<FolderItem[]>;
  publish(path: string, bytes: Buffer, how: 'new' | 'replace'): Promise<void>;
  /** Present for the rows of a log, not for those of its keys. */
  readonly log?: LogRows;
}

/** The chains of a log. */
export interface LogRows {
  /** Appends lines, and all that follows from them. Rejects if the segment is removed or has another size. */
  append(path: string, lines: AppendedLines): Promise<void>;
  /** Each range as far as its file has it. */
  readRanges(ranges: readonly FileRange[]): Promise<readonly Buffer[]>;
  /** Shows that the writer of a chain lives. */
  beat(chain: string): Promise<void>;
  /** Whether nobody has shown for a minute, by the clock of the database, that the writer of a chain lives. */
  isSilent(chain: string): Promise<boolean>;
}

/** Lines, each with its line break, for the end of a segment of this size in bytes; 0 begins it. */
export interface AppendedLines {
  readonly texts: readonly string[];
  readonly size: number;
  /** yyyy-MM-dd: the day on which the segment was begun. */
  readonly day: string;
}

/** A part of a file, in bytes. */
export interface FileRange {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/** A folder, and the files that it is among: those of this machine, or rows of a database. */
export interface Folder {
  readonly files: Files;
  readonly path: string;
}

/** A folder of this machine. */
export function folderAt(path: string): Folder {
  return { files: realFiles, path };
}

/** What is in a folder, by its names. */
export function below({ files, path }: Folder, ...names: readonly string[]): Folder {
  return { files, path: join(path, ...names) };
}

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Large enough that a read costs little, small enough to hold many at once. */
const CHUNK_BYTES = 256 * 1024;
/** Windows has neither symbolic links of this kind nor these flags. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const UNFOLLOWED = O_NOFOLLOW | O_NONBLOCK;
const FLAGS: Readonly<Record<OpenMode, number>> = {
  create: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
  append: constants.O_WRONLY | constants.O_APPEND | UNFOLLOWED,
  change: constants.O_RDWR | UNFOLLOWED,
};

/** The file system of this machine. */
export const realFiles: Files = {
  async open(path, mode) {
    const handle = await open(path, FLAGS[mode], FILE_MODE);
    try {
      // The owner reads and writes, whatever the umask is.
      if (mode === 'create') await handle.chmod(FILE_MODE);
      else if ((await checkFile(handle, path)).nlink > 1) throw codedError('EMLINK', path);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return openFile(handle);
  },
  read: readRange,
  list: (folder) => readdir(folder),
  stat: async (path) => stateOf(await lstat(path)),
  async makeFolder(path) {
    await mkdir(path, FOLDER_MODE);
    await chmod(path, FOLDER_MODE);
  },
  async syncFolder(path) {
    // Windows cannot open folders, and makes their entries durable itself.
    if (process.platform === 'win32') return;
    const handle = await open(path, 'r');
    await closing(handle, () => handle.sync());
  },
  link,
  rename,
  unlink,
};

function openFile(handle: FileHandle): OpenFile {
  return {
    write: async (bytes, at) => (await handle.write(bytes, 0, bytes.length, at ?? null)).bytesWritten,
    datasync: () => handle.datasync(),
    truncate: (length) => handle.truncate(length),
    state: async () => stateOf(await handle.stat()),
    close: () => handle.close(),
  };
}

function stateOf(stats: Stats): FileState {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  return { kind, size: stats.size, id: `${stats.dev}:${stats.ino}` };
}

/** Opens a file to be read; its size is that of now. */
export async function openToRead(path: string): Promise<{ readonly handle: FileHandle; readonly size: number }> {
  const handle = await open(path, constants.O_RDONLY | UNFOLLOWED);
  try {
    return { handle, size: (await checkFile(handle, path)).size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function* readRange(path: string, from = 0, length?: number): AsyncGenerator<Buffer> {
  const { handle, size } = await openToRead(path);
  try {
    const end = length === undefined ? size : from + length;
    const readAt = (at: number) => {
      if (at >= end) return undefined;
      const reading = handle.read(Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - at)), 0, undefined, at);
      // A caller that stops early never awaits the chunk read ahead: its failure must not go unhandled.
      reading.catch(() => {});
      return reading;
    };
    let reading = readAt(from);
    for (let at = from; reading; ) {
      const { buffer, bytesRead } = await reading;
      if (bytesRead === 0) return;
      at += bytesRead;
      // Read ahead while the caller works on this chunk.
      reading = readAt(at);
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function checkFile(handle: FileHandle, path: string): Promise<Stats> {
  const stats = await handle.stat();
  if (stats.isFile()) return stats;
  throw codedError(stats.isDirectory() ? 'EISDIR' : 'EINVAL', path);
}

/** An error like the system's. */
export function codedError(
  code: 'EEXIST' | 'ENOENT' | 'EFBIG' | 'EINVAL' | 'EISDIR' | 'EMLINK' | 'ENOTDIR',
  path: string,
): Error {
  return Object.assign(new Error(code), { code, path });
}

/** Whether an error of the system has one of these codes. */
export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

function refuse(path: string): Promise<never> {
  return Promise.reject(codedError('EINVAL', path));
}

/** What a database does with `Rows`, or has no need to do. */
export const NOT_OF_ROWS = { open: refuse, link: refuse, rename: refuse, unlink: refuse, syncFolder: async () => {} };

/** The result; undefined if it rejects with one of these codes. */
export function unlessCode<Result>(work: Promise<Result>, ...codes: readonly string[]): Promise<Result | undefined> {
  return work.catch((error: unknown) => {
    if (!isCode(error, ...codes)) throw error;
    return undefined;
  });
}

/** Writes all bytes, in as many calls as that takes. */
export async function writeAll(file: OpenFile, bytes: Buffer, at?: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const rest = bytes.subarray(done);
    const written = await (at === undefined ? file.write(rest) : file.write(rest, at + done));
    // No bytes and no error: trying again could go on for ever.
    if (written === 0) throw new Error('nothing was written');
    done += written;
  }
}

/** Closes the file when the work is done, whether it succeeds or fails. */
export async function closing<Result>(file: Pick<OpenFile, 'close'>, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } finally {
    await file.close();
  }
}

/** The most that any file holds, except segments, data keys, policies and mappings. */
const SMALL_BYTES = 64 * 1024;

/** The bytes of a file from an offset on; undefined if there is no file. Rejects with EFBIG if there are too many. */
export async function readWhole(
  { files, path: folder }: Folder,
  name: string,
  {
    from = 0,
    length,
    most = SMALL_BYTES,
  }: { readonly from?: number; readonly length?: number; readonly most?: number } = {},
): Promise<Buffer | undefined> {
  const path = join(folder, name);
  const read = async () => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of files.read(path, from, length)) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > most) throw codedError('EFBIG', path);
    }
    return Buffer.concat(chunks);
  };
  return unlessCode(read(), 'ENOENT');
}

/**
 * Writes a file under a temporary name, makes its bytes durable, then names it, so that nobody ever sees half of it.
 * `new` fails with EEXIST if the name is taken, `replace` replaces the file. The caller syncs the folder to make the
 * name durable.
 */
export async function publish(folder: Folder, name: string, bytes: Buffer, how: 'new' | 'replace'): Promise<void> {
  const { files } = folder;
  const path = join(folder.path, name);
  if (files.rows) return files.rows.publish(path, bytes, how);
  const temporaryName = `.new-${randomBytes(16).toString('hex')}`;
  await writeNew(folder, temporaryName, bytes);
  const temporary = join(folder.path, temporaryName);
  if (how === 'replace') return files.rename(temporary, path);
  try {
    await files.link(temporary, path);
  } finally {
    // If this fails, the next owner of the folder removes the file.
    await files.unlink(temporary).catch(() => {});
  }
}

/** Writes a file whose name is free, and makes its bytes durable. */
export async function writeNew({ files, path }: Folder, name: string, bytes: Buffer): Promise<void> {
  const file = await files.open(join(path, name), 'create');
  await closing(file, async () => {
    await writeAll(file, bytes);
    await file.datasync();
  });
}

/** Resolves when the bytes of a file would survive a power failure, as those of a database do. */
export async function syncFile({ files, path }: Folder, name: string): Promise<void> {
  if (files.rows) return;
  const file = await files.open(join(path, name), 'append');
  await closing(file, () => file.datasync());
}

/** Publishes a new file and makes its name durable as well. */
export async function publishNew(folder: Folder, name: string, bytes: Buffer): Promise<void> {
  await publish(folder, name, bytes, 'new');
  await folder.files.syncFolder(folder.path);
}

/** Makes a folder, durable, unless there is one. */
export async function ensureFolder({ files, path }: Folder): Promise<void> {
  try {
    await files.makeFolder(path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
    await checkFolder({ files, path });
  }
  await files.syncFolder(dirname(path));
}

/** Rejects with ENOTDIR if the path is anything but a folder, a link to a folder included. */
export async function checkFolder({ files, path }: Folder): Promise<void> {
  if ((await files.stat(path)).kind !== 'folder') throw codedError('ENOTDIR', path);
}
