/** Creating and opening a log: in which folders, with which keys, by how many processes at once, and the errors. */

import { mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeCheckpoint } from '../../src/audit/checkpoint/take.ts';
import { initAuditLog } from '../../src/audit/init.ts';
import { addIndexKey, readIndexKeys, readSigningKey } from '../../src/audit/keys/key-folder.ts';
import { createAuditLog } from '../../src/audit/log.ts';
import { keysFolder, readLog } from '../../src/audit/place.ts';
import { folderAt } from '../../src/audit/store/files.ts';
import { verifyLog } from '../../src/audit/verify/verify.ts';
import { logFolder } from '../support/audit/decisions.ts';
import { temporaryFolder } from '../support/policy/policy.ts';

const refused = (message: string) =>
  expect.objectContaining({ code: 'CONFIGURATION_INVALID', message: expect.stringContaining(message) });

/** Two paths beside each other that do not exist. */
function places(root = temporaryFolder()) {
  return { dir: join(root, 'log'), keys: join(root, 'keys') };
}

const filesUnder = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => ({ name, ...modeOf(join(folder, name)) }));

function modeOf(path: string) {
  const found = statSync(path);
  return { isFolder: found.isDirectory(), mode: found.mode & 0o777 };
}

describe('a new log', () => {
  it('has its keys beside it by default, and everything is for its owner alone', async () => {
    const { dir } = places();
    // The folder exists and is open to all.
    mkdirSync(dir, { mode: 0o755 });
    await initAuditLog({ dir });
    const log = await createAuditLog({ dir });
    await log.close();
    const keys = keysFolder({ dir });
    expect(keys).toBe(`${dir}-keys`);
    for (const folder of [dir, keys]) {
      expect(modeOf(folder)).toEqual({ isFolder: true, mode: 0o700 });
      const wrong = filesUnder(folder).filter(({ isFolder, mode }) => mode !== (isFolder ? 0o700 : 0o600));
      expect(wrong).toEqual([]);
      expect(filesUnder(folder).length).toBeGreaterThan(3);
    }
  });

  it('verifies, is empty, and has a checkpoint', async () => {
    const { dir, keys } = places();
    const { log, origin } = await initAuditLog({ dir, keys, origin: 'bank.example/audit' });
    expect(await verifyLog({ dir, keys })).toMatchObject({ log, origin, findings: [], chains: [] });
    const { note } = await takeCheckpoint({ dir, signingKey: await readSigningKey(folderAt(keys)) });
    expect((await verifyLog({ dir, checkpoint: Buffer.from(note ?? '') })).findings).toEqual([]);
  });

  it.each<[string, (at: ReturnType<typeof places>) => void, string]>([
    [
      'its folder is not empty',
      ({ dir }) => mkdirSync(join(dir, 'x'), { recursive: true }),
      'the log folder is not empty',
    ],
    [
      'its key folder is not empty',
      ({ keys }) => mkdirSync(join(keys, 'x'), { recursive: true }),
      'the key folder is not empty',
    ],
  ])('is refused if %s', async (_, prepare, said) => {
    const at = places();
    prepare(at);
    await expect(initAuditLog(at)).rejects.toEqual(refused(said));
    expect(readdirSync(resolve(at.dir, '..'))).toHaveLength(1);
  });

  it.each<[string, (root: string) => { dir: string; keys: string }]>([
    ['in the log', (root) => ({ dir: join(root, 'log'), keys: join(root, 'log', 'keys') })],
    ['in the same folder', (root) => ({ dir: join(root, 'log'), keys: join(root, 'x', '..', 'log') })],
    ['around the log', (root) => ({ dir: join(root, 'keys', 'log'), keys: join(root, 'keys') })],
    [
      'in the log by another name',
      (root) => {
        mkdirSync(join(root, 'log'));
        symlinkSync(join(root, 'log'), join(root, 'elsewhere'));
        return { dir: join(root, 'log'), keys: join(root, 'elsewhere', 'keys') };
      },
    ],
  ])('may not have its keys %s', async (_, placesIn) => {
    await expect(initAuditLog(placesIn(temporaryFolder()))).rejects.toEqual(refused('expected them apart'));
  });

  it('has an origin that fits into a checkpoint', async () => {
    await expect(initAuditLog({ ...places(), origin: 'two words' })).rejects.toEqual(refused('origin has to be'));
  });

  it.each(['both folders', 'the key folder', 'the log folder'])(
    'is created completely by one of many processes that share %s, and not at all by the others',
    async (shared) => {
      const root = temporaryFolder();
      const begin = async (n: number) => {
        const dir = join(root, shared === 'the key folder' ? `log-${n}` : 'log');
        const keys = join(root, shared === 'the log folder' ? `keys-${n}` : 'keys');
        return { dir, keys, begun: await initAuditLog({ dir, keys }).catch((error: unknown) => error) };
      };
      const ends = await Promise.all(Array.from({ length: 8 }, (_, n) => begin(n)));
      const [won, ...more] = ends.filter(({ begun }) => !(begun instanceof Error));
      expect(more).toEqual([]);
      const others = ends.filter((end) => end !== won).map(({ begun }) => begun);
      expect(others).toEqual(Array.from({ length: 7 }, () => refused('folder is not empty')));
      const keys = readdirSync(won?.keys ?? '').filter((name) => /^(index|signing)-/.test(name));
      expect(keys).toHaveLength(2);
      expect(readdirSync(join(won?.dir ?? '', 'public'))).toHaveLength(1);
      expect(await verifyLog({ dir: won?.dir ?? '', keys: won?.keys ?? '' })).toMatchObject({ findings: [] });
      const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
      expect(files.filter((name) => name.endsWith('log.json'))).toHaveLength(1);
    },
  );
});

describe('opening a log', () => {
  it.each<[string, (at: { dir: string; keys: string }) => unknown, string]>([
    ['there is no log', ({ dir }) => rmSync(dir, { recursive: true }), 'found no audit log in that folder'],
    [
      'its folder is a file',
      ({ dir }) => [rmSync(dir, { recursive: true }), writeFileSync(dir, '')],
      'found no audit log',
    ],
    [
      'log.json was changed',
      ({ dir }) => writeFileSync(join(dir, 'log.json'), '{}\n'),
      'log.json of the audit log is malformed',
    ],
    ['there are no keys', ({ keys }) => rmSync(keys, { recursive: true }), 'found no keys.json in the key folder'],
    [
      'its key folder is a file',
      ({ keys }) => [rmSync(keys, { recursive: true }), writeFileSync(keys, '')],
      'found no keys.json',
    ],
    [
      'keys.json was changed',
      ({ keys }) => writeFileSync(join(keys, 'keys.json'), '{"format":2}\n'),
      'keys.json of the key folder is malformed',
    ],
    [
      'the index key is missing',
      ({ keys }) => rmSync(join(keys, 'index-000001.key')),
      'the key folder has no index key',
    ],
    [
      'the index key is malformed',
      ({ keys }) => writeFileSync(join(keys, 'index-000001.key'), 'abc\n'),
      'index key 1 is malformed',
    ],
  ])('is refused if %s', async (_, harm, said) => {
    const { dir, keys } = await logFolder();
    harm({ dir, keys });
    await expect(createAuditLog({ dir, keys })).rejects.toEqual(refused(said));
  });

  it('is refused with the keys of another log, and so is verifying it', async () => {
    const [one, other] = [await logFolder(), await logFolder()];
    const mixed = { dir: one.dir, keys: other.keys };
    await expect(createAuditLog(mixed)).rejects.toEqual(refused('the key folder belongs to another log'));
    await expect(verifyLog({ dir: mixed.dir, keys: mixed.keys })).rejects.toEqual(refused('another log'));
    expect(readdirSync(join(one.dir, 'chains'))).toEqual([]);
  });

  it('is refused with keys that were moved into it', async () => {
    const { dir, keys } = await logFolder();
    renameSync(keys, join(dir, 'keys'));
    await expect(createAuditLog({ dir, keys: join(dir, 'keys') })).rejects.toEqual(refused('expected them apart'));
  });

  it.each<[string, object]>([
    ['mode has to be required or best-effort', { mode: 'best_effort' }],
    ['pii has to be sealed or plain', { pii: 'clear' }],
    ['segmentBytes has to be', { segmentBytes: 0 }],
  ])('is refused where %s', async (said, options) => {
    const { dir, keys } = await logFolder();
    await expect(createAuditLog({ dir, keys, ...options })).rejects.toEqual(refused(said));
  });
});

describe('the keys of a log', () => {
  it('get distinct numbers when several are added at once', async () => {
    const { dir, keys } = await logFolder();
    const added = await Promise.all(Array.from({ length: 5 }, () => addIndexKey(folderAt(keys))));
    expect(added.sort()).toEqual([2, 3, 4, 5, 6]);
    const { log } = await readLog(folderAt(dir));
    const read = await readIndexKeys(folderAt(keys), log);
    expect(read.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(new Set(read.map(({ key }) => key.export().toString('hex'))).size).toBe(6);
  });

  it('are not shown when printed', async () => {
    const { dir, keys } = await logFolder();
    const [key] = await readIndexKeys(folderAt(keys), (await readLog(folderAt(dir))).log);
    const { inspect } = await import('node:util');
    const hex = key?.key.export().toString('hex') ?? '';
    expect(hex).toMatch(/^[0-9a-f]{64}$/);
    expect(inspect(key, { depth: 9 }).replaceAll(' ', '')).not.toContain(hex.slice(0, 10));
  });
});
