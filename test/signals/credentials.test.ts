import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { ClientEvent } from '../../src/platform/events.ts';
import type { VerifyClientOptions } from '../../src/signals/options.ts';
import { CANARY, connect, failureOf, json, REQUEST, serve } from '../support/signals/scripted-service.ts';

/** A service that accepts one password, which can change, and then forgets its tokens. */
async function rotating() {
  let accepted = 'first-password';
  const service = await serve({
    signIn: (response, { body }) =>
      (JSON.parse(body).password === accepted ? json({ token: accepted }) : json({}, 401))(response, {} as never),
    verify: (response, { headers }) =>
      json({}, headers.authorization === `Bearer ${accepted}` ? 200 : 401)(response, {} as never),
  });
  return {
    service,
    rotate: (password: string) => {
      accepted = password;
    },
  };
}

test('credentials are asked for at each sign-in: a password changes while the client runs', async () => {
  const { service, rotate } = await rotating();
  let password = 'first-password';
  let asked = 0;
  const credentials = async () => {
    asked += 1;
    return { username: CANARY.username, password };
  };
  const client = connect(service.url, { credentials });
  await Promise.all([1, 2, 3].map(() => client.verify(REQUEST)));
  expect(asked).toBe(1);
  password = 'second-password';
  rotate(password);
  await Promise.all([1, 2, 3].map(() => client.verify(REQUEST)));
  expect([asked, service.signIns.length]).toEqual([2, 2]);
});

test('an id that repeats the latest credentials is not kept', async () => {
  const service = await serve({ verify: (response) => response.setHeader('x-request-id', CANARY.username).end('{}') });
  const { username, password } = CANARY;
  const client = connect(service.url, { credentials: () => ({ username, password }) });
  expect(await client.verify(REQUEST)).not.toHaveProperty('requestId');
});

const SECRET = 'canary-vault';
const NEVER = () => new Promise(() => {});
const UNUSABLE = '`credentials` has to return an object with the texts username and password';

test.each([
  [() => Promise.reject(new Error(SECRET)), 'the function `credentials` threw an error', 4],
  [
    () => {
      throw SECRET;
    },
    'the function `credentials` threw an error',
    4,
  ],
  [
    () => ({
      username: 'user',
      get password() {
        throw new Error(SECRET);
      },
    }),
    'the function `credentials` threw an error',
    4,
  ],
  [NEVER, 'the function `credentials` returned nothing in time', 1],
  [() => ({ username: SECRET, password: '' }), UNUSABLE, 1],
  [() => Object.create({ username: SECRET, password: SECRET }), UNUSABLE, 1],
  [() => undefined, UNUSABLE, 1],
])(
  'a function that fails is no fault of the service, and its secrets are not repeated (%#)',
  async (give, text, asks) => {
    const service = await serve();
    const events: ClientEvent[] = [];
    let asked = 0;
    let isGood = false;
    const credentials = (() => {
      asked += 1;
      return isGood ? { username: CANARY.username, password: CANARY.password } : give();
    }) as NonNullable<VerifyClientOptions['credentials']>;
    const onEvent = (event: ClientEvent) => void events.push(event);
    const timeoutMs = give === NEVER ? 500 : 10_000;
    const client = connect(service.url, { credentials, timeoutMs, backoffMs: 1, breakerFailures: 1, onEvent });
    const error = await failureOf(client.verify(REQUEST));
    expect(error).toMatchObject({ code: 'SIGN_IN_FAILED', carriedOut: 'no', attempts: 0 });
    expect(error.message).toBe(`sign-in: the verification service was not called: ${text}`);
    expect(inspect([error, events, client], { showHidden: false, depth: 20 })).not.toContain(SECRET);
    expect(inspect([error, client], { showHidden: true, depth: 20 })).not.toContain(SECRET);
    expect([asked, service.signIns.length]).toEqual([asks, 0]);
    // Neither the circuit breaker nor a pause keeps the next call from asking again.
    await failureOf(client.verify(REQUEST));
    isGood = true;
    await client.verify(REQUEST);
  },
);

test('what the function threw is for onEvent alone', async () => {
  const service = await serve();
  const thrown = new Error(SECRET);
  const told: unknown[] = [];
  const onEvent = (event: ClientEvent) => {
    if (event.type === 'signIn' || event.type === 'attempt') told.push(event.thrown);
  };
  const client = connect(service.url, { credentials: () => Promise.reject(thrown), maxAttempts: 1, onEvent });
  await failureOf(client.verify(REQUEST));
  expect(told).toEqual([thrown, thrown]);
});

test('a call that the caller ends while it waits for credentials ends at once', async () => {
  const service = await serve();
  const client = connect(service.url, { credentials: () => new Promise(() => {}) });
  const ending = new AbortController();
  const call = failureOf(client.verify(REQUEST, { signal: ending.signal }));
  setImmediate(() => ending.abort());
  expect(await call).toMatchObject({ code: 'ABORTED', carriedOut: 'no' });
  const other = failureOf(client.verify(REQUEST));
  await client.close();
  expect(await other).toMatchObject({ code: 'ABORTED', carriedOut: 'no' });
});
