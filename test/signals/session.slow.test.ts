import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SANDBOX_USERS, startSandbox } from '../../src/sandbox/index.ts';
import { sampled } from '../support/sampled.ts';
import {
  CANARY,
  connect,
  failureOf,
  type Handler,
  json,
  REQUEST,
  type Service,
  serve,
  signal,
} from '../support/signals/scripted-service.ts';

const HOUR_MS = 60 * 60 * 1000;

/** A sign-in that returns `token-1`, `token-2`, … */
function numberedTokens(): Handler {
  let issued = 0;
  return (response, received) => {
    issued++;
    json({ sessionToken: `token-${issued}` })(response, received);
  };
}

function tokensSent({ verifies }: Service): (string | undefined)[] {
  return verifies.map(({ headers }) => headers.authorization);
}

describe('signing in', () => {
  test.each([
    ['sandbox', { username: CANARY.username, password: CANARY.password }],
    ['production', { data: { username: CANARY.username, password: CANARY.password } }],
  ] as const)('sends the %s form, and no other headers than documented', async (environment, body) => {
    const service = await serve();
    await connect(service.url, { environment }).verify(REQUEST);
    expect(service.signIns).toHaveLength(1);
    const [signIn] = service.signIns;
    expect(signIn).toMatchObject({ method: 'POST', path: '/api/v2/auth/sign_in' });
    expect(JSON.parse(signIn?.body ?? '')).toEqual(body);
    expect(signIn?.headers).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': String(signIn?.body.length),
      'accept-encoding': 'gzip',
      'user-agent': 'verdict-engine',
      host: new URL(service.url).host,
      connection: 'keep-alive',
    });
  });

  test('waits for the first call', async () => {
    const service = await serve();
    const client = connect(service.url);
    expect(service.signIns).toHaveLength(0);
    await client.verify(REQUEST);
    await client.verify(REQUEST);
    expect(service.signIns).toHaveLength(1);
    expect(tokensSent(service)).toEqual([`Bearer ${CANARY.token}`, `Bearer ${CANARY.token}`]);
  });

  test.each([
    ['at the first of the documented paths', { token: 'b', sessionToken: 'a' }, undefined, 'a'],
    ['at the next path if that is empty', { sessionToken: '', token: 'b' }, undefined, 'b'],
    ['at access_token', { sessionToken: 7, access_token: 'c' }, undefined, 'c'],
    ['at data.token', { data: { token: 'd' } }, undefined, 'd'],
    ['at the path in the option', { token: 'b', auth: { jwt: 'e' } }, 'auth.jwt', 'e'],
    ['at the first path in the option with a text', { auth: { jwt: 'e' } }, ['x.y', 'auth.jwt', 'auth'], 'e'],
    ['with Bearer in front', { token: 'Bearer f' }, undefined, 'f'],
    ['with bearer in front and spaces around', { token: ' bearer  f ' }, undefined, 'f'],
  ])('finds the token %s', async (_, answer, tokenPath, token) => {
    const service = await serve({ signIn: json(answer) });
    await connect(service.url, tokenPath === undefined ? {} : { tokenPath }).verify(REQUEST);
    expect(tokensSent(service)).toEqual([`Bearer ${token}`]);
  });

  test.each([
    ['there is none', {}, undefined],
    ['it is a number', { token: 5 }, undefined],
    ['it is only Bearer', { token: 'Bearer ' }, undefined],
    ['the path is inherited', { token: 'b' }, 'constructor.name'],
    ['the answer is null', null, undefined],
    ['a header cannot carry it', { token: 'canary-token\r\nX-Evil: 1' }, undefined],
  ])('fails where %s', async (_, answer, tokenPath) => {
    const service = await serve({ signIn: json(answer) });
    const error = await failureOf(connect(service.url, tokenPath === undefined ? {} : { tokenPath }).verify(REQUEST));
    expect(error).toMatchObject({ code: 'SIGN_IN_FAILED', carriedOut: 'no' });
    expect(service.verifies).toHaveLength(0);
  });

  test.each([401, 403])('that is refused with %i is not tried again within the call', async (status) => {
    const service = await serve({ signIn: json({}, status) });
    const error = await failureOf(connect(service.url).verify(REQUEST));
    expect(error).toMatchObject({ code: 'SIGN_IN_REFUSED', carriedOut: 'no' });
    expect(service.signIns).toHaveLength(1);
    expect(service.verifies).toHaveLength(0);
  });

  test('that failed is tried again by the next call', async () => {
    let calls = 0;
    const service = await serve({
      signIn: (response, received) => json({ token: 'a' }, ++calls === 1 ? 500 : 200)(response, received),
    });
    const client = connect(service.url, { maxAttempts: 1 });
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'SERVICE_ERROR', carriedOut: 'no' });
    await client.verify(REQUEST);
  });
});

describe('a refused sign-in', () => {
  test.each([401, 403])('(%i) is not tried again by itself, and is remembered for 30 seconds', async (status) => {
    let clock = 1_000_000;
    const service = await serve({ signIn: json({}, status) });
    const client = connect(service.url, { now: () => clock });
    const codes = [];
    for (const passed of [0, 0, 29_999, 1, 0]) {
      clock += passed;
      codes.push((await failureOf(client.verify(REQUEST))).code, service.signIns.length);
    }
    const code = 'SIGN_IN_REFUSED';
    expect(codes).toEqual([code, 1, code, 1, code, 1, code, 2, code, 2]);
  });

  test('is forgotten once a sign-in succeeds', async () => {
    let clock = 0;
    let status = 401;
    const service = await serve({
      signIn: (response, received) => json({ token: 'a' }, status)(response, received),
    });
    const client = connect(service.url, { now: () => clock, signInPauseMs: 1_000 });
    await failureOf(client.verify(REQUEST));
    status = 200;
    clock = 999;
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'SIGN_IN_REFUSED' });
    clock = 1_000;
    await client.verify(REQUEST);
    // Back within the pause of the refused sign-in: the token is dropped, and the next call signs in.
    clock = 999;
    await client.verify(REQUEST);
    expect(service.signIns).toHaveLength(3);
  });

  test('is not trusted after the clock is set back', async () => {
    let clock = 10_000;
    const service = await serve({ signIn: json({}, 401) });
    const client = connect(service.url, { now: () => clock });
    await failureOf(client.verify(REQUEST));
    clock = 0;
    await failureOf(client.verify(REQUEST));
    expect(service.signIns).toHaveLength(2);
  });
});

describe('at most two sign-ins are made by 30 calls in a row', () => {
  const retryLater: Handler = (response) => response.writeHead(429, { 'retry-after': '60' }).end();
  const soon: Handler = (response) => response.writeHead(429, { 'retry-after': '0' }).end();

  test.each<[string, { signIn?: Handler; verify?: Handler }, number, string]>([
    ['each sign-in is answered 429', { signIn: json({}, 429) }, 2, 'RATE_LIMITED'],
    ['each sign-in is answered 429 with a time', { signIn: retryLater }, 1, 'RATE_LIMITED'],
    ['each sign-in is answered 429 with no time to wait', { signIn: soon }, 2, 'RATE_LIMITED'],
    ['no answer to a sign-in has a token', { signIn: json({ jwt: 'a' }) }, 2, 'SIGN_IN_FAILED'],
    ['each sign-in is answered by a page', { signIn: (response) => response.end('<html>') }, 2, 'ANSWER_UNREADABLE'],
    ['each token is refused at once', { signIn: numberedTokens(), verify: json({}, 401) }, 2, 'TOKEN_REFUSED'],
    ['each call is answered 429 with a time', { verify: retryLater }, 1, 'RATE_LIMITED'],
  ])('if %s', async (_, handlers, signIns, code) => {
    const service = await serve(handlers);
    const client = connect(service.url, { backoffMs: 1, timeoutMs: 25_000 });
    const codes = new Set<string>();
    for (let call = 0; call < 30; call++) codes.add((await failureOf(client.verify(REQUEST))).code);
    expect(service.signIns).toHaveLength(signIns);
    expect(service.verifies.length).toBeLessThanOrEqual(2);
    // A service that lets nobody in opens the circuit; one that asks for a pause works.
    expect([...codes]).toEqual(handlers.verify === retryLater ? [code] : [code, 'CIRCUIT_OPEN']);
  });

  test('and one more after the pause, until a token is accepted', async () => {
    let clock = 0;
    let isRepaired = false;
    const service = await serve({
      signIn: (response, received) => json(isRepaired ? { token: 'a' } : {})(response, received),
    });
    const client = connect(service.url, { now: () => clock, breakerFailures: 1_000 });
    const signIns: number[] = [];
    for (clock of [0, 1, 2, 30_000, 30_001, 30_002]) {
      await failureOf(client.verify(REQUEST));
      signIns.push(service.signIns.length);
    }
    expect(signIns).toEqual([1, 2, 2, 2, 3, 3]);
    isRepaired = true;
    clock = 60_001;
    await client.verify(REQUEST);
    await client.verify(REQUEST);
    expect(service.signIns).toHaveLength(4);
  });

  test('but a token that worked and is revoked counts for nothing', async () => {
    let verifies = 0;
    const service = await serve({
      signIn: numberedTokens(),
      verify: (response, received) => json({}, verifies++ % 2 === 0 ? 200 : 401)(response, received),
    });
    const client = connect(service.url);
    for (let call = 0; call < 6; call++) await client.verify(REQUEST);
    expect(service.signIns).toHaveLength(6);
  });
});

describe('one sign-in serves', () => {
  // More than the 256 that are in flight at once, so that some are sent after the revocation.
  const callers = sampled(300, 1000);

  test(`${callers} concurrent callers of a new client, and one more serves them after a revocation`, async () => {
    const sandbox = await startSandbox();
    try {
      const client = connect(sandbox.url, { ...SANDBOX_USERS[0], timeoutMs: 25_000 });
      const call = (_: unknown, i: number) => client.verify({ ...REQUEST, clientReference: `r-${i}` });
      const calls = (n: number) => Array.from({ length: n }, call);
      await Promise.all(calls(callers));
      expect(sandbox.counts).toEqual({ signIns: 1, verifies: callers, refused: 0 });

      const inFlight = calls(callers);
      // The first answer shows that the others are in flight.
      await Promise.race(inFlight);
      sandbox.revokeTokens();
      await Promise.all(inFlight);
      expect(sandbox.counts).toMatchObject({ signIns: 2, verifies: 2 * callers });
      expect(sandbox.counts.refused).toBeGreaterThan(0);
    } finally {
      await sandbox.close();
    }
  });

  test('callers whose tokens are refused one after the other, without dropping a newer token', async () => {
    const bothThere = signal();
    const secondMayEnd = signal();
    let old = 0;
    const service = await serve({
      signIn: numberedTokens(),
      verify: async (response, received) => {
        if (received.headers.authorization !== 'Bearer token-1') return json({})(response, received);
        const place = ++old;
        if (place === 2) bothThere.give();
        await bothThere.promise;
        if (place === 2) await secondMayEnd.promise;
        json({}, 401)(response, received);
      },
    });
    const client = connect(service.url);
    const first = client.verify(REQUEST);
    const second = client.verify(REQUEST);
    await Promise.race([first, second]);
    secondMayEnd.give();
    await Promise.all([first, second]);
    expect(service.signIns).toHaveLength(2);
    expect(tokensSent(service).filter((token) => token === 'Bearer token-2')).toHaveLength(2);
  });

  test('other callers even if the caller who started it aborts', async () => {
    const asked = signal();
    const mayAnswer = signal();
    const service = await serve({
      signIn: async (response, received) => {
        asked.give();
        await mayAnswer.promise;
        json({ token: 'a' })(response, received);
      },
    });
    const client = connect(service.url);
    const impatient = new AbortController();
    const first = failureOf(client.verify(REQUEST, { signal: impatient.signal }));
    const second = client.verify(REQUEST);
    await asked.promise;
    impatient.abort();
    expect(await first).toMatchObject({ code: 'ABORTED', carriedOut: 'no' });
    mayAnswer.give();
    await second;
    expect(service.signIns).toHaveLength(1);
    expect(service.verifies).toHaveLength(1);
  });
});

describe('a token', () => {
  test('that is refused is replaced once, and the request sent once more', async () => {
    let refused = false;
    const service = await serve({
      signIn: numberedTokens(),
      verify: (response, received) => {
        const status = refused ? 200 : 401;
        refused = true;
        json({}, status)(response, received);
      },
    });
    await connect(service.url).verify(REQUEST);
    expect(tokensSent(service)).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(service.verifies[0]?.body).toBe(service.verifies[1]?.body);
  });

  test('that is refused twice fails the call', async () => {
    const service = await serve({ signIn: numberedTokens(), verify: json({}, 401) });
    const error = await failureOf(connect(service.url).verify(REQUEST));
    expect(error).toMatchObject({ code: 'TOKEN_REFUSED', carriedOut: 'no' });
    expect(service.signIns).toHaveLength(2);
    expect(service.verifies).toHaveLength(2);
  });

  test('is replaced before its 8 hours end, and not long before', async () => {
    let clock = 1_000_000_000_000;
    const service = await serve({ signIn: numberedTokens() });
    const client = connect(service.url, { now: () => clock });
    for (const passed of [0, 7 * HOUR_MS, HOUR_MS - 120_000, 60_000, 59_999]) {
      clock += passed;
      await client.verify(REQUEST);
    }
    const expected = ['token-1', 'token-1', 'token-1', 'token-2', 'token-2'];
    expect(tokensSent(service)).toEqual(expected.map((token) => `Bearer ${token}`));
  });

  test('is renewed before it expires, while calls still use it', async () => {
    let clock = 0;
    const renewed = signal();
    const service = await serve({
      signIn: numberedTokens(),
      verify: (response, received) => {
        if (service.signIns.length > 1) renewed.give();
        json({})(response, received);
      },
    });
    const client = connect(service.url, { now: () => clock });
    await client.verify(REQUEST);
    // Between once and twice 20 minutes before the last minute of its life.
    clock = 8 * HOUR_MS - 60_000 - 2 * 1_200_000 - 1;
    await client.verify(REQUEST);
    expect(service.signIns).toHaveLength(1);
    clock = 8 * HOUR_MS - 60_000 - 1_200_000;
    while (service.signIns.length < 2) await client.verify(REQUEST);
    await renewed.promise;
    expect(new Set(tokensSent(service).slice(0, 3))).toEqual(new Set(['Bearer token-1']));
    while (tokensSent(service).at(-1) !== 'Bearer token-2') await client.verify(REQUEST);
    expect(service.signIns).toHaveLength(2);
  });

  test('that cannot be renewed is used until it expires, and not every call tries to renew it', async () => {
    let clock = 0;
    let signIns = 0;
    const service = await serve({
      signIn: (response, received) => json({ token: 'a' }, ++signIns === 1 ? 200 : 500)(response, received),
    });
    const client = connect(service.url, { now: () => clock, maxAttempts: 1 });
    await client.verify(REQUEST);
    clock = 8 * HOUR_MS - 60_000 - 1_200_000;
    while (service.signIns.length < 2) await client.verify(REQUEST);
    for (let call = 0; call < 20; call++) await client.verify(REQUEST);
    expect(service.signIns).toHaveLength(2);
    clock += 30_000;
    while (service.signIns.length < 3) await client.verify(REQUEST);
    clock = 8 * HOUR_MS - 60_000;
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'SERVICE_ERROR', carriedOut: 'no' });
  });

  test('is renewed in time after an earlier sign-in failed', async () => {
    let clock = 0;
    const service = await serve({
      signIn: (response, received) => {
        if (service.signIns.length === 1) json({}, 500)(response, received);
        else json({ token: `token-${service.signIns.length}` })(response, received);
      },
    });
    const client = connect(service.url, { now: () => clock, maxAttempts: 1, signInPauseMs: 24 * HOUR_MS });
    await failureOf(client.verify(REQUEST));
    await client.verify(REQUEST);
    clock = 8 * HOUR_MS - 60_000 - 1;
    for (let call = 0; call < 20 && service.signIns.length < 3; call++) await client.verify(REQUEST);
    expect(service.signIns).toHaveLength(3);
  });

  test('is renewed on a connection of its own: a call does not wait for the renewal', async () => {
    let clock = 0;
    const isVerified = signal();
    const service = await serve({
      signIn: async (response, received) => {
        if (service.signIns.length === 2) await isVerified.promise;
        json({ token: 'a' })(response, received);
      },
      verify: (response, received) => {
        if (service.verifies.length === 2) isVerified.give();
        json({})(response, received);
      },
    });
    const client = connect(service.url, { now: () => clock, maxConcurrent: 1, timeoutMs: 4_000 });
    await client.verify(REQUEST);
    clock = 8 * HOUR_MS - 60_000 - 1;
    await client.verify(REQUEST);
    expect(service.signIns).toHaveLength(2);
  });

  test('with a short life is used for most of it', async () => {
    let clock = 0;
    const service = await serve({ signIn: numberedTokens() });
    const client = connect(service.url, { now: () => clock, tokenLifeMs: 1000, refreshAheadMs: 0 });
    for (clock of [0, 899, 900]) await client.verify(REQUEST);
    expect(tokensSent(service)).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });

  test('is not used after the clock is set back, even if it looks young', async () => {
    let clock = 0;
    const service = await serve({ signIn: numberedTokens() });
    const client = connect(service.url, { now: () => clock });
    for (clock of [0, 7 * HOUR_MS, HOUR_MS]) await client.verify(REQUEST);
    expect(tokensSent(service)).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });

  test('is not used after its life by the monotonic clock, wherever the other clock is', async () => {
    const service = await serve({ signIn: numberedTokens() });
    const client = connect(service.url, { now: () => 0 });
    await client.verify(REQUEST);
    const monotonic = performance.now.bind(performance);
    const spy = vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + 8 * HOUR_MS);
    onTestFinished(() => spy.mockRestore());
    await client.verify(REQUEST);
    expect(tokensSent(service)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('is not used after the clock is set back before the sign-in', async () => {
    let clock = 10 * HOUR_MS;
    const service = await serve({ signIn: numberedTokens() });
    const client = connect(service.url, { now: () => clock });
    await client.verify(REQUEST);
    clock -= 1;
    await client.verify(REQUEST);
    expect(tokensSent(service)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('counts its life from when the sign-in was sent', async () => {
    let clock = 0;
    const service = await serve({
      signIn: (response, received) => {
        clock = 500;
        numberedTokens()(response, received);
      },
    });
    const client = connect(service.url, { now: () => clock, tokenLifeMs: 1000, refreshAheadMs: 0 });
    await client.verify(REQUEST);
    clock = 950;
    await client.verify(REQUEST);
    expect(service.signIns).toHaveLength(2);
  });
});

test('the sign-in form of the wrong environment is refused', async () => {
  const sandbox = await startSandbox({ environment: 'production' });
  try {
    const error = await failureOf(connect(sandbox.url, { ...SANDBOX_USERS[0] }).verify(REQUEST));
    expect(error).toMatchObject({ code: 'SIGN_IN_FAILED', carriedOut: 'no' });
    await connect(sandbox.url, { ...SANDBOX_USERS[0], environment: 'production' }).verify(REQUEST);
  } finally {
    await sandbox.close();
  }
});
