/** A log's folder -> its `log.json`, public keys and chain names, and findings on all files outside the chains. */

import { createHash, type KeyObject } from 'node:crypto';
import * as is from '../entry/schema.ts';
import { keyIdOf, readPublicKey } from '../keys/signature.ts';
import { isOfIndex, type LogFile, readLogFile } from '../place.ts';
import { listFolder, readPieces, readSmall } from '../store/chain-folder.ts';
import { below, type Folder } from '../store/files.ts';
import { unusable } from '../store/io-errors.ts';
import { FOLDERS } from '../store/segment.ts';
import type { Finding, FindingCode } from './finding.ts';

/** The files of a log outside its chains. */
export interface LogFiles {
  /** Undefined if `log.json` cannot be read. */
  readonly log: LogFile | undefined;
  /** By their ids. */
  readonly publicKeys: ReadonlyMap<string, KeyObject>;
  /** The names of the chains' folders. */
  readonly chains: readonly string[];
  readonly findings: readonly Finding[];
}

/** Reads the files of a log outside its chains, and checks them. */
export async function verifyFiles(dir: Folder): Promise<LogFiles> {
  const findings: Finding[] = [];
  const add = (code: FindingCode, file: string, message: string) => findings.push({ code, file, message });
  const addUnexpected = (file: string) => add('file-unexpected', file, 'this does not belong in the folder of a log');
  const publicKeys = new Map<string, KeyObject>();
  const chains: string[] = [];

  for (const { name, kind } of await listFolder(dir)) {
    const isKnown = name === 'log.json' || isOfIndex(name) || (kind === 'folder' && FOLDERS.includes(name));
    if (!isKnown) addUnexpected(name);
  }
  const bytes = await readSmall(dir, 'log.json');
  const log = bytes && readLogFile(bytes);
  if (!log) add('log-invalid', 'log.json', `log.json is ${bytes ? 'malformed' : 'missing'}`);

  for (const { name, kind } of await listFolder(below(dir, 'public'))) {
    const file = `public/${name}`;
    const id = kind === 'file' ? /^([0-9a-f]{16})\.pem$/.exec(name)?.[1] : undefined;
    const key = id && readPublicKey((await readSmall(dir, file))?.toString('latin1') ?? '');
    if (!id) addUnexpected(file);
    else if (key && keyIdOf(key) === id) publicKeys.set(id, key);
    else add('key-invalid', file, 'not the PEM of an Ed25519 public key with the id in the file name');
  }
  for (const folder of ['policies', 'mappings']) {
    for (const { name, kind, size } of await listFolder(below(dir, folder))) {
      const file = `${folder}/${name}`;
      if (kind !== 'file' || !/^[0-9a-f]{64}\.json$/.test(name)) addUnexpected(file);
      else if (`${await fileDigest(dir, file, size)}.json` !== name) {
        add('archive-differs', file, 'the SHA-256 of the file is not the one in its name');
      }
    }
  }
  for (const { name, kind } of await listFolder(below(dir, 'chains'))) {
    if (kind === 'folder' && is.ID.is(name)) chains.push(name);
    else addUnexpected(`chains/${name}`);
  }
  return { log, publicKeys, chains, findings };
}

/** Throws CONFIGURATION_INVALID if the log's folder does not have the public key of a signing key. */
export function checkSigningKey({ publicKeys }: LogFiles, signingKey: KeyObject): void {
  if (publicKeys.has(keyIdOf(signingKey))) return;
  throw unusable("the signing key does not belong to the log, expected one whose public key is in the log's folder");
}

/** The SHA-256 of the first bytes of a file, as 64 hexadecimal digits. */
export async function fileDigest(folder: Folder, name: string, length: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of readPieces(folder, name, length)) hash.update(piece);
  return hash.digest('hex');
}
