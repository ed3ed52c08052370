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
  return { ...service, issuer, browser, open, enter };
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

test('a callback is limited like a beginning, whatever cookie comes with it', async () => {
  const { open, enter, url } = await startWithIssuer();
  const query = await enter('/queue');
  const guess = async () => (await fetch(`${url}/sign-in/callback?code=guess`)).status;
  const began = performance.now();
  const statuses = await Promise.all(Array.from({ length: 100 }, guess));
  const seconds = (performance.now() - began) / 1000;
  const admitted = statuses.filter((status) => status !== 429);
  expect(new Set(admitted)).toEqual(new Set([400]));
  // Those of one second at once, and as many in each further one.
  expect(admitted.length).toBeLessThanOrEqual(10 + 10 * seconds);
  const back = async () => (await open(`/sign-in/callback${query}`)).status;
  await expect.poll(back, { interval: 200 }).toBe(303);
});

test('who has signed out is asked for a password again, also if the browser leaves that out', async () => {
  const { open, enter, browser, issuer } = await startWithIssuer();
  // A minute ago, by a clock that is a minute behind.
  issuer.aheadMs = -60_000;
  expect((await open(`/sign-in/callback${await enter('/queue')}`)).status).toBe(303);
  const csrf = /name="csrf" value="([^"]+)"/.exec((await open('/')).text)?.[1] ?? '';
  const form = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' }, body: new URLSearchParams({ csrf }) };
  expect((await open('/sign-out', form)).status).toBe(200);
  issuer.aheadMs = 0;
  const { to } = await open('/sign-in');
  const location = new URL(to);
  expect([location.searchParams.get('prompt'), location.searchParams.get('max_age')]).toEqual(['login', '0']);
  location.searchParams.delete('prompt');
  location.searchParams.delete('max_age');
  const stale = await browser.signIn(location.href, 's-1', REDIRECT_URI);
  expect((await open(`/sign-in/callback${stale.search}`)).status).toBe(400);
});

test('a form comes from the origin of people, with its scheme, whatever host it is sent to', async () => {
  const { open, enter, url } = await startWithIssuer();
  await open(`/sign-in/callback${await enter('/queue')}`);
  const csrf = /name="csrf" value="([^"]+)"/.exec((await open('/')).text)?.[1] ?? '';
  const send = (headers: Record<string, string>) =>
    open('/decisions/find', { method: 'POST', headers, body: new URLSearchParams({ csrf, reference: 'A-1' }) });
  for (const origin of [url, 'https://127.0.0.1:8080', 'http://127.0.0.1', 'http://localhost:8080', 'null', 'x'])
    expect((await send({ origin })).status, origin).toBe(403);
  expect((await send({ origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' })).status).toBe(403);
  for (const site of ['cross-site', 'same-site', 'none'])
    expect((await send({ origin: ORIGIN, 'sec-fetch-site': site })).status, site).toBe(403);
  for (const own of [
    { origin: ORIGIN },
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'null', 'sec-fetch-site': 'same-origin' },
  ])
    expect((await send(own)).status).not.toBe(403);
});

test('the words of a form are shown again to whom a page of this service sent it, and to nobody else', async () => {
  const { open } = await startWithIssuer();
  const send = (headers: Record<string, string>) =>
    open('/queue/take', { method: 'POST', headers, body: new URLSearchParams({ why: 'canary words' }) });
  expect((await send({ 'sec-fetch-site': 'same-origin' })).text).toContain('canary words');
  const foreign: Record<string, string>[] = [{}, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }];
  for (const headers of [...foreign, { origin: 'https://evil.example' }]) {
    const { status, text } = await send(headers);
    expect([status, text.includes('canary words')]).toEqual([401, false]);
  }
});
