/** The sandbox's sign-in: forms, refusals, and the life of tokens on an injected clock. */

import { expect, test } from 'vitest';
import { about, FIRST_USER, post, SECOND_USER, signIn, start, verify } from '../support/sandbox/ask.ts';

const HOUR = 3_600_000;
const REQUEST = about({ phoneNo: '12025550101' });

test('the sandbox form signs in, and the production form is refused with 400', async () => {
  const sandbox = await start();
  expect((await post(sandbox, 'auth/sign_in', FIRST_USER)).json['sessionToken']).toMatch(/^[\w-]{43}$/);
  const refused = await post(sandbox, 'auth/sign_in', { data: FIRST_USER });
  expect(refused.status).toBe(400);
  expect(refused.json['problems']).toMatchObject([{ field: 'data', found: 'an object' }]);
  expect(sandbox.counts).toEqual({ signIns: 1, verifies: 0, refused: 1 });
});

test('if production is simulated, its form signs in, and the sandbox form is refused with 400', async () => {
  const sandbox = await start({ environment: 'production' });
  expect((await post(sandbox, 'auth/sign_in', { data: FIRST_USER })).status).toBe(200);
  const refused = await post(sandbox, 'auth/sign_in', FIRST_USER);
  expect(refused.status).toBe(400);
  expect(refused.json['problems']).toMatchObject([{ field: 'data', found: 'nothing' }]);
});

test.each([
  ['a wrong password', { ...FIRST_USER, password: 'canary-7f3a' }],
  ['an unknown user', { ...FIRST_USER, username: 'canary-7f3a' }],
  ["another user's password", { username: FIRST_USER.username, password: SECOND_USER.password }],
  ['a name that every object has', { username: '__proto__', password: 'constructor' }],
])('%s is refused with 401', async (_, body) => {
  const { status, text } = await post(await start(), 'auth/sign_in', body);
  expect(status).toBe(401);
  expect(text).not.toContain('canary-7f3a');
});

test.each([
  ['no password', { username: 'canary-7f3a' }, ['password']],
  ['a number for a password', { username: 'canary-7f3a', password: 73_319 }, ['password']],
  ['neither', {}, ['username', 'password']],
  ['a list', ['canary-7f3a'], ['body']],
])('a sign-in with %s is refused with 400 and the name of the field', async (_, body, fields) => {
  const { status, text, json } = await post(await start(), 'auth/sign_in', body);
  expect(status).toBe(400);
  expect(Object.values(json['problems'] ?? {}).map((problem) => problem['field'])).toEqual(fields);
  expect(text).not.toMatch(/canary-7f3a|73319/);
});

test('several users hold several tokens each, and all of them work', async () => {
  const sandbox = await start();
  const tokens = [];
  for (const user of [FIRST_USER, FIRST_USER, SECOND_USER]) {
    tokens.push(String((await post(sandbox, 'auth/sign_in', user)).json['sessionToken']));
  }
  expect(new Set(tokens).size).toBe(3);
  for (const token of tokens) expect((await verify(sandbox, REQUEST, token)).status).toBe(200);
  expect(sandbox.counts).toEqual({ signIns: 3, verifies: 3, refused: 0 });
});

test("the caller's users replace the documented ones", async () => {
  const sandbox = await start({ users: [{ username: 'ours', password: 'secret' }] });
  expect((await post(sandbox, 'auth/sign_in', { username: 'ours', password: 'secret' })).status).toBe(200);
  expect((await post(sandbox, 'auth/sign_in', FIRST_USER)).status).toBe(401);
});

test('a token works for 8 hours by the clock, and not a millisecond longer', async () => {
  let now = Date.UTC(2026, 0, 5, 12);
  const sandbox = await start({ now: () => now });
  const token = await signIn(sandbox);
  now += 8 * HOUR - 1;
  expect((await verify(sandbox, REQUEST, token)).status).toBe(200);
  now += 1;
  expect((await verify(sandbox, REQUEST, token)).status).toBe(401);
});

test('a later sign-in does not end an earlier token', async () => {
  let now = 0;
  const sandbox = await start({ now: () => now, tokenLifeMs: 1000 });
  const early = await signIn(sandbox);
  now = 600;
  const late = await signIn(sandbox);
  expect((await verify(sandbox, REQUEST, early)).status).toBe(200);
  now = 1200;
  expect((await verify(sandbox, REQUEST, early)).status).toBe(401);
  expect((await verify(sandbox, REQUEST, late)).status).toBe(200);
});

test('revoked tokens are refused, and a new sign-in works', async () => {
  const sandbox = await start();
  const token = await signIn(sandbox);
  sandbox.revokeTokens();
  expect((await verify(sandbox, REQUEST, token)).status).toBe(401);
  expect((await verify(sandbox, REQUEST)).status).toBe(200);
});

test.each([
  ['none', undefined],
  ['another', 'Bearer canary-7f3a'],
  ['another scheme', 'Basic canary-7f3a'],
  ['a blank one', 'Bearer '],
])('verify with no good token (%s) is refused with 401 and JSON', async (_, authorization) => {
  const sandbox = await start();
  await signIn(sandbox);
  const { status, text, headers, json } = await post(
    sandbox,
    'verify',
    REQUEST,
    authorization === undefined ? {} : { Authorization: authorization },
  );
  expect(status).toBe(401);
  expect(headers.get('www-authenticate')).toBe('Bearer');
  expect(json['error']).toContain('token');
  expect(text).not.toContain('canary');
  expect(sandbox.counts).toEqual({ signIns: 1, verifies: 0, refused: 1 });
});
