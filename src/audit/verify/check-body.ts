/** A record and the key folder -> whether its body opens, and says what the record says in clear. */

import { isDeepStrictEqual } from 'node:util';
import type { Decision } from '../../decision/decision.ts';
import { isWrittenSo, readDecision, readNote } from '../entry/body.ts';
import type { BodyEntry } from '../entry/entry.ts';
import { searchableFields } from '../entry/searchable.ts';
import { BodyReader } from '../query/read-log.ts';
import type { Defect } from './chain-check.ts';

/** Opens bodies, one after the other. */
export class BodyCheck {
  readonly #bodies: BodyReader;

  constructor(keysDir: string) {
    this.#bodies = new BodyReader(keysDir);
  }

  /** What is wrong with a body, or that its key is gone. */
  async check(line: BodyEntry): Promise<Defect | 'gone' | undefined> {
    const opened = await this.#bodies.open(line);
    if ('closed' in opened) return opened.closed === 'erased' || opened.closed === 'key-missing' ? 'gone' : UNREADABLE;
    if (!isWrittenSo(opened.texts)) return UNREADABLE;
    if (line.kind === 'note') return readNote(opened.texts) ? undefined : UNREADABLE;
    const body = readDecision(line, opened.texts);
    if (!body) return UNREADABLE;
    return saysTheSame(line, body.decision) ? undefined : DIFFERS;
  }
}

/** Whether a record says in clear what its body says. */
export function saysTheSame(line: BodyEntry, decision: Decision): boolean {
  const said = new Map<string, unknown>(Object.entries(line));
  return Object.entries(searchableFields(decision)).every(([name, value]) => isDeepStrictEqual(said.get(name), value));
}

const UNREADABLE: Defect = {
  code: 'body-unreadable',
  message:
    'found a body that its key does not open beside what the record says in clear, or that holds something else than a body does',
};
const DIFFERS: Defect = {
  code: 'clear-differs',
  message: 'found something else in clear than the body says',
};
