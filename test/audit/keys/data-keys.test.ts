import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  countDataKeys,
  DataKeyPool,
  DataKeyReader,
  dataFolder,
  eraseDataKeys,
  readKeyName,
} from '../../../src/audit/keys/data-keys.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

const EPOCH = '01a1fd40-0000-7000-8000-000000000001.3';

function keyFolder() {
  const keys = folderAt(temporaryFolder());
  const data = dataFolder(keys);
  mkdirSync(data.path);
  return { keys, data, pool: new DataKeyPool(data, EPOCH) };
}

async function take(pool: DataKeyPool, count: number) {
  await pool.reserve(count);
  return Array.from({ length: count }, () => {
    const { name, key } = pool.take();
    return { name, hex: key.toString('hex') };
  });
}

const hexOf = async (reader: DataKeyReader, name: string) => {
  const found = await reader.read(name);
  return typeof found === 'string' ? found : found.toString('hex');
};

describe('data keys', () => {
  it('are each taken once, and are in their file before', async () => {
    const { keys, pool } = keyFolder();
    const reader = new DataKeyReader(keys);
    const taken = [...(await take(pool, 1)), ...(await take(pool, 20)), ...(await take(pool, 400))];
    for (const { name, hex } of taken) expect(await hexOf(reader, name)).toBe(hex);
    expect(new Set(taken.map(({ name }) => name)).size).toBe(421);
    expect(new Set(taken.map(({ hex }) => hex)).size).toBe(421);
    expect(taken[0]?.name).toBe(`${EPOCH}.1:0`);
    expect(taken[16]?.name).toBe(`${EPOCH}.2:0`);
  });

  it('are made in blocks of 16, 64, 256, 1024, and then 4096', async () => {
    const { data, pool } = keyFolder();
    await take(pool, 16 + 64 + 256 + 1024 + 4096 + 1);
    const sizes = [1, 2, 3, 4, 5, 6].map((n) => readFileSync(join(data.path, `${EPOCH}.${n}.keys`)).length / 32);
    expect(sizes).toEqual([16, 64, 256, 1024, 4096, 4096]);
  });

  it('of an existing block are never used again', async () => {
    const { data, pool } = keyFolder();
    await take(new DataKeyPool(data, EPOCH), 1);
    await expect(pool.reserve(1)).rejects.toThrow('EEXIST');
  });

  it('cannot be taken unless they were reserved', async () => {
    const { pool } = keyFolder();
    expect(() => pool.take()).toThrow(RangeError);
  });

  it('are erased one by one without touching their neighbours', async () => {
    const { keys, data, pool } = keyFolder();
    const taken = await take(pool, 40);
    const erased = new Set([0, 3, 15, 16, 39]);
    const names = taken.flatMap(({ name }, i) => (erased.has(i) ? [name] : []));
    expect(await eraseDataKeys(keys, names)).toEqual({ erased: names.length, before: 0, missing: 0 });
    const reader = new DataKeyReader(keys);
    for (const [i, { name, hex }] of taken.entries())
      expect(await hexOf(reader, name)).toBe(erased.has(i) ? 'erased' : hex);
    const files = readdirSync(data.path).map((file) => readFileSync(join(data.path, file), 'hex'));
    for (const [i, { hex }] of taken.entries()) expect(files.join(' ').includes(hex)).toBe(!erased.has(i));
    expect(await eraseDataKeys(keys, names)).toEqual({ erased: 0, before: names.length, missing: 0 });
  });

  it('that do not exist are counted, and no file is made or grows for them', async () => {
    const { keys, data, pool } = keyFolder();
    await take(pool, 1);
    const missing = [`${EPOCH}.1:16`, `${EPOCH}.2:0`, '../keys:0', `${EPOCH}.1:01`, `${EPOCH}.1:-1`];
    const counts = { erased: 1, before: 0, missing: missing.length };
    expect(await countDataKeys(keys, [...missing, `${EPOCH}.1:0`])).toEqual(counts);
    expect(await eraseDataKeys(keys, [...missing, `${EPOCH}.1:0`])).toEqual(counts);
    expect(readdirSync(data.path)).toEqual([`${EPOCH}.1.keys`]);
    expect(readFileSync(join(data.path, `${EPOCH}.1.keys`))).toHaveLength(512);
    const reader = new DataKeyReader(keys);
    for (const name of missing) expect(await reader.read(name)).toBe('missing');
  });

  it('of a truncated block are missing', async () => {
    const { keys, data, pool } = keyFolder();
    const [first, second] = await take(pool, 2);
    const path = join(data.path, `${EPOCH}.1.keys`);
    writeFileSync(path, readFileSync(path).subarray(0, 40));
    const reader = new DataKeyReader(keys);
    expect(await hexOf(reader, first?.name ?? '')).toBe(first?.hex);
    expect(await hexOf(reader, second?.name ?? '')).toBe('missing');
  });

  it('of one block that are read at once read its file once', async () => {
    const { keys, pool } = keyFolder();
    const taken = await take(pool, 10);
    let reads = 0;
    const files = {
      ...keys.files,
      read: (...args: Parameters<typeof keys.files.read>) => {
        reads += 1;
        return keys.files.read(...args);
      },
    };
    const reader = new DataKeyReader({ ...keys, files });
    expect(await Promise.all(taken.map(({ name }) => hexOf(reader, name)))).toEqual(taken.map(({ hex }) => hex));
    expect(reads).toBe(1);
  });

  it('are read from more blocks than are cached', async () => {
    const { keys, data } = keyFolder();
    const taken = [];
    for (let epoch = 1; epoch <= 70; epoch++) {
      const pool = new DataKeyPool(data, EPOCH.replace(/3$/, String(epoch)));
      taken.push(...(await take(pool, 1)));
    }
    const reader = new DataKeyReader(keys);
    for (const { name, hex } of [...taken, ...taken]) expect(await hexOf(reader, name)).toBe(hex);
  });
});

it('the name of a key is its block and its slot', () => {
  expect(readKeyName(`${EPOCH}.12:4095`)).toEqual({ block: `${EPOCH}.12`, slot: 4095 });
  for (const name of ['', EPOCH, `${EPOCH}.1`, `${EPOCH}.1:`, `${EPOCH}.0:1`, `/${EPOCH}.1:1`])
    expect(readKeyName(name)).toBeUndefined();
});
