/**
 * A file of JSON lines: read, and appended to, durable. Lines that arrive while the disk is busy are written together.
 */

import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type * as z from 'zod';
import { Batches } from '../../platform/batch.ts';
import { type RawLine, splitLines } from '../../platform/files/lines.ts';
import { parseJson } from '../../platform/json.ts';

/** A line that is not empty. */
interface ReadLine<Value> extends Pick<RawLine, 'number' | 'start' | 'isEnded'> {
  readonly text: string;
  /** Undefined for a line that is torn, or not of this kind. */
  readonly value: Value | undefined;
}

export async function* readJsonLines<Value>(file: string, kind: z.ZodType<Value>): AsyncGenerator<ReadLine<Value>> {
  for await (const { number, bytes, start, isEnded } of splitLines(createReadStream(file))) {
    const text = bytes?.toString('utf8') ?? '';
    if (text === '') continue;
    const parsed = parseJson(text);
    const value = parsed.problem === undefined ? kind.safeParse(parsed.value).data : undefined;
    yield { number, start, isEnded, text, value };
  }
}

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
