/** A record and the key folder -> whether the data key that the record names is its own. */

import type { BodyEntry } from '../entry/entry.ts';
import type { DataKeyReader } from './data-keys.ts';
import { decryptBody } from './encrypt.ts';
import { chainOfKey } from './key-order.ts';

/** The state of a record's key: `own` decrypts its body; `another` exists but does not, or belongs to another chain. */
export type KeyState = 'own' | 'another' | 'erased' | 'missing';

/**
 * INVARIANT: an erasure of a record erases only a key that decrypts its body. Anyone who can write the log can name
 * any key in a record; a key that decrypts a body beside its clear fields is the one that encrypted it.
 */
export async function stateOfKey(line: BodyEntry, keys: DataKeyReader): Promise<KeyState> {
  if (line.key === undefined || line.sealed === undefined) return 'missing';
  if (chainOfKey(line.key) !== line.chain) return 'another';
  const key = await keys.read(line.key);
  if (typeof key === 'string') return key;
  return decryptBody(line.sealed, key, line) === undefined ? 'another' : 'own';
}
