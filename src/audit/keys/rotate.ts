/** A log and its key folder -> a new signing key, which signs from now on. */

import { type Files, realFiles } from '../store/files.ts';
import { putPublicKey } from './index-keys.ts';
import { keyIdOf } from './signature.ts';
import { addSigningKey, currentSigningKey, nameSigningKey } from './signing-key.ts';

/**
 * Adds a signing key and returns its id. The earlier key stays in the key folder, and its public half in the log.
 *
 * INVARIANT: a key signs only once its public half is in the log, and becomes current by replacing one file. If this is
 * interrupted, the earlier key signs, and it is enough to rotate again.
 */
export async function rotateSigningKey(dir: string, keysDir: string, files: Files = realFiles): Promise<string> {
  // Name the current key explicitly first: with two keys in the folder it would be ambiguous.
  const earlier = await currentSigningKey(keysDir, files);
  if (earlier !== undefined) await nameSigningKey(keysDir, earlier, 'new', files);
  const publicKey = await addSigningKey(keysDir, files);
  await putPublicKey(dir, publicKey, files);
  const id = keyIdOf(publicKey);
  await nameSigningKey(keysDir, id, 'replace', files);
  return id;
}
