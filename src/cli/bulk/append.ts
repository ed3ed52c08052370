/** Lines -> the end of a file, durable. Lines that arrive while the disk is busy are written together. */

import type { FileHandle } from 'node:fs/promises';
import { Batches } from '../../platform/batch.ts';

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
   * Resolves when the line is on the disk (fdatasync). After a failed write all later ones fail: the end of the file is
   * then unknown, and a line appended to half of another would be lost with it.
   */
  append(line: string): Promise<void> {
    return this.#lines.add(line);
  }

  async close(): Promise<void> {
    await this.#lines.idle();
    await this.#handle.close();
  }
}
