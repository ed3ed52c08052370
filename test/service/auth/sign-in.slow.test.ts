/** People sign in at a real issuer, and nobody else does: each attack of OpenID Connect, and each outage. */

import { hash as digestOf, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCookie, createSessions } from '../../../src/service/auth/sessions.ts';
import { createSignIn, type SignIn, type SignInOptions } from '../../../src/service/auth/sign-in.ts';
import type { People } from '../../../src/service/config.ts';
import { openState } from '../../../src/stores/state/state.ts';
import { Browser, CLIENT, type Issuer, type IssuerPerson, startIssuer } from '../../support/service/issuer.ts';
import { newState } from '../../support/stores/state/processes.ts';

const ORIGIN = 'http://127.0.0.1:8080';
const REDIRECT_URI = `${ORIGIN}/sign-in/callback`;
const MINUTE_MS = 60_000;
const RITA: IssuerPerson = { sub: 's-1', name: 'Rita Okoye', groups: ['staff', 'risk-analysts'] };

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer({ people: [], redirectUri: REDIRECT_URI });
});
afterAll(() => issuer.close());
beforeEach(() => {
  issuer.people.clear();
  issuer.people.set(RITA.sub, RITA);
  issuer.answer = () => undefined;
  issuer.aheadMs = 0;
});

const hashOf = (secret: string) => (text: string) => digestOf('sha256', secret + text, 'base64');
const hash = hashOf('this service');

function signInAt(
  { url }: Pick<Issuer, 'url'>,
  { scopes, origin = ORIGIN, ...other }: Partial<SignInOptions & People> = {},
): SignIn {
  const map: People['roles']['map'] = new Map([
    ['risk-analysts', ['read', 'edit']],
    ['risk-leads', ['approve', 'read']],
  ]);
  const people: People = {
    origin,
    issuer: url,
    clientId: CLIENT.clientId,
    clientSecretVariable: 'OIDC_SECRET',
    roles: { claim: 'groups', map },
    ...(scopes ? { scopes } : {}),
  };
  return createSignIn({ people, clientSecret: CLIENT.clientSecret, hash, ...other });
}

/** A sign-in up to the redirect of the issuer to this service. */
async function comeBack(signIn: SignIn, { to = '/', sub = 's-1', browser = new Browser() } = {}) {
  const { location, setCookie } = await signIn.begin(to);
  browser.keep(setCookie);
  const url = await browser.signIn(location, sub, REDIRECT_URI);
  return { browser, url, finish: () => signIn.finish(url.search, browser.cookieHeader) };
}

const now = () => Math.floor(Date.now() / 1000);

/** Ends a sign-in at an issuer that answers with a token of these claims. */
async function finishWith(claims: object, isAfresh = false) {
  issuer.answer = () => undefined;
  const signIn = signInAt(issuer);
  const { location, setCookie } = await signIn.begin('/', isAfresh);
  const { state = '', nonce } = Object.fromEntries(new URL(location).searchParams);
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const own = { alg: 'RS256', kid: 'own' };
  const times = { iat: now(), exp: now() + 300 };
  const signed = [own, { iss: issuer.url, aud: CLIENT.clientId, ...times, nonce, ...claims }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const token = `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  const answers: Record<string, object> = {
    '/token': { access_token: 'a', token_type: 'Bearer', id_token: token },
    '/jwks': { keys: [{ ...publicKey.export({ format: 'jwk' }), ...own }] },
  };
  issuer.answer = (path) => ({ status: 200, body: JSON.stringify(answers[path] ?? {}) });
  const query = new URLSearchParams({ code: 'a', state, iss: issuer.url });
  return signIn.finish(`?${query}`, setCookie.split(';')[0]);
}

async function personOf(signIn = signInAt(issuer)) {
  return (await (await comeBack(signIn)).finish()).person;
}

function problem(code: string, detail?: string) {
  return expect.objectContaining({
    name: 'ProblemError',
    problem: expect.objectContaining({
      code,
      ...(detail === undefined ? {} : { detail: expect.stringMatching(detail) }),
    }),
  });
}

const INVALID = problem('SIGN_IN_INVALID');
const OTHER_BROWSER = problem('SIGN_IN_INVALID', 'another browser');
const DOWN = problem('ISSUER_UNAVAILABLE');

test('a person signs in, and goes on where they wanted to', async () => {
  const before = Date.now();
  const { browser, finish } = await comeBack(signInAt(issuer), { to: '/cases?queue=a%20b&x=1' });
  const { person, to, setCookie } = await finish();
  expect(person).toEqual({
    name: 'Rita Okoye <s-1>',
    display: 'Rita Okoye',
    subject: 's-1',
    roles: ['read', 'edit'],
    authenticatedAt: expect.any(Number),
  });
  expect(Math.abs((person.authenticatedAt ?? 0) - before)).toBeLessThan(MINUTE_MS);
  expect(to).toBe('/cases?queue=a%20b&x=1');
  browser.keep(setCookie);
  expect(browser.cookieHeader).not.toContain('verdict');
});

test('the issuer is asked for a code, with PKCE, and the cookie shows nothing of it', async () => {
  const { location, setCookie } = await signInAt(issuer).begin('/');
  const asked = Object.fromEntries(new URL(location).searchParams);
  expect(asked).toEqual({
    client_id: 'verdict',
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid profile',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
  });
  expect(setCookie).toMatch(/^verdict-sign-in=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
  const value = Buffer.from(/=([\w-]+)/.exec(setCookie)?.[1] ?? '', 'base64url').toString('latin1');
  for (const secret of [asked['state'], asked['nonce'], 'verifier']) expect(value).not.toContain(secret);
  const more = signInAt(issuer, { scopes: ['profile', 'groups'] });
  expect((await more.begin('/')).location).toContain('scope=openid+profile+groups');
});

test('after a sign-out the issuer is asked for a password, and a person who gives it signs in', async () => {
  const { location } = await signInAt(issuer).begin('/', true);
  expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({ prompt: 'login', max_age: '0' });
  const claims = { sub: 's-1', name: 'Rita Okoye', groups: ['risk-leads'], auth_time: now() };
  expect((await finishWith(claims, true)).person.subject).toBe('s-1');
});

test('the end of a sign-in goes by what the issuer said of itself at a beginning', async () => {
  const signIn = signInAt(issuer);
  const path = '/.well-known/openid-configuration';
  const { finish } = await comeBack(signIn);
  const asked = issuer.requests.get(path);
  await finish();
  expect(issuer.requests.get(path)).toBe(asked);
  // Another process of the service has not asked yet.
  const other = await comeBack(signIn);
  expect((await signInAt(issuer).finish(other.url.search, other.browser.cookieHeader)).person.subject).toBe('s-1');
  expect(issuer.requests.get(path)).toBe((asked ?? 0) + 2);
});

test('over https the cookie is for this host alone', async () => {
  const { setCookie } = await signInAt(issuer, { origin: 'https://a.example' }).begin('/');
  expect(setCookie).toMatch(/^__Host-verdict-sign-in=[\w-]+; Path=\/; .*; Secure/);
});

describe('a person', () => {
  test.each<[string, Partial<IssuerPerson>, string]>([
    ['a name', {}, 'Rita Okoye'],
    ['a user name', { name: undefined, preferred_username: 'rita' }, 'rita'],
    ['neither', { name: undefined }, 's-1'],
    ['names that are none', { name: 7, preferred_username: ' ' }, 's-1'],
    ['the name and subject of somebody else', { name: 'Ben Okafor <s-2>' }, 'Ben Okafor s-2'],
    ['a name that would turn a line around', { name: 'Rita\n\u202eOkoye\u0000' }, 'Rita Okoye'],
    ['a long name', { name: 'é'.repeat(101) }, 'é'.repeat(100)],
  ])('with %s is called by it', async (_what, other, display) => {
    issuer.people.set('s-1', { ...RITA, ...other });
    expect(await personOf()).toMatchObject({ display, name: `${display} <s-1>`, subject: 's-1' });
  });

  test.each<[string, unknown, readonly string[]]>([
    ['one group, as a text', 'risk-leads', ['read', 'approve']],
    ['several groups', ['risk-leads', 'x', 'risk-analysts', 'risk-leads'], ['read', 'edit', 'approve']],
    ['groups that are no texts', [7, null, { a: 1 }, 'risk-analysts'], ['read', 'edit']],
  ])('in %s has the roles of it', async (_what, groups, roles) => {
    issuer.people.set('s-1', { ...RITA, groups });
    expect((await personOf()).roles).toEqual(roles);
  });

  test.each<[string, unknown]>([
    ['no group that has one', ['staff', 'canary-group']],
    ['no groups', []],
    ['no claim', undefined],
    ['a group that contains the name of one', 'risk-leads,risk-analysts'],
    ['a group of every object', ['constructor', '__proto__']],
  ])('with %s has no role, and is told no group', async (_what, groups) => {
    issuer.people.set('s-1', { ...RITA, groups });
    const { finish } = await comeBack(signInAt(issuer));
    const error = await finish().catch((error: unknown) => error);
    expect(error).toEqual(problem('FORBIDDEN', '^this person has no role here: ask the people who give roles$'));
    expect(JSON.stringify(error)).not.toMatch(/risk|canary|Rita/);
  });

  test('whose groups are not in the token has those that the issuer tells', async () => {
    const other = await startIssuer({ people: [RITA], redirectUri: REDIRECT_URI, hasClaimsInToken: false });
    try {
      expect(await personOf(signInAt(other))).toMatchObject({ display: 'Rita Okoye', roles: ['read', 'edit'] });
    } finally {
      await other.close();
    }
  });
});

describe('a callback is refused', () => {
  test('in another browser, or in one that began nothing', async () => {
    const signIn = signInAt(issuer);
    const { url } = await comeBack(signIn);
    const other = await comeBack(signIn);
    await expect(signIn.finish(url.search, undefined)).rejects.toEqual(OTHER_BROWSER);
    // An attacker who sends a person a link to the attacker's callback does not sign the person in as the attacker.
    await expect(signIn.finish(url.search, other.browser.cookieHeader)).rejects.toEqual(INVALID);
    expect((await other.finish()).person.subject).toBe('s-1');
  });

  test('the second time', async () => {
    const { finish } = await comeBack(signInAt(issuer));
    await finish();
    await expect(finish()).rejects.toEqual(problem('SIGN_IN_INVALID', 'took it before'));
  });

  test.each<[string, (query: URLSearchParams) => void]>([
    ['without a state', (query) => query.delete('state')],
    ['with another state', (query) => query.set('state', 'a'.repeat(43))],
    ['with two states', (query) => query.append('state', 'a')],
    ['with two codes', (query) => query.append('code', 'a')],
    ['without a code', (query) => query.delete('code')],
    ['with an invented code', (query) => query.set('code', 'a'.repeat(43))],
    ['of another issuer', (query) => query.set('iss', 'https://login.evil.example')],
    ['without its issuer, which promised to name itself', (query) => query.delete('iss')],
    ['with a token in it', (query) => query.set('id_token', 'a.b.c')],
  ])('%s', async (_what, change) => {
    const signIn = signInAt(issuer);
    const { url, browser } = await comeBack(signIn);
    change(url.searchParams);
    await expect(signIn.finish(url.search, browser.cookieHeader)).rejects.toEqual(INVALID);
  });

  test('if the person refuses, with words that do not come from the query', async () => {
    const signIn = signInAt(issuer);
    const finish = async (error: string) => {
      const { url, browser } = await comeBack(signIn);
      const query = new URLSearchParams(url.search);
      query.delete('code');
      query.set('error', error);
      query.set('error_description', 'canary');
      return signIn.finish(`${query}`, browser.cookieHeader).catch((error: unknown) => error);
    };
    expect(await finish('access_denied')).toEqual(problem('SIGN_IN_INVALID', '^the issuer refused it$'));
    for (const invented of ['canary', '__proto__', 'toString']) {
      const error = await finish(invented);
      expect(error).toEqual(problem('SIGN_IN_INVALID', '^the issuer fails with OAUTH_AUTHORIZATION_RESPONSE_ERROR$'));
    }
  });

  test('with the code of another sign-in, which has another verifier and nonce', async () => {
    const signIn = signInAt(issuer);
    const [one, other] = [await comeBack(signIn), await comeBack(signIn)];
    one.url.searchParams.set('code', other.url.searchParams.get('code') ?? '');
    await expect(signIn.finish(one.url.search, one.browser.cookieHeader)).rejects.toEqual(INVALID);
  });

  test('with a cookie that is edited, of another service, or over 10 minutes old', async () => {
    const signIn = signInAt(issuer);
    const { url, browser } = await comeBack(signIn);
    const value = browser.cookies.get('verdict-sign-in') ?? '';
    const edited = `${value.slice(0, 40)}${value[40] === 'A' ? 'B' : 'A'}${value.slice(41)}`;
    for (const each of ['', 'x', value.slice(0, 20), value.slice(4), edited]) {
      await expect(signIn.finish(url.search, `verdict-sign-in=${each}`)).rejects.toEqual(OTHER_BROWSER);
    }
    const elsewhere = signInAt(issuer, { hash: hashOf('another service') });
    await expect(elsewhere.finish(url.search, browser.cookieHeader)).rejects.toEqual(OTHER_BROWSER);
    const { now } = Date;
    Date.now = () => now() + 10 * MINUTE_MS + 1;
    try {
      await expect(signIn.finish(url.search, browser.cookieHeader)).rejects.toEqual(OTHER_BROWSER);
    } finally {
      Date.now = now;
    }
    expect((await signIn.finish(url.search, browser.cookieHeader)).to).toBe('/');
  });

  test('the fourth time, whatever code it has, and the issuer is not asked again', async () => {
    const signIn = signInAt(issuer);
    const { url, browser, finish } = await comeBack(signIn);
    const asked = () => [...issuer.requests.values()].reduce((sum, each) => sum + each, 0);
    for (let i = 0; i < 3; i++) {
      url.searchParams.set('code', `guess-${i}`);
      await expect(finish()).rejects.toEqual(problem('SIGN_IN_INVALID', 'took it before'));
    }
    const before = asked();
    await expect(finish()).rejects.toEqual(problem('SIGN_IN_INVALID', 'tried too often'));
    await expect(signIn.finish(url.search, browser.cookieHeader)).rejects.toEqual(INVALID);
    expect(asked()).toBe(before);
    // Another one of the same browser is not held up.
    expect((await (await comeBack(signIn, { browser })).finish()).person.subject).toBe('s-1');
  });

  test.each(['', ' ', 's-1\u0000', 's\n1', '\u0085', 's'.repeat(256)])('for the subject %j', async (sub) => {
    const token = { sub, name: 'Rita Okoye', groups: ['risk-leads'] };
    const error = await finishWith(token).catch((error: unknown) => error);
    expect(error).toEqual(problem('SIGN_IN_INVALID', 'no usable subject'));
    expect(JSON.stringify(error)).not.toContain('Rita');
  });

  test.each<[string, object | undefined]>([
    ['two hours before it', { auth_time: now() - 7200 }],
    ['a minute before it', { auth_time: now() - 60 }],
    ['at a time that is none', { auth_time: String(now()) }],
    ['at no time', {}],
  ])('after a sign-out, if the issuer asked for a password %s', async (_what, more) => {
    const claims = { sub: 's-1', name: 'Rita Okoye', groups: ['risk-leads'], ...more };
    await expect(finishWith(claims, true)).rejects.toEqual(INVALID);
    // Without a sign-out before, nobody asks for it.
    if (!('auth_time' in claims) || typeof claims.auth_time === 'number')
      expect((await finishWith(claims)).person.subject).toBe('s-1');
  });

  test('with a token that the issuer did not sign', async () => {
    const published = await (await fetch(`${issuer.url}/jwks`)).text();
    issuer.rotateKeys();
    issuer.answer = (path) => (path === '/jwks' ? { status: 200, body: published } : undefined);
    await expect((await comeBack(signInAt(issuer))).finish()).rejects.toEqual(INVALID);
  });

  test('with another secret of the client', async () => {
    const { finish } = await comeBack(signInAt(issuer, { clientSecret: 'canary-wrong' }));
    const error = await finish().catch((error: unknown) => error);
    expect(error).toEqual(problem('SIGN_IN_INVALID', 'does not know the client, or its secret'));
    expect(JSON.stringify(error)).not.toContain('canary');
  });
});

test.each([
  ['https://evil.example/cases', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example', '/'],
  ['\\\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/..//evil.example', '/'],
  ['/.//evil.example', '/'],
  ['javascript:alert(1)', '/'],
  [`blob:${ORIGIN}/x`, '/'],
  ['http://127.0.0.1:8080@evil.example/', '/'],
  ['http://127.0.0.1:8081/', '/'],
  ['http://[', '/'],
  [`/${'a'.repeat(1000)}`, '/'],
  ['', '/'],
  ['cases', '/cases'],
  [`${ORIGIN}/cases`, '/cases'],
  ['/a\r\nset-cookie: b', '/aset-cookie:%20b'],
  ['/%2F/evil.example?to=//evil.example', '/%2F/evil.example?to=//evil.example'],
])('who wants to go to %j goes to %j', async (given, path) => {
  expect((await (await comeBack(signInAt(issuer), { to: given })).finish()).to).toBe(path);
});

describe('an issuer', () => {
  test.each<[string, Issuer['answer']]>([
    ['hangs up', () => 'hang up'],
    ['fails', () => ({ status: 503, body: '{"error":"temporarily_unavailable"}' })],
    ['is a page', () => ({ status: 200, body: '<html>' })],
  ])(
    'that %s lets nobody in, before or within a sign-in, and somebody as soon as it is back',
    async (_what, answer) => {
      const signIn = signInAt(issuer);
      issuer.answer = answer;
      await expect(signIn.begin('/')).rejects.toEqual(DOWN);
      issuer.answer = () => undefined;
      const { finish } = await comeBack(signIn);
      issuer.answer = (path) => (path === '/token' ? answer(path) : undefined);
      await expect(finish()).rejects.toEqual(DOWN);
      issuer.answer = () => undefined;
      expect((await finish()).person.subject).toBe('s-1');
    },
  );

  test('that was not there when the service started is found once it is', async () => {
    const gone = await startIssuer({ people: [], redirectUri: REDIRECT_URI });
    await gone.close();
    const error = await signInAt(gone)
      .begin('/')
      .catch((error: unknown) => error);
    expect(error).toEqual(problem('ISSUER_UNAVAILABLE', '^the issuer fails with ECONNREFUSED$'));
    expect(JSON.stringify(error)).not.toContain(gone.url);
  });

  test('that says it is another one is refused', async () => {
    const metadata = await (await fetch(`${issuer.url}/.well-known/openid-configuration`)).text();
    const body = metadata.replace(`"issuer":"${issuer.url}"`, '"issuer":"https://login.evil.example"');
    expect(body).not.toBe(metadata);
    issuer.answer = (path) => (path.startsWith('/.well-known') ? { status: 200, body } : undefined);
    await expect(signInAt(issuer).begin('/')).rejects.toEqual(problem('SIGN_IN_INVALID', 'names itself otherwise'));
  });

  test('may change its keys at any time', async () => {
    const signIn = signInAt(issuer);
    for (let i = 0; i < 3; i++) {
      const { finish } = await comeBack(signIn);
      issuer.rotateKeys();
      expect((await finish()).person.subject).toBe('s-1');
    }
  });

  test.each([90_000, -90_000, -6 * MINUTE_MS])('whose clock is %i ms ahead lets people in', async (aheadMs) => {
    issuer.aheadMs = aheadMs;
    expect((await personOf()).subject).toBe('s-1');
  });

  test.each([10, 3, -8, -10, -90])('whose clock is %i minutes ahead does not', async (minutes) => {
    issuer.aheadMs = minutes * MINUTE_MS;
    const { finish } = await comeBack(signInAt(issuer));
    await expect(finish()).rejects.toEqual(problem('SIGN_IN_INVALID', 'clocks'));
  });

  test('whose tokens end soon is waited for, by 2 minutes and no more', async () => {
    const other = await startIssuer({ people: [RITA], redirectUri: REDIRECT_URI, tokenSeconds: 60 });
    try {
      other.aheadMs = -2.5 * MINUTE_MS;
      expect((await personOf(signInAt(other))).subject).toBe('s-1');
      other.aheadMs = -4 * MINUTE_MS;
      await expect(personOf(signInAt(other))).rejects.toEqual(problem('SIGN_IN_INVALID', 'clocks'));
    } finally {
      await other.close();
    }
  });
});

describe('a session', () => {
  test('has a new cookie at each sign-in, whatever cookie the browser had', async () => {
    const state = await openState({ dir: newState(), rememberMs: MINUTE_MS });
    const sessions = createSessions(state);
    const cookie = createCookie('verdict', false);
    const browser = new Browser();
    browser.keep(cookie.write('A'.repeat(43)));
    const signIn = signInAt(issuer);
    const seen = new Set([cookie.read(browser.cookieHeader)]);
    for (let i = 0; i < 2; i++) {
      const { finish } = await comeBack(signIn, { browser });
      browser.keep(cookie.write(await sessions.begin((await finish()).person)));
      seen.add(cookie.read(browser.cookieHeader));
    }
    expect(seen.size).toBe(3);
    expect(await sessions.find('A'.repeat(43))).toBeUndefined();
    expect((await sessions.find(cookie.read(browser.cookieHeader)))?.person.name).toBe('Rita Okoye <s-1>');
    await state.close();
  });

  test('loses the roles that its person has lost, at their next sign-in anywhere', async () => {
    const state = await openState({ dir: newState(), rememberMs: MINUTE_MS });
    const sessions = createSessions(state);
    const first = await sessions.begin(await personOf());
    issuer.people.set('s-1', { ...RITA, groups: ['risk-leads'] });
    const second = await sessions.begin(await personOf());
    for (const each of [first, second]) {
      expect((await sessions.find(each))?.person.roles).toEqual(['read', 'approve']);
    }
    await state.close();
  });
});
