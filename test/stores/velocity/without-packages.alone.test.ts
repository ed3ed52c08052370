/** Without its optional package, a store in a server is refused with how to install it. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createVelocityStore } from '../../../src/stores/velocity/velocity.ts';

vi.mock('pg', () => {
  throw new Error('not installed');
});
vi.mock('@redis/client', () => {
  throw new Error('not installed');
});

it.each([
  ['pg', { postgres: 'postgres://canary@127.0.0.1/none' }, 'PostgreSQL needs pg, .*: npm install pg@8'],
  [
    '@redis/client',
    { redis: 'redis://canary@127.0.0.1' },
    'Redis needs @redis/client, .*: npm install @redis/client@6',
  ],
])('a store that needs %s says how to install it', async (_, options, message) => {
  const keyFile = join(mkdtempSync(join(tmpdir(), 'velocity-')), 'key');
  writeFileSync(keyFile, Buffer.alloc(32));
  await expect(createVelocityStore({ ...options, keyFile })).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    message: expect.stringMatching(`^velocity store in ${message}$`),
  });
});
