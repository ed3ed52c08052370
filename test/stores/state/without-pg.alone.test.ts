/** Without the optional package pg, state in PostgreSQL is refused with how to install it. */

import { expect, it, vi } from 'vitest';
import { openState } from '../../../src/stores/state/state.ts';

const KEY = 'ab'.repeat(32);

vi.mock('pg', () => {
  throw new Error('not installed');
});

it('state in PostgreSQL needs pg, and says how to install it', async () => {
  const opening = openState({ postgres: 'postgres://canary@127.0.0.1/none', key: KEY, rememberMs: 1 });
  await expect(opening).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    message: 'state in PostgreSQL needs pg, which cannot be loaded; it is an optional package: npm install pg@8',
  });
});
