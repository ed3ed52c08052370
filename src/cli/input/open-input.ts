/** The name of a file, or `-` for standard input -> its bytes. */

import { createReadStream, statSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { CouldNotRunError, type Io } from '../io.ts';

/** What messages call a file. */
export function nameOfInput(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/** Whether a second reading finds nothing: standard input, or a pipe such as `<(zcat march.gz)` of a shell. */
export function isReadOnce(file: string): boolean {
  if (file === '-') return true;
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

/**
 * Reads a file, or standard input. Throws `CouldNotRunError` if it cannot be read.
 *
 * @param signal ends the reading, also while it waits for standard input: the iteration then throws the signal's reason
 */
export async function* openInput(
  file: string,
  { stdin }: Pick<Io, 'stdin'>,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  signal?.throwIfAborted();
  const stream: Readable = file === '-' ? stdin : createReadStream(file);
  if (signal) addAbortSignal(signal, stream);
  const chunks = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const read = await orAborted(chunks.next(), signal);
      if (read.done) return;
      yield Buffer.from(read.value);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw unreadableInput(file, error);
  } finally {
    stream.destroy();
  }
}

/** A read of a named pipe waits until a program writes to it, even after its stream was destroyed. */
async function orAborted<Result>(read: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return read;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([read, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The error for a file that cannot be read. */
export function unreadableInput(file: string, error: unknown): CouldNotRunError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new CouldNotRunError(`${file}: no such file`);
  if (code === 'EISDIR') return new CouldNotRunError(`${nameOfInput(file)} is a folder, expected a file`);
  return new CouldNotRunError(`${nameOfInput(file)} cannot be read`);
}
