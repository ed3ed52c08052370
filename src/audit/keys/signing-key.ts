/** The key folder -> the private key that signs checkpoints and tombstones. */

import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { FORMAT, formatExactFile, readExactFile } from '../entry/canonical.ts';
import * as is from '../entry/schema.ts';
import { type Files, publish, publishNew, readWhole, realFiles, unlessCode } from '../store/files.ts';
import { unusable, wrapKeyErrors } from '../store/io-errors.ts';
import { keyIdOf } from './signature.ts';

/** Names the current signing key: neither the keys' names nor their files' times show which one is the latest. */
const CURRENT_FILE = 'signing.json';
const CURRENT: is.Shape = { format: FORMAT, key: is.KEY_ID };
const SIGNING_KEY = /^signing-([0-9a-f]{16})\.pem$/;

/** Adds an Ed25519 key, durable, and returns its public half. It signs only once `nameSigningKey` names it. */
export async function addSigningKey(dir: string, files: Files = realFiles): Promise<KeyObject> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const file = join(dir, fileOf(keyIdOf(publicKey)));
  await wrapKeyErrors('given another key', () => publishNew(files, file, Buffer.from(pem)));
  return publicKey;
}

/**
 * Makes a key of the folder the current one; with `new`, only if none is named yet. If this is interrupted, either
 * this key or the previous one is current.
 */
export async function nameSigningKey(
  dir: string,
  id: string,
  how: 'new' | 'replace',
  files: Files = realFiles,
): Promise<void> {
  const bytes = formatExactFile({ format: 1, key: id });
  await wrapKeyErrors('given another key', async () => {
    const naming = publish(files, join(dir, CURRENT_FILE), bytes, how);
    await (how === 'new' ? unlessCode(naming, 'EEXIST') : naming);
    await files.syncFolder(dir);
  });
}

/** The id of the current signing key: the named one, or the only one in the folder; undefined if neither exists. */
export async function currentSigningKey(dir: string, files: Files = realFiles): Promise<string | undefined> {
  const named = await ifThere(() => readWhole(files, join(dir, CURRENT_FILE)));
  if (named) {
    const current = readExactFile(named, CURRENT);
    if (current) return String(current['key']);
    throw unusable(`${CURRENT_FILE} of the key folder is malformed`);
  }
  const ids = await listSigningKeys(dir, files);
  return ids.length === 1 ? ids[0] : undefined;
}

/**
 * The key to sign with: that of `file`, or the current one of the key folder. Throws CONFIGURATION_INVALID if there
 * is none, or several and none of them is named as current.
 */
export async function readSigningKey(keysDir: string, file?: string, files: Files = realFiles): Promise<KeyObject> {
  if (file !== undefined) {
    const pem = await wrapKeyErrors('read', () => readWhole(files, file)).catch(() => undefined);
    if (!pem) throw unusable('the file of the signing key cannot be read');
    return readKey(pem);
  }
  const id = await currentSigningKey(keysDir, files);
  if (id === undefined) {
    const count = (await listSigningKeys(keysDir, files)).length;
    const found = count === 0 ? 'no signing key' : `${count} signing keys and no ${CURRENT_FILE} that names one`;
    throw unusable(`found ${found} in the key folder, expected one current key; otherwise name the file of a key`);
  }
  const pem = await ifThere(() => readWhole(files, join(keysDir, fileOf(id))));
  const otherwise = 'expected the current key; otherwise name the file of a key';
  if (!pem) throw unusable(`found no ${fileOf(id)} in the key folder, ${otherwise}`);
  const key = readKey(pem);
  if (keyIdOf(key) !== id) throw unusable(`found another key in ${fileOf(id)}, expected the one in its name`);
  return key;
}

function fileOf(id: string): string {
  return `signing-${id}.pem`;
}

async function listSigningKeys(dir: string, files: Files): Promise<string[]> {
  const names = (await ifThere(() => files.list(dir))) ?? [];
  return names.flatMap((name) => SIGNING_KEY.exec(name)?.[1] ?? []);
}

function readKey(pem: Buffer): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The cause may quote the key, so it is dropped.
  }
  throw unusable('the signing key cannot be read: expected an Ed25519 private key in PEM');
}

/** Undefined if there is no such file or folder. */
function ifThere<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  return wrapKeyErrors('read', () => unlessCode(read(), 'ENOENT', 'ENOTDIR'));
}
