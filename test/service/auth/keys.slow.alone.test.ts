/** Files of keys, and their edits -> whose key a header has. */

import { execFile } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect, promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ApiKey, addKey, type KeyRing, readKeys, removeKey, watchKeys } from '../../../src/service/auth/keys.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

vi.mock('node:crypto', async (importOriginal) => {
  const crypto = await importOriginal<typeof import('node:crypto')>();
  return { ...crypto, timingSafeEqual: vi.fn(crypto.timingSafeEqual) };
});

const { timingSafeEqual } = await import('node:crypto');

const NOW = Date.parse('2026-11-20T12:00:00.000Z');

const rings: KeyRing[] = [];

afterEach(() => {
  for (const ring of rings.splice(0)) ring.close();
});

function newFile(): string {
  return join(temporaryFolder({}), 'keys.json');
}

/** Adds a key with a role, and returns it with its text. */
async function add(
  file: string,
  fields: Partial<ApiKey> = {},
): Promise<{ readonly key: ApiKey; readonly text: string }> {
  const text = await addKey(file, { name: 'web', roles: ['decide'], ...fields });
  const key = readKeys(file).find(({ id }) => id === text.split('_')[1]);
  if (key === undefined) throw new Error('the key was not added');
  return { key, text };
}

/** A ring that notes what it reports: the number of keys, or the problem. */
function watched(file: string): { readonly ring: KeyRing; readonly events: readonly (number | string)[] } {
  const events: (number | string)[] = [];
  const note = (event: number | string) => void events.push(event);
  const ring = watchKeys(file, { onChange: note, onError: note });
  rings.push(ring);
  return { ring, events };
}

/** The name of the caller that a key's text identifies. */
function nameOf(ring: KeyRing, text: string, now = NOW): string | undefined {
  return ring.find(`Bearer ${text}`, now)?.name;
}

const patiently = { interval: 5 };

describe('a key', () => {
  it('is a text that names its id, and the file has only a hash of its secret', async () => {
    const file = newFile();
    const { key, text } = await add(file, { rate: 5, expires: '2026-12-31' });
    const [, id, secret = ''] = /^vk_([0-9a-f]{8})_([\w-]{43})$/.exec(text) ?? [];
    expect(key).toEqual({ ...key, id, name: 'web', roles: ['decide'], rate: 5, expires: '2026-12-31' });
    const stored = readFileSync(file, 'utf8');
    expect(stored).not.toContain(secret.slice(0, 8));
    expect(JSON.parse(stored)).toEqual({
      format: 1,
      keys: [{ ...key, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    });
    expect(readKeys(file)).toEqual([key]);
  });

  it('is found by its header alone, spelled exactly', async () => {
    const file = newFile();
    const { key, text } = await add(file, { roles: ['decide', 'audit', 'approve'] });
    const { ring } = watched(file);
    expect(ring.find(`Bearer ${text}`, NOW)).toEqual(key);
    expect(ring.find(`bearer  ${text}`, NOW)).toEqual(key);
    const [, id = '', secret = ''] = text.split(/_(.{8})_/);
    const flipped = (at: number) => `${secret.slice(0, at)}${secret[at] === 'A' ? 'B' : 'A'}${secret.slice(at + 1)}`;
    const wrong = [
      undefined,
      '',
      text,
      `Basic ${text}`,
      `Bearer ${text}=`,
      `Bearer ${text}\n`,
      `Bearer ${text}, Bearer ${text}`,
      `Bearer vk_${id}_`,
      `Bearer vk_${id}_${secret.slice(1)}`,
      `Bearer vk_${id}_${secret.toUpperCase()}`,
      `Bearer vk_00000000_${secret}`,
      `Bearer vk___proto___${secret}`,
      ...[0, 1, 21, 41, 42].map((at) => `Bearer vk_${id}_${flipped(at)}`),
    ];
    expect(wrong.filter((header) => ring.find(header, NOW) !== undefined)).toEqual([]);
  });

  it('costs one comparison of hashes, whether its id is known, unknown or missing', async () => {
    const file = newFile();
    const { text } = await add(file);
    const { ring } = watched(file);
    const secret = 'A'.repeat(43);
    for (const header of [
      `Bearer ${text}`,
      `Bearer ${text.slice(0, 12)}${secret}`,
      `Bearer vk_00000000_${secret}`,
      '',
    ]) {
      vi.mocked(timingSafeEqual).mockClear();
      ring.find(header, NOW);
      const compared = vi.mocked(timingSafeEqual).mock.calls.map((pair) => pair.map(({ byteLength }) => byteLength));
      expect(compared).toEqual([[32, 32]]);
    }
  });

  it('that no file may have is not added', async () => {
    const file = newFile();
    await add(file);
    const names = ['', 'x'.repeat(65), 'w\u0000b', 'we\u200bb', 'web\n', 'two words', '.web', 'web-', 'caf\u00e9'];
    const wrong = [{ roles: [] }, { rate: Number.NaN }, { rate: 0 }, { expires: 'never' }];
    for (const fields of [...names.map((name) => ({ name })), ...wrong]) {
      await expect(add(file, fields)).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
    }
    expect(readKeys(file)).toHaveLength(1);
    await add(file, { name: 'x'.repeat(64) });
  });

  it('ends after its last day, UTC', async () => {
    const file = newFile();
    const { text } = await add(file, { expires: '2026-11-20' });
    const { ring } = watched(file);
    expect(nameOf(ring, text, Date.parse('2026-11-20T23:59:59.999Z'))).toBe('web');
    expect(nameOf(ring, text, Date.parse('2026-11-21T00:00:00.000Z'))).toBeUndefined();
  });

  it('shares its name with the key that replaces it, and both are valid meanwhile', async () => {
    const file = newFile();
    const old = await add(file);
    const { ring, events } = watched(file);
    const next = await add(file);
    await vi.waitFor(() => expect(events.at(-1)).toBe(2), patiently);
    expect([old, next].map(({ text }) => nameOf(ring, text))).toEqual(['web', 'web']);
    await removeKey(file, old.key.id);
    expect(readKeys(file)).toEqual([next.key]);
    await vi.waitFor(() => expect(events.at(-1)).toBe(1), patiently);
    expect([old, next].map(({ text }) => nameOf(ring, text))).toEqual([undefined, 'web']);
  });

  it('is shown by no value that the ring gives', async () => {
    const file = newFile();
    const { text } = await add(file);
    const { ring } = watched(file);
    const shown = inspect([ring, ring.find(`Bearer ${text}`, NOW)], { depth: Infinity, showHidden: true });
    const hash = JSON.parse(readFileSync(file, 'utf8')).keys[0].sha256;
    expect(shown).toContain('web');
    for (const secret of [text.slice(12, 20), hash.slice(0, 8), 'sha256', 'Uint8Array']) {
      expect(shown).not.toContain(secret);
    }
  });
});

describe('the file of keys', () => {
  it('is made for its owner alone, and stays so, in a folder for its owner alone', async () => {
    const file = join(temporaryFolder({}), 'state', 'keys.json');
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    await add(file);
    expect([modeOf(file), modeOf(join(file, '..'))]).toEqual(['600', '700']);
    chmodSync(file, 0o644);
    await addKey(file, { name: 'app', roles: ['read'] });
    expect(modeOf(file)).toBe('600');
    expect(readdirSync(join(file, '..'))).toEqual(['keys.json']);
  });

  it('is not changed by an edit of a broken one, and is free for the next', async () => {
    const file = newFile();
    writeFileSync(file, '{');
    await expect(add(file)).rejects.toThrow('the file of keys is not JSON');
    expect(readFileSync(file, 'utf8')).toBe('{');
    rmSync(file);
    await add(file);
    expect(readdirSync(join(file, '..'))).toEqual(['keys.json']);
  });

  it('is needed at start', () => {
    const start = () => watched(newFile());
    const message = 'the file of keys does not exist: `verdict key add NAME --role decide` makes it';
    expect(start).toThrow(expect.objectContaining({ code: 'CONFIGURATION_INVALID', message }));
  });

  it('may have no key: then it is nobody whose request is served', async () => {
    const file = newFile();
    const { key, text } = await add(file);
    await removeKey(file, key.id);
    expect(nameOf(watched(file).ring, text)).toBeUndefined();
  });

  const CANARY = 'c0ffee00'.repeat(8);
  it.each([
    ['an empty file', () => '', 'the file of keys is empty; JSON was expected'],
    [
      'another format',
      (data: object) => ({ ...data, format: 2 }),
      'the file of keys cannot be used: format has to be 1',
    ],
    ['an unknown field', (data: object) => ({ ...data, key: [] }), 'unknown key "key" (did you mean "keys"?)'],
    [
      'a misspelled field',
      keyWith({ expire: '2026-11-20' }),
      '/keys/0 of the file of keys cannot be used: unknown key "expire" (did you mean "expires"?)',
    ],
    ['a misplaced hash', keyWith({ [CANARY]: 1 }), 'there is an unknown key'],
    [
      'a prototype',
      (data: object) => JSON.stringify(data).replace('"id"', '"__proto__":{},"id"'),
      'there is an unknown key',
    ],
    ['an id of other digits', keyWith({ id: 'C0FFEE00' }), 'id has to be 8 hexadecimal digits'],
    [
      'an unknown role',
      keyWith({ roles: ['decide', 'admin'] }),
      'roles has to be a list of decide, read, review, edit, approve, tighten, audit',
    ],
    ['no role', keyWith({ roles: [] }), 'the file of keys has no role at /keys/0/roles, expected one at least'],
    ['a rate of 0', keyWith({ rate: 0 }), 'rate has to be a number above 0'],
    ['a day that does not exist', keyWith({ expires: '2026-02-30' }), 'expires has to be a calendar day that exists'],
    [
      'an id twice',
      (data: { keys: object[] }) => ({ ...data, keys: [...data.keys, ...data.keys] }),
      'the file of keys has one id twice, at /keys/1/id and before',
    ],
    [
      'a name twice',
      (data: object) => JSON.stringify(data).replace('"id"', '"id":"00000000","id"'),
      'the file of keys has a duplicate name in an object, in line 1',
    ],
  ] as const)('that has %s is refused, and the keys before stay in force', async (_, change, problem) => {
    const file = newFile();
    const { text } = await add(file);
    const good = readFileSync(file, 'utf8');
    const { ring, events } = watched(file);
    const changed = (change as (data: unknown) => unknown)(JSON.parse(good));
    writeFileSync(file, typeof changed === 'string' ? changed : JSON.stringify(changed));
    const before = new Date().toISOString();
    await vi.waitFor(() => expect(events).toHaveLength(1), patiently);
    expect(events[0]).toContain(problem);
    expect(events[0]).not.toContain('c0ffee');
    expect(() => readKeys(file)).toThrow(problem);
    expect(() => watched(file)).toThrow(expect.objectContaining({ code: 'CONFIGURATION_INVALID' }));
    expect(nameOf(ring, text)).toBe('web');
    expect(ring.brokenSince).toMatch(/^\d{4}-.*Z$/);
    expect(String(ring.brokenSince) >= before.slice(0, 19)).toBe(true);
  });

  it('that is gone keeps its keys in force until it is back', async () => {
    const file = newFile();
    const { key, text } = await add(file);
    const good = readFileSync(file, 'utf8');
    const { ring, events } = watched(file);
    rmSync(file);
    await vi.waitFor(() => expect(events).toHaveLength(1), patiently);
    const since = ring.brokenSince;
    expect([nameOf(ring, text), since]).toEqual(['web', expect.any(String)]);
    writeFileSync(file, '');
    await vi.waitFor(() => expect(events.at(-1)).toContain('is empty'), patiently);
    expect(ring.brokenSince).toBe(since);
    writeFileSync(file, good);
    await vi.waitFor(() => expect(events.at(-1)).toBe(1), patiently);
    expect([nameOf(ring, text), ring.brokenSince]).toEqual(['web', undefined]);
    await removeKey(file, key.id);
    await vi.waitFor(() => expect(events.at(-1)).toBe(0), patiently);
    expect(nameOf(ring, text)).toBeUndefined();
  });

  it('loses no edit of several processes at once, under any name of the file', async () => {
    const file = newFile();
    const { key } = await add(file, { name: 'first' });
    const link = newFile();
    symlinkSync(file, link);
    const source = pathToFileURL(join(import.meta.dirname, '../../../src/service/auth/keys.ts'));
    const script = `
      const { addKey, removeKey } = await import('${source}');
      const [, file, caller, id] = process.argv;
      for (let i = 0; i < 10; i++) await addKey(file, { name: caller + i, roles: ['decide'] });
      await removeKey(file, id);`;
    const edits = ['a', 'b', 'c', 'd'].map((caller, i) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, i % 2 ? link : file, caller, key.id]),
    );
    await Promise.all(edits);
    const expected = ['a', 'b', 'c', 'd'].flatMap((caller) => Array.from({ length: 10 }, (_, i) => caller + i));
    expect(
      readKeys(file)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(expected);
    expect(readdirSync(join(file, '..'))).toEqual(['keys.json']);
  });

  it('that cannot be written says so, without its path', async () => {
    const folder = temporaryFolder({ file: '' });
    const added = addKey(join(folder, 'file', 'keys.json'), { name: 'web', roles: ['decide'] });
    await expect(added).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: 'the file of keys cannot be written (ENOTDIR)',
    });
  });
});

/** A change of the first key. */
function keyWith(fields: object): (data: { keys: object[] }) => unknown {
  return (data) => ({ ...data, keys: data.keys.map((key) => ({ ...key, ...fields })) });
}
