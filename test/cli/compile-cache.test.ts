import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ownCacheFolder } from '../../src/cli/compile-cache.ts';
import { temporaryFolder } from '../support/policy/policy.ts';

it('is made for its user alone', () => {
  const root = temporaryFolder();
  const folder = join(root, 'cache', 'verdict');
  expect(ownCacheFolder({ XDG_CACHE_HOME: join(root, 'cache') })).toBe(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(ownCacheFolder({ XDG_CACHE_HOME: join(root, 'cache') })).toBe(folder);
});

it.skipIf(process.platform === 'win32')('is not used if others may write to it, or if it is not a folder', () => {
  for (const mode of [0o777, 0o770, 0o702, 0o1777]) {
    const root = temporaryFolder();
    mkdirSync(join(root, 'verdict'));
    chmodSync(join(root, 'verdict'), mode);
    expect(ownCacheFolder({ XDG_CACHE_HOME: root }), mode.toString(8)).toBeUndefined();
  }
  const linked = temporaryFolder();
  mkdirSync(join(linked, 'elsewhere'), { mode: 0o700 });
  symlinkSync(join(linked, 'elsewhere'), join(linked, 'verdict'));
  expect(ownCacheFolder({ XDG_CACHE_HOME: linked })).toBeUndefined();
  const file = temporaryFolder({ verdict: '' });
  expect(ownCacheFolder({ XDG_CACHE_HOME: file })).toBeUndefined();
});

it('is below the home folder if the environment names no absolute path', () => {
  const home = temporaryFolder();
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const named of [undefined, '', 'here']) {
    expect(ownCacheFolder({ XDG_CACHE_HOME: named })).toBe(join(home, '.cache', 'verdict'));
  }
});

it('is the only place for compiled code: nothing is read from the folder of temporary files', async () => {
  const [home, temporary] = [temporaryFolder(), temporaryFolder()];
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const more = { HOME: home, TMPDIR: temporary, XDG_CACHE_HOME: '' };
  await promisify(execFile)(process.execPath, ['src/cli/main.ts', '--version'], { env: { ...env, ...more } });
  expect(readdirSync(temporary)).toEqual([]);
  expect(readdirSync(join(home, '.cache', 'verdict'))).not.toEqual([]);
});
