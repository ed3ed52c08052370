/** The key folder of a log: made, and held to its log; and the index keys in it. */

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { readExactFile } from '../entry/canonical.ts';
import * as is from '../entry/schema.ts';
import { ensureFolder, type Files, isCode, publish, readWhole, realFiles } from '../store/files.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { namesOf } from '../store/segment.ts';
import { wrapKeyErrors } from './key-folder-errors.ts';
import { keyIdOf } from './signature.ts';
import { addSigningKey, nameSigningKey } from './signing-key.ts';
import type { IndexKey } from './subject.ts';

const KEYS_FILE = 'keys.json';
const INDEX_KEYS = namesOf('index-', 6, '.key');
const INDEX_KEY_BYTES = 32;

const SHAPE: is.Shape = { format: { expected: '1', is: (value) => value === 1 }, log: is.ID };

/** Fills the new key folder of a log with its first keys; gives the public key to check signatures with. Everything is durable when it resolves. */
export async function createKeys(dir: string, log: string, files: Files = realFiles): Promise<KeyObject> {
  await addIndexKey(dir, files);
  const publicKey = await addSigningKey(dir, files);
  await nameSigningKey(dir, keyIdOf(publicKey), 'new', files);
  // Last: a folder that has it is whole.
  await publish(files, join(dir, KEYS_FILE), Buffer.from(`${JSON.stringify({ format: 1, log })}\n`), 'new');
  await files.syncFolder(dir);
  return publicKey;
}

/** Throws CONFIGURATION_INVALID where a folder is not the key folder of this log. */
export async function checkKeys(dir: string, log: string, files: Files = realFiles): Promise<void> {
  const bytes = await wrapKeyErrors('read', () => readWhole(files, join(dir, KEYS_FILE))).catch((error: unknown) => {
    if (error instanceof VerdictError && isCode(error.cause, 'ENOTDIR', 'EISDIR')) return undefined;
    throw error;
  });
  if (!bytes) {
    throw new VerdictError(
      'CONFIGURATION_INVALID',
      `found no ${KEYS_FILE} in the key folder: it is none, or not of this log`,
    );
  }
  const file = readExactFile(bytes, SHAPE);
  if (!file) throw new VerdictError('CONFIGURATION_INVALID', `${KEYS_FILE} of the key folder is not as it was written`);
  if (file['log'] !== log) {
    throw new VerdictError('CONFIGURATION_INVALID', 'the key folder is that of another log');
  }
}

/** The index keys of a log, by number; the last is the one to write with. Throws CONFIGURATION_INVALID where the folder is not that of this log. */
export async function readIndexKeys(dir: string, log: string, files: Files = realFiles): Promise<readonly IndexKey[]> {
  await checkKeys(dir, log, files);
  const keys = await wrapKeyErrors('read', () => readNumbered(dir, files));
  if (keys.length === 0) throw new VerdictError('CONFIGURATION_INVALID', 'the key folder has no index key');
  keys.sort((one, other) => one.number - other.number);
  const missing = keys.findIndex(({ number }, i) => number !== i + 1) + 1;
  // Without it, those whose records were hashed with it would not be found, and not be erased.
  if (missing > 0) {
    throw new VerdictError(
      'CONFIGURATION_INVALID',
      `the key folder has no index key ${missing}, and one with a greater number`,
    );
  }
  return keys;
}

async function readNumbered(dir: string, files: Files): Promise<IndexKey[]> {
  const keys: IndexKey[] = [];
  for (const name of await files.list(dir)) {
    const number = INDEX_KEYS.numberOf(name);
    if (number === undefined) continue;
    const text = (await readWhole(files, join(dir, name)))?.toString('latin1') ?? '';
    if (!/^[0-9a-f]{64}\n$/.test(text)) {
      throw new VerdictError(
        'CONFIGURATION_INVALID',
        `index key ${number} is not as it was written: expected 64 hexadecimal digits`,
      );
    }
    keys.push({ number, key: createSecretKey(text.slice(0, -1), 'hex') });
  }
  return keys;
}

/** Adds an index key: from the next opening on, subjects are hashed with it. Gives its number. */
export async function addIndexKey(dir: string, files: Files = realFiles): Promise<number> {
  return wrapKeyErrors('given another key', async () => {
    for (;;) {
      const numbers = (await files.list(dir)).map((name) => INDEX_KEYS.numberOf(name) ?? 0);
      const number = Math.max(0, ...numbers) + 1;
      const bytes = Buffer.from(`${randomBytes(INDEX_KEY_BYTES).toString('hex')}\n`);
      try {
        await publish(files, join(dir, INDEX_KEYS.of(number)), bytes, 'new');
      } catch (error) {
        if (isCode(error, 'EEXIST')) continue; // another process was quicker
        throw error;
      }
      await files.syncFolder(dir);
      return number;
    }
  });
}

/** Puts a public key where readers of the log look for it, durable. */
export async function putPublicKey(dir: string, key: KeyObject, files: Files = realFiles): Promise<void> {
  const folder = join(dir, 'public');
  const pem = key.export({ type: 'spki', format: 'pem' }) as string;
  await wrapIoErrors('given another key', async () => {
    await ensureFolder(files, folder);
    await publish(files, join(folder, `${keyIdOf(key)}.pem`), Buffer.from(pem), 'new');
    await files.syncFolder(folder);
  });
}
