/** The few calls of the file system that the log stands on, each of which may fail; and what is made of them. */

import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { chmod, type FileHandle, link, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What stands at a path, or is open. */
export interface FileState {
  /** `other` is a link, a pipe, a socket or a device. */
  readonly kind: 'file' | 'folder' | 'other';
  /** In bytes. */
  readonly size: number;
  /** Tells it from every other file of the machine. */
  readonly id: string;
}

/** A file that is open. */
export interface OpenFile {
  /** Writes at the end, or at a place in a file that was opened to be changed; gives how many bytes, maybe fewer than all. */
  write(bytes: Buffer, at?: number): Promise<number>;
  /** Resolves when what was written, and how long the file is, would survive the machine's end (fdatasync). */
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  state(): Promise<FileState>;
  close(): Promise<void>;
}

/** How a file is opened: to be made anew, where nothing has that name; to be written at its end; to be written anywhere. */
export type OpenMode = 'create' | 'append' | 'change';

/**
 * Files and folders, which are for their owner alone. Errors are those of Node, with its codes. No link is followed in place of a file, and no
 * pipe waited for.
 */
export interface Files {
  /** Rejects with EMLINK where a file that is there has another name besides: who writes to it writes to that as well. */
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  /** The bytes from there on, in pieces. */
  read(path: string, from?: number): AsyncIterable<Buffer>;
  list(folder: string): Promise<readonly string[]>;
  look(path: string): Promise<FileState>;
  /** Makes one folder. */
  makeFolder(path: string): Promise<void>;
  /** Resolves when the names in a folder would survive the machine's end. */
  syncFolder(path: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Windows has neither links of this kind nor these flags. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const UNFOLLOWED = O_NOFOLLOW | O_NONBLOCK;
const FLAGS: Readonly<Record<OpenMode, number>> = {
  create: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
  append: constants.O_WRONLY | constants.O_APPEND | UNFOLLOWED,
  change: constants.O_RDWR | UNFOLLOWED,
};

/** The file system. */
export const realFiles: Files = {
  async open(path, mode) {
    const handle = await open(path, FLAGS[mode], FILE_MODE);
    try {
      // Whatever the umask takes away, the owner reads and writes.
      if (mode === 'create') await handle.chmod(FILE_MODE);
      else if ((await checkFile(handle, path)).nlink > 1) throw codedError('EMLINK', path);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return openFile(handle);
  },
  read: readFrom,
  list: (folder) => readdir(folder),
  look: async (path) => stateOf(await lstat(path)),
  async makeFolder(path) {
    await mkdir(path, FOLDER_MODE);
    await chmod(path, FOLDER_MODE);
  },
  async syncFolder(path) {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
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

async function* readFrom(path: string, from = 0): AsyncGenerator<Buffer> {
  const handle = await open(path, constants.O_RDONLY | UNFOLLOWED);
  try {
    await checkFile(handle, path);
    yield* handle.createReadStream({ start: from, autoClose: false });
  } finally {
    await handle.close();
  }
}

async function checkFile(handle: FileHandle, path: string): Promise<Stats> {
  const stats = await handle.stat();
  if (stats.isFile()) return stats;
  throw codedError(stats.isDirectory() ? 'EISDIR' : 'EINVAL', path);
}

/** An error as the system would give it. */
function codedError(code: 'EFBIG' | 'EINVAL' | 'EISDIR' | 'EMLINK' | 'ENOTDIR', path: string): Error {
  return Object.assign(new Error(code), { code, path });
}

/** Whether an error says that there is no such file, or that there is one already. */
export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Writes all bytes, in as many calls as it takes. */
export async function writeAll(file: OpenFile, bytes: Buffer, at?: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const rest = bytes.subarray(done);
    const written = await (at === undefined ? file.write(rest) : file.write(rest, at + done));
    // Nothing, and no error: another try would not end.
    if (written === 0) throw new Error('nothing was written');
    done += written;
  }
}

/** As much as a file can hold that is not one of records, or of keys. */
const SMALL_BYTES = 64 * 1024;

/** What is read of a file. */
interface Reading {
  /** Default: from its beginning. */
  readonly from?: number;
  /** How many bytes it may be. Default: 64 KiB. */
  readonly most?: number;
}

/** The bytes of a file; undefined where there is none. Rejects with EFBIG where there are more than there may be. */
export async function readWhole(
  files: Files,
  path: string,
  { from = 0, most = SMALL_BYTES }: Reading = {},
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of files.read(path, from)) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > most) throw codedError('EFBIG', path);
    }
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  return Buffer.concat(chunks);
}

/**
 * Gives a file its name with its bytes durable in it: nobody ever sees half of it. `new` fails with EEXIST where something
 * has that name, `replace` takes its place. That the name is durable is for the caller to see to.
 */
export async function publish(files: Files, path: string, bytes: Buffer, how: 'new' | 'replace'): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.new-${randomBytes(16).toString('hex')}`);
  const file = await files.open(temporary, 'create');
  try {
    await writeAll(file, bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
  if (how === 'replace') return files.rename(temporary, path);
  try {
    await files.link(temporary, path);
  } finally {
    await files.unlink(temporary).catch(() => {
      // The next owner of the folder removes what is left.
    });
  }
}

/** Makes a folder, durable, where there is none. */
export async function ensureFolder(files: Files, path: string): Promise<void> {
  try {
    await files.makeFolder(path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
    await checkFolder(files, path);
  }
  await files.syncFolder(dirname(path));
}

/** Rejects with ENOTDIR where something else stands there, a link to a folder too. */
export async function checkFolder(files: Files, path: string): Promise<void> {
  if ((await files.look(path)).kind !== 'folder') throw codedError('ENOTDIR', path);
}
