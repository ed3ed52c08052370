/** The name of a file, or `-` for standard input -> its bytes. */

import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { CouldNotRunError, type Io } from '../io.ts';

/** What messages call a file. */
export function nameOfInput(file: string): string {
  return file === '-' ? 'standard input' : file;
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
  try {
    for await (const chunk of stream) yield Buffer.from(chunk);
  } catch (error) {
    signal?.throwIfAborted();
    throw unreadableInput(file, error);
  }
}

/** The error for a file that cannot be read. */
export function unreadableInput(file: string, error: unknown): CouldNotRunError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new CouldNotRunError(`${file}: no such file`);
  if (code === 'EISDIR') return new CouldNotRunError(`${nameOfInput(file)} is a folder, expected a file`);
  return new CouldNotRunError(`${nameOfInput(file)} cannot be read`);
}
