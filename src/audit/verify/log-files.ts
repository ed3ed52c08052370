/** A log's folder -> what its own files say (its name, its public keys, which policies and mappings it keeps), and which of them are not as they were written. */

import { createHash, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import * as is from '../entry/schema.ts';
import { keyIdOf, readPublicKey } from '../keys/signature.ts';
import { type LogFile, readLogFile } from '../log-file.ts';
import { type FolderItem, listFolder, readPieces, readSmall } from '../store/folder.ts';
import type { Finding, FindingCode } from './finding.ts';

/** The log's own files, those of its chains apart. */
export interface LogFiles {
  /** Undefined where `log.json` cannot be read. */
  readonly log: LogFile | undefined;
  /** By their ids. */
  readonly publicKeys: ReadonlyMap<string, KeyObject>;
  /** The names of the folders of chains. */
  readonly chains: readonly string[];
  readonly findings: readonly Finding[];
}

/** The folders of a log. */
const FOLDERS = ['public', 'chains', 'policies', 'mappings'];

/** Reads the log's own files. */
export async function verifyFiles(dir: string): Promise<LogFiles> {
  const findings: Finding[] = [];
  const add = (code: FindingCode, file: string, message: string) => findings.push({ code, file, message });
  const publicKeys = new Map<string, KeyObject>();
  const chains: string[] = [];

  for (const { name, kind } of await listFolder(dir)) {
    if (name !== 'log.json' && !(kind === 'folder' && FOLDERS.includes(name))) add('file-unexpected', name, STRANGE);
  }
  const bytes = await readSmall(join(dir, 'log.json'));
  const log = bytes && readLogFile(bytes);
  if (!log) add('log-invalid', 'log.json', bytes ? 'found another text than a log.json has' : 'found no such file');

  for (const { name, kind } of await listFolder(join(dir, 'public'))) {
    const file = `public/${name}`;
    const id = kind === 'file' ? /^([0-9a-f]{16})\.pem$/.exec(name)?.[1] : undefined;
    const key = id && readPublicKey((await readSmall(join(dir, file)))?.toString('latin1') ?? '');
    if (!id) add('file-unexpected', file, STRANGE);
    else if (key && keyIdOf(key) === id) publicKeys.set(id, key);
    else add('key-invalid', file, 'found another text than the Ed25519 public key of that id');
  }
  for (const folder of ['policies', 'mappings']) {
    for (const entry of await listFolder(join(dir, folder))) {
      const file = `${folder}/${entry.name}`;
      if (entry.kind !== 'file' || !/^[0-9a-f]{64}\.json$/.test(entry.name)) add('file-unexpected', file, STRANGE);
      else if (`${await digestOf(join(dir, file), entry)}.json` !== entry.name) {
        add('archive-differs', file, 'found other bytes than those whose SHA-256 the file is named for');
      }
    }
  }
  for (const { name, kind } of await listFolder(join(dir, 'chains'))) {
    if (kind === 'folder' && is.ID.is(name)) chains.push(name);
    else add('file-unexpected', `chains/${name}`, STRANGE);
  }
  return { log, publicKeys, chains, findings };
}

const STRANGE = 'found something that does not belong into the folder of a log';

async function digestOf(path: string, { size }: FolderItem): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of readPieces(path, size)) hash.update(piece);
  return hash.digest('hex');
}
