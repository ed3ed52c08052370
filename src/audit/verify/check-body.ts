/** A record and the key folder -> whether its body opens, is well-formed and agrees with the clear fields. */

import { isDeepStrictEqual } from 'node:util';
import type { Decision } from '../../decision/decision.ts';
import { isWrittenSo, readDecision, readNote } from '../entry/body.ts';
import type { BodyEntry } from '../entry/entry.ts';
import { searchableFields } from '../entry/searchable.ts';
import { BodyReader } from '../query/read-log.ts';
import type { Defect } from './finding.ts';

/** Opens and checks bodies. */
export class BodyCheck {
  readonly #bodies: BodyReader;

  constructor(keysDir: string) {
    this.#bodies = new BodyReader(keysDir);
  }

  /** The defect of a body; `shredded` if its key is erased or missing. */
  async check(entry: BodyEntry): Promise<Defect | 'shredded' | undefined> {
    const opened = await this.#bodies.open(entry);
    if ('closed' in opened) {
      return opened.closed === 'erased' || opened.closed === 'key-missing' ? 'shredded' : UNREADABLE;
    }
    if (!isWrittenSo(opened.texts)) return UNREADABLE;
    if (entry.kind === 'note') return readNote(opened.texts) ? undefined : UNREADABLE;
    const body = readDecision(entry, opened.texts);
    if (!body) return UNREADABLE;
    return saysTheSame(entry, body.decision) ? undefined : DIFFERS;
  }
}

/** Whether the clear fields of a record agree with the decision in its body. */
export function saysTheSame(entry: BodyEntry, decision: Decision): boolean {
  const clear = new Map<string, unknown>(Object.entries(entry));
  return Object.entries(searchableFields(decision)).every(([name, value]) => isDeepStrictEqual(clear.get(name), value));
}

const UNREADABLE: Defect = {
  code: 'body-unreadable',
  message: 'the body cannot be decrypted with its key and these clear fields, or is malformed',
};
const DIFFERS: Defect = {
  code: 'clear-differs',
  message: 'the clear fields differ from the body',
};
