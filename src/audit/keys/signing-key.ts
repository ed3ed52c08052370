/** The key folder -> the private key that checkpoints and tombstones are signed with: the one that it names as its current one. */

import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { readExactFile } from '../entry/canonical.ts';
import type * as is from '../entry/schema.ts';
import { type Files, isCode, publish, readWhole, realFiles } from '../store/files.ts';
import { wrapKeyErrors } from './key-folder-errors.ts';
import { keyIdOf } from './signature.ts';

/** Says which of the signing keys signs. Neither the names of the keys nor the times of their files tell which came last. */
const CURRENT_FILE = 'signing.json';
const CURRENT: is.Shape = {
  format: { expected: '1', is: (value) => value === 1 },
  key: { expected: 'the id of a key', is: (value) => typeof value === 'string' && /^[0-9a-f]{16}$/.test(value) },
};
const SIGNING_KEY = /^signing-([0-9a-f]{16})\.pem$/;

/** Adds an Ed25519 key, durable, which does not sign before it is named, and gives its public half, which has to be put into the log. */
export async function addSigningKey(dir: string, files: Files = realFiles): Promise<KeyObject> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  await wrapKeyErrors('given another key', async () => {
    await publish(files, join(dir, fileOf(keyIdOf(publicKey))), Buffer.from(pem), 'new');
    await files.syncFolder(dir);
  });
  return publicKey;
}

/**
 * Makes a key of the folder the one that signs; with `new`, unless the folder names one already. Whenever this ends early, either that one or
 * the one before it signs.
 */
export async function nameSigningKey(
  dir: string,
  id: string,
  how: 'new' | 'replace',
  files: Files = realFiles,
): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify({ format: 1, key: id })}\n`);
  await wrapKeyErrors('given another key', async () => {
    await publish(files, join(dir, CURRENT_FILE), bytes, how).catch((error: unknown) => {
      if (how === 'replace' || !isCode(error, 'EEXIST')) throw error;
    });
    await files.syncFolder(dir);
  });
}

/** The id of the key that signs: the one that the folder names, or, where it names none, the only one in it; undefined where neither tells. */
export async function currentSigningKey(dir: string, files: Files = realFiles): Promise<string | undefined> {
  const named = await orNothing(() => readWhole(files, join(dir, CURRENT_FILE)));
  if (named) {
    const current = readExactFile(named, CURRENT);
    if (current) return String(current['key']);
    throw unusable(`${CURRENT_FILE} of the key folder is not as it was written`);
  }
  const ids = await listSigningKeys(dir, files);
  return ids.length === 1 ? ids[0] : undefined;
}

/**
 * The key to sign with: that of a file, or the current one of the key folder. Throws CONFIGURATION_INVALID where there is none, or
 * several and nothing says which.
 */
export async function readSigningKey(keysDir: string, file?: string, files: Files = realFiles): Promise<KeyObject> {
  if (file !== undefined) {
    const pem = await wrapKeyErrors('read', () => readWhole(files, file)).catch(() => undefined);
    if (!pem) throw unusable('the file of the signing key cannot be read');
    return readKey(pem);
  }
  const id = await currentSigningKey(keysDir, files);
  if (id === undefined) {
    const found = (await listSigningKeys(keysDir, files)).length;
    const what = found === 0 ? 'no signing key' : `${found} signing keys, and no ${CURRENT_FILE} that names one,`;
    throw unusable(`found ${what} in the key folder, expected one, or the file of one by its name`);
  }
  const pem = await orNothing(() => readWhole(files, join(keysDir, fileOf(id))));
  if (!pem) {
    throw unusable(
      `found no ${fileOf(id)} in the key folder, which is to sign, expected it, or the file of a key by its name`,
    );
  }
  const key = readKey(pem);
  if (keyIdOf(key) !== id) throw unusable(`found another key in ${fileOf(id)} than the one that it is named for`);
  return key;
}

function fileOf(id: string): string {
  return `signing-${id}.pem`;
}

async function listSigningKeys(dir: string, files: Files): Promise<string[]> {
  const names = (await orNothing(() => files.list(dir))) ?? [];
  return names.flatMap((name) => SIGNING_KEY.exec(name)?.[1] ?? []);
}

function readKey(pem: Buffer): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // What the cause says of a key may be the key.
  }
  throw unusable('the signing key cannot be read: expected an Ed25519 private key in PEM');
}

/** Undefined where there is no such file or folder. */
function orNothing<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  return wrapKeyErrors('read', read).catch((error: unknown) => {
    if (error instanceof VerdictError && isCode(error.cause, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  });
}

function unusable(message: string): VerdictError {
  return new VerdictError('CONFIGURATION_INVALID', message);
}
