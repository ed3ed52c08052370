/** A record and the key folder -> whether its body opens, and says what the record says in clear. */

import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '../digest.ts';
import { KeyReader } from './blocks.ts';
import type { BodyLine, Wrong } from './chain-check.ts';
import { clearFields, readBody } from './record.ts';
import { openText } from './seal.ts';

/** Opens bodies, one after the other. */
export class BodyCheck {
  readonly #keys: KeyReader;

  constructor(keysDir: string) {
    this.#keys = new KeyReader(keysDir);
  }

  /** What is wrong with a body, or that its key is gone. */
  async check(line: BodyLine): Promise<Wrong | 'gone' | undefined> {
    if (line.plain) return compare(line, line.plain);
    const key = await this.#keys.read(line.key);
    if (typeof key === 'string') return 'gone';
    const text = openText(line.sealed, key, line);
    const body = text === undefined ? undefined : parse(text);
    return body === undefined ? UNREADABLE : compare(line, body);
  }
}

const UNREADABLE: Wrong = {
  code: 'body-unreadable',
  message: 'found a body that its key does not open, or that holds something else than a body does',
};
const DIFFERS: Wrong = {
  code: 'clear-differs',
  message: 'found something else in clear than the body says',
};

/** Undefined for anything but canonical JSON. */
function parse(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return canonicalJson(body) === text ? body : undefined;
  } catch {
    return undefined;
  }
}

function compare(line: BodyLine, body: unknown): Wrong | undefined {
  if (line.kind === 'note') return isNoteBody(body) ? undefined : UNREADABLE;
  try {
    const clear = Object.entries(clearFields(readBody(body).decision));
    const said = new Map<string, unknown>(Object.entries(line));
    return clear.every(([name, value]) => isDeepStrictEqual(said.get(name), value)) ? undefined : DIFFERS;
  } catch {
    // Whoever can seal can seal anything.
    return UNREADABLE;
  }
}

function isNoteBody(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const given = new Map(Object.entries(body));
  return given.size === 2 && typeof given.get('by') === 'string' && typeof given.get('why') === 'string';
}
