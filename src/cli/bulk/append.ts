/** Lines, one by one -> the end of a file, durable; those that come while the disk is busy go together. */

import type { FileHandle } from 'node:fs/promises';
import { Batches } from '../../platform/batch.ts';

/** Appends lines to a file that was opened for appending. */
export class Appender {
  readonly #handle: FileHandle;
  readonly #lines: Batches<string, void>;

  constructor(handle: FileHandle) {
    this.#handle = handle;
    this.#lines = new Batches<string, void>(async (lines) => {
      await handle.appendFile(lines.map((line) => `${line}\n`).join(''));
      await handle.datasync();
      return lines.map(() => undefined);
    });
  }

  /**
   * Resolves when the line is on the disk (fdatasync). Once a write has failed all later ones do: what is at the file's end
   * is then unknown, and a line behind half of another would be lost with it.
   */
  append(line: string): Promise<void> {
    return this.#lines.add(line);
  }

  /** Waits for what was appended, and closes the file. */
  async close(): Promise<void> {
    await this.#lines.idle();
    await this.#handle.close();
  }
}
