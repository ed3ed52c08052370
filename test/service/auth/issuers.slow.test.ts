/** A sign-in over TLS of an authority of one's own, and at an issuer that hangs. */

import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { createSignIn } from '../../../src/service/auth/sign-in.ts';
import { Browser, CLIENT, type Issuer, startIssuer } from '../../support/service/issuer.ts';
import { certificates } from '../../support/signals/certificates.ts';

const ORIGIN = 'https://127.0.0.1:8443';
const REDIRECT_URI = `${ORIGIN}/sign-in/callback`;
const PEOPLE = [{ sub: 's-1', name: 'Rita Okoye', groups: 'risk-leads' }];

function signInAt({ url }: Issuer) {
  const people = { origin: ORIGIN, issuer: url, clientId: CLIENT.clientId, clientSecretVariable: 'A' };
  return createSignIn({
    people: { ...people, roles: { claim: 'groups', map: new Map([['risk-leads', ['approve' as const]]]) } },
    clientSecret: CLIENT.clientSecret,
    hash: () => Buffer.alloc(32).toString('base64'),
  });
}

test('an issuer with TLS is trusted if its authority is, and signs people in', async () => {
  const { ca, service } = await certificates();
  const issuer = await startIssuer({ people: PEOPLE, redirectUri: REDIRECT_URI, tls: service });
  const trusted = getCACertificates('default');
  try {
    const signIn = signInAt(issuer);
    await expect(signIn.begin('/')).rejects.toMatchObject({ problem: { code: 'ISSUER_UNAVAILABLE' } });
    setDefaultCACertificates([...trusted, ca]);
    const browser = new Browser();
    const { location, setCookie } = await signIn.begin('/cases');
    expect(setCookie).toMatch(/^__Host-verdict-sign-in=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/);
    browser.keep(setCookie);
    const { search } = await browser.signIn(location, 's-1', REDIRECT_URI);
    const { person, to } = await signIn.finish(search, browser.cookieHeader);
    expect([person.name, person.roles, to]).toEqual(['Rita Okoye <s-1>', ['approve'], '/cases']);
  } finally {
    setDefaultCACertificates(trusted);
    await issuer.close();
  }
});

test('an issuer that hangs is given up after 5 seconds', async () => {
  const { timeout } = AbortSignal;
  const timeouts = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, ms / 50));
  const issuer = await startIssuer({ people: PEOPLE, redirectUri: REDIRECT_URI });
  issuer.answer = () => 'hang';
  try {
    await expect(signInAt(issuer).begin('/')).rejects.toMatchObject({ problem: { code: 'ISSUER_UNAVAILABLE' } });
    expect(timeouts.mock.calls).toEqual([[5000]]);
  } finally {
    timeouts.mockRestore();
    await issuer.close();
  }
});
