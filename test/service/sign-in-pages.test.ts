/** People reach the pages through their issuer: what a browser is sent, and what happens while the issuer is down. */

import { expect, test } from 'vitest';
import { Browser, CLIENT, startIssuer } from '../support/service/issuer.ts';
import { startTestService, untilIndexed } from '../support/service/running.ts';

const ORIGIN = 'http://127.0.0.1:8080';
const REDIRECT_URI = `${ORIGIN}/sign-in/callback`;

async function startWithIssuer() {
  const rita = { sub: 's-1', name: 'Rita Okoye', groups: ['reviewers'] };
  const issuer = await startIssuer({ people: [rita], redirectUri: REDIRECT_URI });
  const people = `{ origin: "${ORIGIN}", issuer: "${issuer.url}", clientId: ${CLIENT.clientId},
    clientSecretVariable: OIDC_SECRET, roles: { claim: groups, map: { reviewers: [review] } } }`;
  const env = { OIDC_SECRET: CLIENT.clientSecret };
  const service = await startTestService({ audit: true, more: `people: ${people}`, env });
  await untilIndexed(service);
  const browser = new Browser();
  /** Follows no redirect: a browser at the real origin would. */
  const open = async (path: string, init: RequestInit = {}) => {
    const headers = { ...init.headers, cookie: browser.cookieHeader ?? '' };
    const answer = await fetch(service.url + path, { ...init, headers, redirect: 'manual' });
    for (const each of answer.headers.getSetCookie()) browser.keep(each);
    return { status: answer.status, to: answer.headers.get('location') ?? '', text: await answer.text() };
  };
  const enter = async (path: string) => {
    const { to } = await open(path);
    const { to: location } = await open(to);
    return (await browser.signIn(location, 's-1', REDIRECT_URI)).search;
  };
  return { ...service, issuer, open, enter };
}

test('a person signs in at the issuer, comes back to the page they asked for, and signs out', async () => {
  const { open, enter, issuer } = await startWithIssuer();
  expect((await open('/queue')).to).toBe('/sign-in?to=%2Fqueue');
  const query = await enter('/queue?after=x');
  const back = await open(`/sign-in/callback${query}`);
  expect([back.status, back.to]).toEqual([303, '/queue?after=x']);
  const home = await open('/');
  expect(home.text).toContain('Rita Okoye');
  expect(home.text).not.toContain('s-1');
  expect((await open('/policies')).status).toBe(403);

  // The code was used, and the cookie that bound it to this browser is gone.
  const again = await open(`/sign-in/callback${query}`);
  expect([again.status, again.text]).toEqual([400, expect.stringContaining('<h1>')]);

  await issuer.close();
  expect((await open('/queue')).status).toBe(200);
  const csrf = /name="csrf" value="([^"]+)"/.exec(home.text)?.[1] ?? '';
  const form = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' }, body: new URLSearchParams({ csrf }) };
  expect((await open('/sign-out', form)).text).toContain('You are signed out');
  expect((await open('/queue')).to).toBe('/sign-in?to=%2Fqueue');
  // New sign-ins are told that the issuer does not answer.
  const down = await open('/sign-in?to=%2Fqueue');
  expect([down.status, down.text]).toEqual([503, expect.stringContaining('issuer')]);
});
