/** Which files and folders are open to others than their owner. */

import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findOpenToOthers } from '../../../src/audit/store/permissions.ts';
import { logFolder } from '../../support/audit/decisions.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

describe('a folder of a log', () => {
  it('is closed to others when it is created and written', async () => {
    const { dir, keys, open } = await logFolder();
    await (await open()).close();
    expect([await findOpenToOthers(dir), await findOpenToOthers(keys)]).toEqual([undefined, undefined]);
  });

  it.each<[string, number, string, object]>([
    ['may be listed by all', 0o755, '.', { count: 1, first: '.', mode: '0755' }],
    ['may be entered by its group', 0o710, '.', { count: 1, first: '.', mode: '0710' }],
    [
      'has a key that its group may read',
      0o640,
      'index-000001.key',
      { count: 1, first: 'index-000001.key', mode: '0640' },
    ],
    ['has a folder that all may write to', 0o702, 'data', { count: 1, first: 'data', mode: '0702' }],
  ])('is open if it %s', async (_, mode, name, open) => {
    const { keys } = await logFolder();
    chmodSync(join(keys, name), mode);
    expect(await findOpenToOthers(keys)).toEqual(open);
  });

  it('reports the first open file and the count, and follows no links', async () => {
    const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
    for (const path of [folder, join(folder, 'a'), elsewhere]) {
      mkdirSync(path, { recursive: true });
      chmodSync(path, 0o700);
    }
    for (const name of ['b', 'a/c', 'a/d']) {
      writeFileSync(join(folder, name), '');
      chmodSync(join(folder, name), name === 'a/c' ? 0o600 : 0o604);
    }
    writeFileSync(join(elsewhere, 'open'), '');
    chmodSync(join(elsewhere, 'open'), 0o666);
    symlinkSync(elsewhere, join(folder, 'link'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'broken'));
    expect(await findOpenToOthers(folder)).toEqual({ count: 2, first: 'a/d', mode: '0604' });
    // The folder itself may be a link.
    expect(await findOpenToOthers(join(folder, 'link'))).toEqual({ count: 1, first: 'open', mode: '0666' });
  });

  it('has no result if it is absent, or on a system without modes', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o777);
    expect(await findOpenToOthers(folder, 'win32')).toBeUndefined();
    rmSync(folder, { recursive: true });
    expect(await findOpenToOthers(folder)).toBeUndefined();
  });
});
