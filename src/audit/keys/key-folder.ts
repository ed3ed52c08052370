/** The keys of a log, in a folder or a database -> its index keys and its signing key: made, read, rotated. */

import { createPrivateKey, createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { basename, dirname } from 'node:path';
import * as is from '../entry/schema.ts';
import { FORMAT, formatExactFile, readExactFile } from '../entry/schema.ts';
import {
  below,
  ensureFolder,
  type Folder,
  folderAt,
  isCode,
  publish,
  publishNew,
  readWhole,
  unlessCode,
} from '../store/files.ts';
import { unusable, wrapIoErrors, wrapKeyErrors } from '../store/io-errors.ts';
import { namesOf } from '../store/segment.ts';
import { keyIdOf } from './signature.ts';
import type { IndexKey } from './subject.ts';

const KEYS_FILE = 'keys.json';
const INDEX_KEYS = namesOf('index-', 6, '.key');
const INDEX_KEY_BYTES = 32;

const SHAPE: is.Shape = { format: FORMAT, log: is.ID };

/** Makes the first keys of a log, durable, in its new key folder; returns the public key that checks its signatures. */
export async function createKeys(keys: Folder, log: string): Promise<KeyObject> {
  await addIndexKey(keys);
  const publicKey = await addSigningKey(keys);
  await nameSigningKey(keys, keyIdOf(publicKey), 'new');
  // Last: a folder with this file is complete.
  await publishNew(keys, KEYS_FILE, formatExactFile({ format: 1, log }));
  return publicKey;
}

/** Throws CONFIGURATION_INVALID if a folder is not the key folder of this log. */
export async function checkKeys(keys: Folder, log: string): Promise<void> {
  const bytes = await wrapKeyErrors('read', () => unlessCode(readWhole(keys, KEYS_FILE), 'ENOTDIR', 'EISDIR'));
  if (!bytes) throw unusable(`found no ${KEYS_FILE} in the key folder, expected the key folder of this log`);
  const file = readExactFile(bytes, SHAPE);
  if (!file) throw unusable(`${KEYS_FILE} of the key folder is malformed`);
  if (file['log'] !== log) throw unusable('the key folder belongs to another log');
}

/**
 * The index keys of a log by number; records are written with the last one. Throws CONFIGURATION_INVALID if the
 * folder is not the key folder of this log, or a key is missing.
 */
export async function readIndexKeys(folder: Folder, log: string): Promise<readonly IndexKey[]> {
  const numbered = wrapKeyErrors('read', () => readNumbered(folder));
  // If the folder is that of another log, its own error comes first.
  numbered.catch(() => {});
  await checkKeys(folder, log);
  const keys = await numbered;
  if (keys.length === 0) throw unusable('the key folder has no index key');
  keys.sort((one, other) => one.number - other.number);
  const missing = keys.findIndex(({ number }, i) => number !== i + 1) + 1;
  // Without this key, searches and erasures would miss the subjects that were hashed with it.
  if (missing > 0) throw unusable(`the key folder has no index key ${missing}, but one with a higher number`);
  return keys;
}

/**
 * The first index key of a key folder, which stays the same when others are added. Throws CONFIGURATION_INVALID if it
 * is not there.
 */
export async function readFirstIndexKey(folder: Folder): Promise<KeyObject> {
  const keys = await wrapKeyErrors('read', () => readNumbered(folder));
  const first = keys.find(({ number }) => number === 1);
  if (!first) throw unusable('the key folder has no index key 1');
  return first.key;
}

async function readNumbered(folder: Folder): Promise<IndexKey[]> {
  const names = await folder.files.list(folder.path);
  const read = async (name: string): Promise<readonly IndexKey[]> => {
    const number = INDEX_KEYS.numberOf(name);
    if (number === undefined) return [];
    const text = (await readWhole(folder, name))?.toString('latin1') ?? '';
    if (!/^[0-9a-f]{64}\n$/.test(text)) {
      throw unusable(`index key ${number} is malformed: expected 64 hexadecimal digits and a line break`);
    }
    return [{ number, key: createSecretKey(text.slice(0, -1), 'hex') }];
  };
  return (await Promise.all(names.map(read))).flat();
}

/** Adds an index key and returns its number; from the next opening of the log on, subjects are hashed with it. */
export async function addIndexKey(keys: Folder): Promise<number> {
  return wrapKeyErrors('given another key', async () => {
    for (;;) {
      const numbers = (await keys.files.list(keys.path)).map((name) => INDEX_KEYS.numberOf(name) ?? 0);
      const number = Math.max(0, ...numbers) + 1;
      const bytes = Buffer.from(`${randomBytes(INDEX_KEY_BYTES).toString('hex')}\n`);
      try {
        await publishNew(keys, INDEX_KEYS.of(number), bytes);
        return number;
      } catch (error) {
        // Another process may have taken the number first.
        if (!isCode(error, 'EEXIST')) throw error;
      }
    }
  });
}

/** Adds a public key, durable, to the log's folder, where readers look for it. */
export async function putPublicKey(log: Folder, key: KeyObject): Promise<void> {
  const folder = below(log, 'public');
  const pem = key.export({ type: 'spki', format: 'pem' }) as string;
  await wrapIoErrors('given another key', async () => {
    await ensureFolder(folder);
    await publishNew(folder, `${keyIdOf(key)}.pem`, Buffer.from(pem));
  });
}

/** Names the current signing key: neither the keys' names nor their files' times show which one is the latest. */
const CURRENT_FILE = 'signing.json';
const CURRENT: is.Shape = { format: FORMAT, key: is.KEY_ID };
const SIGNING_KEY = /^signing-([0-9a-f]{16})\.pem$/;

/** Adds an Ed25519 key, durable, and returns its public half. It signs only once `nameSigningKey` names it. */
export async function addSigningKey(keys: Folder): Promise<KeyObject> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const file = fileOf(keyIdOf(publicKey));
  await wrapKeyErrors('given another key', () => publishNew(keys, file, Buffer.from(pem)));
  return publicKey;
}

/**
 * Makes a key of the folder the current one; with `new`, only if none is named yet. If this is interrupted, either
 * this key or the previous one is current.
 */
async function nameSigningKey(keys: Folder, id: string, how: 'new' | 'replace'): Promise<void> {
  const bytes = formatExactFile({ format: 1, key: id });
  await wrapKeyErrors('given another key', async () => {
    const naming = publish(keys, CURRENT_FILE, bytes, how);
    await (how === 'new' ? unlessCode(naming, 'EEXIST') : naming);
    await keys.files.syncFolder(keys.path);
  });
}

/** The id of the current signing key: the named one, or the only one in the folder; undefined if neither exists. */
async function currentSigningKey(keys: Folder): Promise<string | undefined> {
  const named = await ifThere(() => readWhole(keys, CURRENT_FILE));
  if (named) {
    const current = readExactFile(named, CURRENT);
    if (current) return String(current['key']);
    throw unusable(`${CURRENT_FILE} of the key folder is malformed`);
  }
  const ids = await listSigningKeys(keys);
  return ids.length === 1 ? ids[0] : undefined;
}

/**
 * The key to sign with: that of `file`, or the current one of the key folder. Throws CONFIGURATION_INVALID if there
 * is none, or several and none of them is named as current.
 */
export async function readSigningKey(keys: Folder, file?: string): Promise<KeyObject> {
  if (file !== undefined) {
    const pem = await wrapKeyErrors('read', () => readWhole(folderAt(dirname(file)), basename(file))).catch(
      () => undefined,
    );
    if (!pem) throw unusable('the file of the signing key cannot be read');
    return readKey(pem);
  }
  const id = await currentSigningKey(keys);
  if (id === undefined) {
    const count = (await listSigningKeys(keys)).length;
    const found = count === 0 ? 'no signing key' : `${count} signing keys and no ${CURRENT_FILE} that names one`;
    throw unusable(`found ${found} in the key folder, expected one current key; otherwise name the file of a key`);
  }
  const pem = await ifThere(() => readWhole(keys, fileOf(id)));
  const otherwise = 'expected the current key; otherwise name the file of a key';
  if (!pem) throw unusable(`found no ${fileOf(id)} in the key folder, ${otherwise}`);
  const key = readKey(pem);
  if (keyIdOf(key) !== id) throw unusable(`found another key in ${fileOf(id)}, expected the one in its name`);
  return key;
}

function fileOf(id: string): string {
  return `signing-${id}.pem`;
}

async function listSigningKeys(keys: Folder): Promise<string[]> {
  const names = (await ifThere(() => keys.files.list(keys.path))) ?? [];
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

/**
 * Adds a signing key and returns its id. The earlier key stays in the key folder, and its public half in the log.
 *
 * INVARIANT: a key signs only once its public half is in the log, and becomes current by replacing one file. If this is
 * interrupted, the earlier key signs, and it is enough to rotate again.
 */
export async function rotateSigningKey(log: Folder, keys: Folder): Promise<string> {
  // Name the current key explicitly first: with two keys in the folder it would be ambiguous.
  const earlier = await currentSigningKey(keys);
  if (earlier !== undefined) await nameSigningKey(keys, earlier, 'new');
  const publicKey = await addSigningKey(keys);
  await putPublicKey(log, publicKey);
  const id = keyIdOf(publicKey);
  await nameSigningKey(keys, id, 'replace');
  return id;
}
