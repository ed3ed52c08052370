/** The key folder of a log -> its index keys; also creates the folder and checks that it belongs to the log. */

import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { FORMAT, formatExactFile, readExactFile } from '../entry/canonical.ts';
import * as is from '../entry/schema.ts';
import { ensureFolder, type Files, isCode, publishNew, readWhole, realFiles, unlessCode } from '../store/files.ts';
import { unusable, wrapIoErrors, wrapKeyErrors } from '../store/io-errors.ts';
import { namesOf } from '../store/segment.ts';
import { keyIdOf } from './signature.ts';
import { addSigningKey, nameSigningKey } from './signing-key.ts';
import type { IndexKey } from './subject.ts';

const KEYS_FILE = 'keys.json';
const INDEX_KEYS = namesOf('index-', 6, '.key');
const INDEX_KEY_BYTES = 32;

const SHAPE: is.Shape = { format: FORMAT, log: is.ID };

/** Makes the first keys of a log, durable, in its new key folder; returns the public key that checks its signatures. */
export async function createKeys(dir: string, log: string, files: Files = realFiles): Promise<KeyObject> {
  await addIndexKey(dir, files);
  const publicKey = await addSigningKey(dir, files);
  await nameSigningKey(dir, keyIdOf(publicKey), 'new', files);
  // Last: a folder with this file is complete.
  await publishNew(files, join(dir, KEYS_FILE), formatExactFile({ format: 1, log }));
  return publicKey;
}

/** Throws CONFIGURATION_INVALID if a folder is not the key folder of this log. */
export async function checkKeys(dir: string, log: string, files: Files = realFiles): Promise<void> {
  const bytes = await wrapKeyErrors('read', () =>
    unlessCode(readWhole(files, join(dir, KEYS_FILE)), 'ENOTDIR', 'EISDIR'),
  );
  if (!bytes) throw unusable(`found no ${KEYS_FILE} in the key folder, expected the key folder of this log`);
  const file = readExactFile(bytes, SHAPE);
  if (!file) throw unusable(`${KEYS_FILE} of the key folder is malformed`);
  if (file['log'] !== log) throw unusable('the key folder belongs to another log');
}

/**
 * The index keys of a log by number; records are written with the last one. Throws CONFIGURATION_INVALID if the
 * folder is not the key folder of this log, or a key is missing.
 */
export async function readIndexKeys(dir: string, log: string, files: Files = realFiles): Promise<readonly IndexKey[]> {
  await checkKeys(dir, log, files);
  const keys = await wrapKeyErrors('read', () => readNumbered(dir, files));
  if (keys.length === 0) throw unusable('the key folder has no index key');
  keys.sort((one, other) => one.number - other.number);
  const missing = keys.findIndex(({ number }, i) => number !== i + 1) + 1;
  // Without this key, searches and erasures would miss the subjects that were hashed with it.
  if (missing > 0) throw unusable(`the key folder has no index key ${missing}, but one with a higher number`);
  return keys;
}

async function readNumbered(dir: string, files: Files): Promise<IndexKey[]> {
  const keys: IndexKey[] = [];
  for (const name of await files.list(dir)) {
    const number = INDEX_KEYS.numberOf(name);
    if (number === undefined) continue;
    const text = (await readWhole(files, join(dir, name)))?.toString('latin1') ?? '';
    if (!/^[0-9a-f]{64}\n$/.test(text)) {
      throw unusable(`index key ${number} is malformed: expected 64 hexadecimal digits and a line break`);
    }
    keys.push({ number, key: createSecretKey(text.slice(0, -1), 'hex') });
  }
  return keys;
}

/** Adds an index key and returns its number; from the next opening of the log on, subjects are hashed with it. */
export async function addIndexKey(dir: string, files: Files = realFiles): Promise<number> {
  return wrapKeyErrors('given another key', async () => {
    for (;;) {
      const numbers = (await files.list(dir)).map((name) => INDEX_KEYS.numberOf(name) ?? 0);
      const number = Math.max(0, ...numbers) + 1;
      const bytes = Buffer.from(`${randomBytes(INDEX_KEY_BYTES).toString('hex')}\n`);
      try {
        await publishNew(files, join(dir, INDEX_KEYS.of(number)), bytes);
        return number;
      } catch (error) {
        // Another process may have taken the number first.
        if (!isCode(error, 'EEXIST')) throw error;
      }
    }
  });
}

/** Adds a public key, durable, to the log's folder, where readers look for it. */
export async function putPublicKey(dir: string, key: KeyObject, files: Files = realFiles): Promise<void> {
  const folder = join(dir, 'public');
  const pem = key.export({ type: 'spki', format: 'pem' }) as string;
  await wrapIoErrors('given another key', async () => {
    await ensureFolder(files, folder);
    await publishNew(files, join(folder, `${keyIdOf(key)}.pem`), Buffer.from(pem));
  });
}
