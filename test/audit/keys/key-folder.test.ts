/** Which key of a key folder signs: after a rotation, an interrupted one, a copy, and if a key was moved away. */

import { readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  addSigningKey,
  createKeys,
  putPublicKey,
  readSigningKey,
  rotateSigningKey,
} from '../../../src/audit/keys/key-folder.ts';
import { keyIdOf } from '../../../src/audit/keys/signature.ts';
import { type Files, folderAt } from '../../../src/audit/store/files.ts';
import { logFolder } from '../../support/audit/decisions.ts';
import { Disk } from '../../support/audit/disk.ts';
import { randomOf } from '../../support/facts/mutate.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

const LOG = '01a1f8d4-db1b-7aa7-8e76-cb5c5c64abac';

const refused = (message: string) =>
  expect.objectContaining({ code: 'CONFIGURATION_INVALID', message: expect.stringContaining(message) });

/** The id of the key that signs. */
const signerOf = async (keys: string) => keyIdOf(await readSigningKey(folderAt(keys)));

const fileOf = (id: string) => `signing-${id}.pem`;

describe('the current signing key', () => {
  it('is the newest, whatever the times of the files and the ids of the keys', async () => {
    const { dir, keys } = await logFolder();
    const ids = [await signerOf(keys)];
    for (let i = 0; i < 6; i++) {
      ids.push(await rotateSigningKey(folderAt(dir), folderAt(keys)));
      for (const [age, id] of ids.entries()) utimesSync(join(keys, fileOf(id)), 1000 - age, 1000 - age);
      expect(await signerOf(keys)).toBe(ids.at(-1));
    }
    expect(readdirSync(join(dir, 'public')).sort()).toEqual(ids.map((id) => `${id}.pem`).sort());
  });

  it('can be given as a file', async () => {
    const { dir, keys } = await logFolder();
    const earlier = await signerOf(keys);
    await rotateSigningKey(folderAt(dir), folderAt(keys));
    expect(keyIdOf(await readSigningKey(folderAt(keys), join(keys, fileOf(earlier))))).toBe(earlier);
  });

  it('is the only one of a folder that names none; several without a name are refused', async () => {
    const { dir, keys } = await logFolder();
    rmSync(join(keys, 'signing.json'));
    const earlier = await signerOf(keys);
    await addSigningKey(folderAt(keys));
    await expect(readSigningKey(folderAt(keys))).rejects.toEqual(refused('found 2 signing keys'));
    for (const name of readdirSync(keys))
      if (name.startsWith('signing-') && name !== fileOf(earlier)) rmSync(join(keys, name));
    const later = await rotateSigningKey(folderAt(dir), folderAt(keys));
    expect(await signerOf(keys)).toBe(later);
  });

  it('is not replaced by another if it was moved away', async () => {
    const { dir, keys } = await logFolder();
    const id = await rotateSigningKey(folderAt(dir), folderAt(keys));
    const elsewhere = join(temporaryFolder(), 'key.pem');
    renameSync(join(keys, fileOf(id)), elsewhere);
    await expect(readSigningKey(folderAt(keys))).rejects.toEqual(refused(`found no ${fileOf(id)} in the key folder`));
    expect(keyIdOf(await readSigningKey(folderAt(keys), elsewhere))).toBe(id);
  });

  it.each<[string, string, (keys: string, earlier: string, id: string) => void]>([
    [
      'signing.json is half written',
      'signing.json of the key folder is malformed',
      (keys) => cut(join(keys, 'signing.json')),
    ],
    [
      'another key has its name',
      'found another key in signing-',
      (keys, earlier, id) => writeFileSync(join(keys, fileOf(id)), readFileSync(join(keys, fileOf(earlier)))),
    ],
    ['it is half written', 'expected an Ed25519 private key in PEM', (keys, _, id) => cut(join(keys, fileOf(id)))],
    ['there is no key folder', 'found no signing key', (keys) => rmSync(keys, { recursive: true })],
  ])('is never guessed if %s', async (_, said, spoil) => {
    const { dir, keys } = await logFolder();
    const earlier = await signerOf(keys);
    const id = await rotateSigningKey(folderAt(dir), folderAt(keys));
    spoil(keys, earlier, id);
    await expect(readSigningKey(folderAt(keys))).rejects.toEqual(refused(said));
  });
});

function cut(file: string): void {
  writeFileSync(file, readFileSync(file).subarray(0, 20));
}

describe('a rotation that is interrupted', () => {
  const foldersOf = (files: Files) => ({ log: { files, path: '/log' }, keys: { files, path: '/keys' } });

  /** A new log and its keys on a disk, durable, and the id of the signing key. */
  async function newLogOnDisk(isNamed: boolean) {
    const disk = new Disk();
    const files = disk.view();
    for (const folder of ['/log', '/keys']) await files.makeFolder(folder);
    await files.syncFolder('/');
    const key = await createKeys(foldersOf(files).keys, LOG);
    await putPublicKey(foldersOf(files).log, key);
    if (!isNamed) await files.unlink('/keys/signing.json');
    await files.syncFolder('/keys');
    await files.syncFolder('/log');
    return { disk, earlier: keyIdOf(key) };
  }

  const rotate = (files: Files) => rotateSigningKey(foldersOf(files).log, foldersOf(files).keys);
  const signer = async (disk: Disk) => keyIdOf(await readSigningKey(foldersOf(disk.view()).keys));

  it.each([
    ['by itself', true],
    ['in a folder that names no key', false],
  ])('leaves the earlier key current, or the next one with its public half in the log; %s', async (_, isNamed) => {
    let calls = 0;
    const seen = new Set<string>();
    for (let last = 0; ; last++) {
      const { disk, earlier } = await newLogOnDisk(isNamed);
      calls = 0;
      const view = disk.view(() => (calls++ === last ? 'killed' : 'done'));
      const rotated = await rotate(view).catch(() => undefined);
      const crashes = Array.from({ length: 8 }, (_, i) => disk.crash(i === 0 ? undefined : randomOf(last * 8 + i)));
      for (const left of [...crashes, disk]) {
        const id = await signer(left);
        const known = await left.view().list('/log/public');
        expect(known).toContain(`${id}.pem`);
        if (rotated !== undefined) expect(id).toBe(rotated);
        seen.add(id === earlier ? 'earlier' : 'next');
        const again = await rotate(left.view());
        expect(await signer(left)).toBe(again);
      }
      if (rotated !== undefined) break;
    }
    expect(calls).toBeGreaterThan(10);
    expect([...seen].sort()).toEqual(['earlier', 'next']);
  });
});
