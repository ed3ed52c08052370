/** Files, with the columns of each that do not fit -> notes on standard error, and what a report says of them. */

import type { ColumnGaps, FileColumns } from '../../decision/rows/column-gaps.ts';
import { type Io, say } from '../io.ts';

/** Says what does not fit, once for each file, also if it is read twice. */
export class ColumnNotes {
  readonly #files = new Map<string, FileColumns>();
  readonly #said = new Set<string>();
  readonly #namesFiles: boolean;

  /** @param namesFiles whether notes say of which file they are */
  constructor(namesFiles = false) {
    this.#namesFiles = namesFiles;
  }

  /** In the order of reading. */
  get files(): readonly FileColumns[] {
    return [...this.#files.values()];
  }

  async add(file: string, { absent, unread }: ColumnGaps, stderr: Io['stderr']): Promise<void> {
    if (this.#files.has(file)) return;
    this.#files.set(file, { file, absent, unread });
    const { gapWords } = await import('../../report/words/columns.ts');
    for (const words of gapWords({ absent, unread })) await this.say(file, words, stderr);
  }

  /** Of a hundred files of one form, the first one speaks. */
  async say(file: string, note: string, stderr: Io['stderr']): Promise<void> {
    if (this.#said.has(note)) return;
    this.#said.add(note);
    await say(stderr, `note: ${this.#namesFiles ? `${file}: ` : ''}${note}\n`);
  }
}
