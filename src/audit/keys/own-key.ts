/** A record and the key folder -> whether the data key that it names is its own. */

import type { BodyEntry } from '../entry/entry.ts';
import type { DataKeyReader } from './data-keys.ts';
import { decryptBody } from './encrypt.ts';
import { chainOfKey } from './key-order.ts';

/** What became of a record's key: `own` opens its body; `another` is there and does not, or is of another chain. */
export type KeyState = 'own' | 'another' | 'erased' | 'missing';

/**
 * INVARIANT: nothing is erased for a record but what opens its body. Whoever can write the log can name any key in a record; a body that a key
 * opens beside what the record says in clear was sealed with it.
 */
export async function stateOfKey(line: BodyEntry, keys: DataKeyReader): Promise<KeyState> {
  if (line.key === undefined || line.sealed === undefined) return 'missing';
  if (chainOfKey(line.key) !== line.chain) return 'another';
  const key = await keys.read(line.key);
  if (typeof key === 'string') return key;
  return decryptBody(line.sealed, key, line) === undefined ? 'another' : 'own';
}
