/** A log and its key folder -> another key, which signs from then on. */

import { type Files, realFiles } from '../store/files.ts';
import { putPublicKey } from './index-keys.ts';
import { keyIdOf } from './signature.ts';
import { addSigningKey, currentSigningKey, nameSigningKey } from './signing-key.ts';

/**
 * Adds a key to sign with, and gives its id. The earlier one stays in the key folder, and its public half in the log.
 *
 * INVARIANT: a key signs only once its public half is in the log, and is then named by the replacing of one file: whenever this ends
 * early, the earlier key signs, and to do it again is all there is to do.
 */
export async function rotateSigningKey(dir: string, keysDir: string, files: Files = realFiles): Promise<string> {
  // Named by itself it would be one of two as soon as the next one is there.
  const earlier = await currentSigningKey(keysDir, files);
  if (earlier !== undefined) await nameSigningKey(keysDir, earlier, 'new', files);
  const publicKey = await addSigningKey(keysDir, files);
  await putPublicKey(dir, publicKey, files);
  const id = keyIdOf(publicKey);
  await nameSigningKey(keysDir, id, 'replace', files);
  return id;
}
