/** A record and the key folder -> whether its body opens, and says what the record says in clear. */

import { isDeepStrictEqual } from 'node:util';
import { isWrittenSo, readDecision, readNote } from './body.ts';
import type { Wrong } from './chain-check.ts';
import type { BodyLine } from './line.ts';
import { BodyReader } from './read.ts';
import { clearFields } from './record.ts';

/** Opens bodies, one after the other. */
export class BodyCheck {
  readonly #bodies: BodyReader;

  constructor(keysDir: string) {
    this.#bodies = new BodyReader(keysDir);
  }

  /** What is wrong with a body, or that its key is gone. */
  async check(line: BodyLine): Promise<Wrong | 'gone' | undefined> {
    const opened = await this.#bodies.open(line);
    if ('closed' in opened) return opened.closed === 'not-opened' ? UNREADABLE : 'gone';
    if (!isWrittenSo(opened.texts)) return UNREADABLE;
    if (line.kind === 'note') return readNote(opened.texts) ? undefined : UNREADABLE;
    try {
      const body = readDecision(line, opened.texts);
      if (!body) return UNREADABLE;
      const said = new Map<string, unknown>(Object.entries(line));
      const clear = Object.entries(clearFields(body.decision));
      return clear.every(([name, value]) => isDeepStrictEqual(said.get(name), value)) ? undefined : DIFFERS;
    } catch {
      // Whoever can seal can seal anything.
      return UNREADABLE;
    }
  }
}

const UNREADABLE: Wrong = {
  code: 'body-unreadable',
  message:
    'found a body that its key does not open beside what the record says in clear, or that holds something else than a body does',
};
const DIFFERS: Wrong = {
  code: 'clear-differs',
  message: 'found something else in clear than the body says',
};
