/** Lines, one by one -> the end of a file, durable; those that come while the disk is busy go together. */

import type { FileHandle } from 'node:fs/promises';

interface Waiting {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Appends lines to a file that was opened for appending. */
export class Appender {
  readonly #handle: FileHandle;
  #waiting: Waiting[] = [];
  #busy: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /**
   * Resolves when the line is on the disk (fdatasync). Once a write has failed all later ones do: what is at the file's end
   * is then unknown, and a line behind half of another would be lost with it.
   */
  append(line: string): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    const appended = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ text: `${line}\n`, resolve, reject });
    });
    this.#busy ??= this.#flush();
    return appended;
  }

  /** Waits for what was appended, and closes the file. */
  async close(): Promise<void> {
    await this.#busy;
    await this.#handle.close();
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        if (this.#failure) throw this.#failure.error;
        await this.#handle.appendFile(batch.map(({ text }) => text).join(''));
        await this.#handle.datasync();
        for (const { resolve } of batch) resolve();
      } catch (error) {
        this.#failure = { error };
        for (const { reject } of batch) reject(error);
      }
    }
    this.#busy = undefined;
  }
}
