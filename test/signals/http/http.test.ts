import { execFile } from 'node:child_process';
import { once } from 'node:events';
import http, { Agent, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createAgent } from '../../../src/signals/http/agent.ts';
import { createHttpClient } from '../../../src/signals/http/http.ts';
import { CLOSED_PORT } from '../../support/ports.ts';
import { REQUEST, serve, serveTcp, signal } from '../../support/signals/scripted-service.ts';

const LIMIT = 1024;
const NEVER = new AbortController().signal;

function message(url: string) {
  return { url, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(REQUEST) };
}

/** TLS with a shared key: a full handshake without a certificate, which would expire. */
const KEY = { identity: 'test', psk: Buffer.alloc(32, 1) };
const SHARED_KEY = { ciphers: 'PSK-AES128-GCM-SHA256', maxVersion: 'TLSv1.2', minVersion: 'TLSv1.2' } as const;

async function serveTls(onRequest: (response: ServerResponse) => void): Promise<string> {
  const server = https.createServer(
    { ...SHARED_KEY, pskCallback: () => KEY.psk, pskIdentityHint: 'test' },
    (request, response) => {
      request.resume().on('end', () => onRequest(response));
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function tlsAgent(psk = KEY.psk): https.Agent {
  return new https.Agent({
    ...SHARED_KEY,
    keepAlive: true,
    pskCallback: () => ({ identity: KEY.identity, psk }),
    checkServerIdentity: () => undefined,
  });
}

function clientOf(secure: boolean, agent: Agent = createAgent(secure, 5)) {
  const client = createHttpClient(secure, LIMIT, agent);
  onTestFinished(() => agent.destroy());
  return client;
}

describe('a request counts as not sent', () => {
  test('where the connection is refused', async () => {
    const url = `http://127.0.0.1:${CLOSED_PORT}`;
    expect(await clientOf(false).post(message(url), NEVER)).toEqual({
      failure: 'refused',
      sent: false,
      cause: 'ECONNREFUSED',
    });
  });

  test('where the connection is lost within the TLS handshake', async () => {
    const { port } = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await clientOf(true).post(message(`https://127.0.0.1:${port}`), NEVER)).toEqual({
      failure: 'tlsFailed',
      sent: false,
      cause: 'ECONNRESET',
    });
  });

  test('where it is stopped within the TLS handshake', async () => {
    const stop = new AbortController();
    const { port } = await serveTcp((socket) => socket.once('data', () => stop.abort()));
    expect(await clientOf(true).post(message(`https://127.0.0.1:${port}`), stop.signal)).toEqual({
      failure: 'stopped',
      sent: false,
    });
  });

  test('where the TLS handshake fails', async () => {
    const url = await serveTls((response) => response.end());
    const wrongKey = tlsAgent(Buffer.alloc(32, 2));
    expect(await clientOf(true, wrongKey).post(message(url), NEVER)).toMatchObject({
      failure: 'tlsFailed',
      sent: false,
      cause: expect.stringMatching(/^(ERR_SSL_|ECONNRESET|EPROTO)/),
    });
  });

  test('where it is stopped while it waits for a connection', async () => {
    const asked = signal();
    const stop = new AbortController();
    const service = await serve({ verify: () => asked.give() });
    const client = clientOf(false, new Agent({ maxSockets: 1 }));
    const end = new AbortController();
    const first = client.post(message(service.url), end.signal);
    await asked.promise;
    const second = client.post(message(service.url), stop.signal);
    stop.abort();
    expect(await second).toEqual({ failure: 'stopped', sent: false });
    end.abort();
    expect(await first).toEqual({ failure: 'stopped', sent: true });
    expect(service.verifies).toHaveLength(1);
  });
});

describe('a request counts as sent', () => {
  test.each([
    ['lost', (response: ServerResponse) => response.socket?.destroy()],
    ['stopped', () => {}],
  ])('once the TLS handshake is done, where it is then %s', async (failure, fault) => {
    const stop = new AbortController();
    const url = await serveTls((response) => {
      fault(response);
      if (failure === 'stopped') stop.abort();
    });
    expect(await clientOf(true, tlsAgent()).post(message(url), stop.signal)).toMatchObject({ failure, sent: true });
  });

  test('once the connection is established', async () => {
    const { port } = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await clientOf(false).post(message(`http://127.0.0.1:${port}`), NEVER)).toEqual({
      failure: 'lost',
      sent: true,
      cause: 'ECONNRESET',
    });
  });

  test('if a kept-alive connection turns out to be closed', async () => {
    let answered = 0;
    const service = await serve({
      verify: (response) => (++answered === 1 ? response.end('{}') : response.socket?.resetAndDestroy()),
    });
    const client = clientOf(false);
    expect(await client.post(message(service.url), NEVER)).toMatchObject({ status: 200 });
    expect(await client.post(message(service.url), NEVER)).toEqual({
      failure: 'lost',
      sent: true,
      cause: 'ECONNRESET',
    });
  });
});

test('an answer over TLS is read', async () => {
  const url = await serveTls((response) => response.end('{}'));
  const answer = { failure: undefined, status: 200, body: Buffer.from('{}') };
  expect(await clientOf(true, tlsAgent()).post(message(url), NEVER)).toMatchObject(answer);
});

test.each([
  ['gzip', gzipSync],
  ['X-GZIP', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['identity', Buffer.from],
] as const)('an answer compressed with %s is read', async (encoding, compress) => {
  const body = compress(Buffer.from('{"a":1}'));
  const service = await serve({
    verify: (response) => response.writeHead(201, { 'content-encoding': encoding }).end(body),
  });
  const answer = { failure: undefined, status: 201, body: Buffer.from('{"a":1}') };
  expect(await clientOf(false).post(message(service.url), NEVER)).toMatchObject(answer);
});

/** What a script in a process of its own prints, as JSON. `src` in it is the folder of the sources. */
async function printedBy(script: string): Promise<string[]> {
  const src = JSON.stringify(new URL('../../../src', import.meta.url).href);
  const lines = `import { createRequire } from 'node:module'; const src = ${src}; ${script}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', lines]);
  return JSON.parse(stdout);
}

test('of axios the part without its own adapter over Node is loaded', async () => {
  const loaded = await printedBy(`
    const { createHttpClient } = await import(src + '/signals/http/http.ts');
    createHttpClient(false, 1, undefined);
    console.log(JSON.stringify(Object.keys(createRequire(import.meta.url).cache)));`);
  const scripts = loaded.filter((path) => path.endsWith('js'));
  expect(scripts).toEqual([expect.stringMatching(/axios.dist.browser.axios\.cjs$/)]);
});

test('importing the client does not load undici', async () => {
  const loaded = await printedBy(`
    await import(src + '/signals/client.ts');
    console.log(JSON.stringify(process.moduleLoadList));`);
  expect(loaded).toContain('NativeModule https');
  expect(loaded.filter((name) => name.includes('undici'))).toEqual([]);
});

test('a function that instrumentation puts in place of `http.request` sends the requests', async () => {
  const service = await serve();
  const client = clientOf(false);
  const request = vi.spyOn(http, 'request');
  onTestFinished(() => request.mockRestore());
  expect(await client.post(message(service.url), NEVER)).toMatchObject({ status: 200 });
  expect(request).toHaveBeenCalledOnce();
});

test('the end of an unread body is not awaited, and its connection is closed', async () => {
  const closed = signal();
  const service = await serve({
    verify: (response) => {
      response.socket?.once('close', closed.give);
      response.writeHead(500).write('endless');
    },
  });
  expect(await clientOf(false).post(message(service.url), NEVER)).toMatchObject({ status: 500 });
  await closed.promise;
});

test('a connection is kept for `idleMs` without a request, and as long as it takes for an answer', async () => {
  const closed: Promise<unknown>[] = [];
  const service = await serve({
    verify: (response) => {
      closed.push(once(response.socket ?? response, 'close'));
      setTimeout(() => response.end('{}'), 300);
    },
  });
  const agent = createAgent(false, 1, { idleMs: 100 });
  expect(agent).toMatchObject({ options: { timeout: 100 } });
  expect(await clientOf(false, agent).post(message(service.url), NEVER)).toMatchObject({ status: 200 });
  await closed[0];
});

test('an idle connection is closed before the 5 seconds after which Node servers close theirs', () => {
  for (const secure of [false, true]) {
    const agent = createAgent(secure, 7);
    expect(agent).toMatchObject({ keepAlive: true, maxSockets: 7, options: { timeout: 4000 } });
    expect(agent instanceof https.Agent).toBe(secure);
    // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
    if (secure) expect(agent).toMatchObject({ options: { rejectUnauthorized: true, minVersion: 'TLSv1.2' } });
  }
});
