import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createGzip, gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { SANDBOX_USERS, startSandbox } from '../../src/sandbox/index.ts';
import type { VerifyClient } from '../../src/signals/client.ts';
import { CLOSED_PORT } from '../support/ports.ts';
import {
  CANARY,
  connect,
  failureOf,
  json,
  REQUEST,
  serve,
  serveTcp,
  signal,
} from '../support/signals/scripted-service.ts';

describe('a verify call', () => {
  test('sends the request with the token, and only the documented headers', async () => {
    const service = await serve({ verify: json({ risk: [1] }) });
    const answer = await connect(`${service.url}/prefix/`).verify(REQUEST);
    expect(answer).toEqual({ body: { risk: [1] }, requested: ['phoneNo', 'email', 'ip'], attempts: 1 });
    const [verify] = service.verifies;
    expect(verify).toMatchObject({ method: 'POST', path: '/prefix/api/v2/verify' });
    expect(JSON.parse(verify?.body ?? '')).toEqual({
      countryCode: 'Global',
      clientReference: 'reference-1',
      service: ['Core Intelligence Service'],
      identityVariables: { phoneNo: '447700900987', email: CANARY.email, ip: CANARY.ip },
    });
    expect(verify?.headers).toEqual({
      'content-type': 'application/json',
      authorization: `Bearer ${CANARY.token}`,
      'content-length': String(verify?.body.length),
      'accept-encoding': 'gzip',
      'user-agent': 'verdict-engine',
      host: new URL(service.url).host,
      connection: 'keep-alive',
    });
  });

  test('is answered by the sandbox', async () => {
    const sandbox = await startSandbox();
    try {
      const { body, requested } = await connect(sandbox.url, { ...SANDBOX_USERS[0] }).verify(REQUEST);
      expect(body).toBeTypeOf('object');
      expect(requested).toEqual(['phoneNo', 'email', 'ip']);
    } finally {
      await sandbox.close();
    }
  });

  test('with an invalid request does not sign in', async () => {
    const service = await serve();
    const error = await failureOf(connect(service.url).verify({ ...REQUEST, ip: '10.0.0.1' }));
    expect(error).toMatchObject({ code: 'REQUEST_INVALID', carriedOut: 'no' });
    expect(service.signIns).toHaveLength(0);
  });

  test('with a signal of another type is refused', async () => {
    const service = await serve();
    const options = { signal: 'soon' } as unknown as { signal: AbortSignal };
    expect(await failureOf(connect(service.url).verify(REQUEST, options))).toMatchObject({ code: 'REQUEST_INVALID' });
  });

  test('reuses a connection', async () => {
    const ports = new Set<number | undefined>();
    const service = await serve({
      verify: (response, received) => {
        ports.add(response.req.socket.remotePort);
        json({})(response, received);
      },
    });
    const client = connect(service.url);
    for (let i = 0; i < 3; i++) await client.verify(REQUEST);
    expect(ports.size).toBe(1);
  });

  test('reads a compressed answer, and one with a byte order mark', async () => {
    const compressed = await serve({
      verify: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a":"\u00e9"}')),
    });
    expect((await connect(compressed.url).verify(REQUEST)).body).toEqual({ a: '\u00e9' });
    const marked = await serve({ verify: (response) => response.end('\ufeff{"a":1}') });
    expect((await connect(marked.url).verify(REQUEST)).body).toEqual({ a: 1 });
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('of status %i is refused, and its target gets no byte', async (status) => {
    const elsewhere = await serveTcp(() => {});
    const location = `http://127.0.0.1:${elsewhere.port}/api/v2/verify`;
    const redirect = (response: ServerResponse) => response.writeHead(status, { location }).end();

    const service = await serve({ verify: redirect });
    expect(await failureOf(connect(service.url).verify(REQUEST))).toMatchObject({ code: 'REDIRECTED' });
    const signingIn = await serve({ signIn: redirect });
    const error = await failureOf(connect(signingIn.url).verify(REQUEST));
    expect(error).toMatchObject({ code: 'REDIRECTED', carriedOut: 'no' });
    expect(elsewhere.bytes()).toBe(0);
  });

  test('to the same host is refused as well', async () => {
    const service = await serve({
      verify: (response) => response.writeHead(307, { location: '/api/v2/verify' }).end(),
    });
    expect(await failureOf(connect(service.url).verify(REQUEST))).toMatchObject({
      code: 'REDIRECTED',
      carriedOut: 'unknown',
    });
    expect(service.verifies).toHaveLength(1);
  });
});

describe('the size of an answer', () => {
  test('may equal the limit, but not exceed it by a byte', async () => {
    const signIn = json({ token: 'a' });
    const limit = { maxBodyBytes: JSON.stringify({ token: 'a' }).length };
    const service = await serve({ signIn, verify: json('1'.repeat(limit.maxBodyBytes - 2)) });
    await connect(service.url, limit).verify(REQUEST);
    const larger = await serve({ signIn, verify: json('1'.repeat(limit.maxBodyBytes - 1)) });
    const error = await failureOf(connect(larger.url, limit).verify(REQUEST));
    expect(error).toMatchObject({ code: 'ANSWER_UNREADABLE', carriedOut: 'unknown' });
    expect(error.message).toContain('size limit');
  });

  test('is 1 MiB at most by default', async () => {
    const service = await serve({ verify: json('a'.repeat(1024 * 1024)) });
    expect((await failureOf(connect(service.url).verify(REQUEST))).message).toContain('size limit');
  });

  test('is counted during decompression: a small body that becomes large is refused early', async () => {
    const given = signal();
    let written = 0;
    const service = await serve({
      verify: (response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        const zip = createGzip();
        zip.pipe(response);
        const zeros = Buffer.alloc(1024 * 1024);
        // Endless: only the client stops it.
        const more = () => {
          written++;
          if (!response.destroyed) zip.write(zeros, more);
        };
        response.on('close', given.give);
        more();
      },
    });
    const error = await failureOf(connect(service.url, { timeoutMs: 25_000 }).verify(REQUEST));
    expect(error).toMatchObject({ code: 'ANSWER_UNREADABLE', carriedOut: 'unknown' });
    expect(error.message).toContain('size limit');
    await given.promise;
    expect(written).toBeLessThan(1000);
  });
});

describe('the deadline', () => {
  // Long enough for the sign-in on a busy machine; how soon after it a call ends is not measured here.
  const timeoutMs = 500;

  test('ends a call whose answer arrives slowly', async () => {
    const service = await serve({
      verify: (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(drip));
      },
    });
    const error = await failureOf(connect(service.url, { timeoutMs }).verify(REQUEST));
    expect(error).toMatchObject({ code: 'TIMED_OUT', carriedOut: 'unknown' });
  });

  test('ends a call that is not answered', async () => {
    const service = await serve({ verify: () => {} });
    const error = await failureOf(connect(service.url, { timeoutMs }).verify(REQUEST));
    expect(error).toMatchObject({ code: 'TIMED_OUT', carriedOut: 'unknown' });
  });

  test('that passes during the sign-in leaves verify unsent', async () => {
    const service = await serve({ signIn: () => {} });
    const error = await failureOf(connect(service.url, { timeoutMs: 100 }).verify(REQUEST));
    expect(error).toMatchObject({ code: 'TIMED_OUT', carriedOut: 'no' });
    expect(service.verifies).toHaveLength(0);
  });

  test('covers the whole call: the time for the sign-in is not available to verify', async () => {
    const mayAnswer = signal();
    const slowToSignIn = await serve({
      signIn: async (response, received) => {
        await mayAnswer.promise;
        json({ token: 'a' })(response, received);
      },
      verify: () => {},
    });
    // Its verify arrives while the other still signs in, so that a deadline of verify's own would end the other later.
    const later = await serve({ verify: mayAnswer.give });
    const ended: string[] = [];
    const first = failureOf(connect(slowToSignIn.url, { timeoutMs }).verify(REQUEST)).then(() => ended.push('first'));
    const second = failureOf(connect(later.url, { timeoutMs }).verify(REQUEST)).then(() => ended.push('second'));
    await Promise.all([first, second]);
    expect(ended).toEqual(['first', 'second']);
  });
});

describe('a caller who aborts', () => {
  test('before the call causes no request', async () => {
    const service = await serve();
    const error = await failureOf(connect(service.url).verify(REQUEST, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: 'ABORTED', carriedOut: 'no' });
    // A sign-in of the first client would have arrived before this one.
    await connect(service.url).verify(REQUEST);
    expect(service.signIns).toHaveLength(1);
  });

  test('after the request was sent gets carriedOut unknown', async () => {
    const asked = signal();
    const service = await serve({ verify: () => asked.give() });
    const giveUp = new AbortController();
    const failed = failureOf(connect(service.url).verify(REQUEST, { signal: giveUp.signal }));
    await asked.promise;
    giveUp.abort(new Error(CANARY.phoneNo));
    expect(await failed).toMatchObject({ code: 'ABORTED', carriedOut: 'unknown' });
  });

  test('has no listener left on their signal after a call', async () => {
    const service = await serve();
    const { signal: kept } = new AbortController();
    await connect(service.url).verify(REQUEST, { signal: kept });
    expect(getEventListeners(kept, 'abort')).toEqual([]);
  });

  test('by a time limit of their own gets ABORTED, not TIMED_OUT', async () => {
    const service = await serve({ verify: () => {} });
    const error = await failureOf(connect(service.url).verify(REQUEST, { signal: AbortSignal.timeout(300) }));
    expect(error.code).toBe('ABORTED');
  });
});

describe('closing a client', () => {
  test('ends its calls, drops its connections and refuses later calls', async () => {
    const asked = signal();
    const service = await serve({ verify: () => asked.give() });
    const client = connect(service.url);
    const failed = failureOf(client.verify(REQUEST));
    await asked.promise;
    const closed = client.close();
    expect(await failed).toMatchObject({ code: 'ABORTED', carriedOut: 'unknown' });
    await closed;
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'ABORTED', carriedOut: 'no' });
    expect(service.signIns).toHaveLength(1);
  });

  test('drops connections that are idle, without waiting for their end', async () => {
    const service = await serve();
    const client = connect(service.url);
    await client.verify(REQUEST);
    const closed = [...service.connections].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    expect(closed).toHaveLength(1);
    await client.close();
    await Promise.all(closed);
  });

  test('with a time to drain gives calls in flight their answer, and refuses further ones at once', async () => {
    const [asked, answered] = [signal(), signal()];
    const service = await serve({
      verify: async (response, received) => {
        asked.give();
        await answered.promise;
        json({})(response, received);
      },
    });
    const client = connect(service.url);
    const call = client.verify(REQUEST);
    await asked.promise;
    const closed = client.close({ drainMs: 60_000 });
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'ABORTED', carriedOut: 'no' });
    answered.give();
    expect(await call).toMatchObject({ body: {}, attempts: 1 });
    await closed;
    expect(service.verifies).toHaveLength(1);
  });

  test('ends the calls that are still in flight after the time to drain', async () => {
    const asked = signal();
    const service = await serve({ verify: () => asked.give() });
    const client = connect(service.url);
    const failed = failureOf(client.verify(REQUEST));
    await asked.promise;
    await client.close({ drainMs: 5 });
    expect(await failed).toMatchObject({ code: 'ABORTED', carriedOut: 'unknown' });
  });

  test('at once does not wait for an earlier close that drains', async () => {
    const asked = signal();
    const service = await serve({ verify: () => asked.give() });
    const client = connect(service.url);
    const failed = failureOf(client.verify(REQUEST));
    await asked.promise;
    const drained = client.close({ drainMs: 60_000 });
    await client.close();
    expect((await failed).code).toBe('ABORTED');
    await drained;
  });

  test.each([-1, 0.5, Number.NaN, '5', null])('with %j to drain is refused', async (drainMs) => {
    const client = connect('http://127.0.0.1:1');
    const refused = client.close({ drainMs } as { drainMs: number });
    await expect(refused).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });

  test('at the end of `await using` waits for its calls', async () => {
    const service = await serve();
    let call: Promise<unknown>;
    let client: VerifyClient;
    {
      await using opened = connect(service.url);
      client = opened;
      call = opened.verify(REQUEST);
    }
    expect(await call).toMatchObject({ attempts: 1 });
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'ABORTED' });
  });
});

test('a call to a server that does not exist was not carried out', async () => {
  const error = await failureOf(connect(`http://127.0.0.1:${CLOSED_PORT}`).verify(REQUEST));
  expect(error).toMatchObject({ code: 'UNREACHABLE', carriedOut: 'no' });
});

test('a proxy of the environment gets no byte', async () => {
  const proxy = await serveTcp((socket) => socket.destroy());
  const service = await serve();
  try {
    for (const name of ['http_proxy', 'HTTP_PROXY', 'all_proxy']) vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    for (const name of ['no_proxy', 'NO_PROXY']) vi.stubEnv(name, '');
    await connect(service.url).verify(REQUEST);
  } finally {
    vi.unstubAllEnvs();
  }
  expect(proxy.bytes()).toBe(0);
});

test('interceptors on the shared axios and a polluted Object.prototype change no byte that is sent', async () => {
  const { default: axios } = await import('axios');
  const plain = await serve();
  await connect(plain.url).verify(REQUEST);

  const service = await serve();
  const interceptor = axios.interceptors.request.use(() => Promise.reject(new Error('intercepted')));
  axios.defaults.headers.common['X-Evil'] = 'evil';
  const evil = { host: '127.0.0.1', port: 1 };
  const pollution: Record<string, unknown> = {
    ...{ auth: 'a:b', baseURL: 'http://127.0.0.1:1', headers: { 'X-Evil': 'evil' }, params: { a: 'b' }, data: 'evil' },
    ...{ url: 'http://127.0.0.1:1', socketPath: '/evil', proxy: evil, method: 'get', path: '/evil', agent: false },
    ...{ host: '127.0.0.1', hostname: 'evil.invalid', port: 1, family: 6, localAddress: '192.0.2.1', setHost: false },
    ...{ transformRequest: [() => 'evil'], transformResponse: [() => 'evil'], validateStatus: () => false },
    ...{ responseType: 'json', maxContentLength: 1, maxBodyLength: 1, decompress: false, adapter: 'fetch', env: {} },
    ...{ common: { 'X-Evil': 'evil' }, post: { 'X-Evil': 'evil' }, Authorization: 'evil', maxRedirects: 5 },
    ...{ httpVersion: 2, keepAlive: false, protocol: 'https:', defaultPort: 1, failure: 'lost', status: 401 },
    ...{
      email: 'evil@evil.example',
      ip: '8.8.8.8',
      countryCode: 'XX',
      services: ['evil'],
      variables: { evil: 'evil' },
    },
    ...{ tokenPath: 'evil', timeoutMs: 1, maxBodyBytes: 1, token: 'evil', sessionToken: 'evil', riskLevel: 'low' },
  };
  const request = { phoneNo: CANARY.phoneNo, email: CANARY.email, ip: CANARY.ip, clientReference: 'reference-1' };
  const client = connect(service.url);
  try {
    for (const [key, value] of Object.entries(pollution)) {
      Object.defineProperty(Object.prototype, key, { value, enumerable: true, writable: true, configurable: true });
    }
    // The client is created under pollution too: absent options have their documented defaults.
    const second = connect(service.url);
    await client.verify(request);
    await second.verify(request, {});
    await second.verify({ phoneNo: CANARY.phoneNo, clientReference: 'r' });
  } finally {
    for (const key of Object.keys(pollution)) Reflect.deleteProperty(Object.prototype, key);
    axios.interceptors.request.eject(interceptor);
    delete axios.defaults.headers.common['X-Evil'];
  }
  const [expected] = plain.verifies;
  const [first, second, phoneAlone] = service.verifies;
  const sent = (received: typeof first) => ({ ...received, headers: { ...received?.headers, host: '' } });
  expect(sent(first)).toEqual(sent(expected));
  expect(sent(second)).toEqual(sent(expected));
  expect(JSON.parse(phoneAlone?.body ?? '')).toMatchObject({ identityVariables: { phoneNo: '447700900987' } });
  expect(phoneAlone?.body).not.toContain('evil');
  expect(service.signIns.map((received) => sent(received))).toEqual([sent(plain.signIns[0]), sent(plain.signIns[0])]);
});
