/** Without the optional package openid-client nobody signs in, and the message says how to install it. */

import { expect, it, vi } from 'vitest';
import { createSignIn, loadOpenIdClient } from '../../../src/service/auth/sign-in.ts';

vi.mock('openid-client', () => {
  throw new Error('not installed');
});

it('people need openid-client, and the message says how to install it', async () => {
  const people = { origin: 'https://a.example', issuer: '', clientId: 'a', clientSecretVariable: 'A' };
  const signIn = createSignIn({
    people: { ...people, roles: { claim: 'groups', map: new Map() } },
    ...{ clientSecret: 'a', hash: () => '' },
  });
  for (const load of [loadOpenIdClient, () => signIn.begin('/')]) {
    await expect(load()).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message:
        'people need openid-client, which cannot be loaded; it is an optional package: npm install openid-client@6',
    });
  }
});
