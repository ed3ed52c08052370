/** A real proxy between the client and services over TLS. */

import { execFile } from 'node:child_process';
import https from 'node:https';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { ClientEvent } from '../../../src/platform/events.ts';
import type { VerifyClientOptions } from '../../../src/signals/options.ts';
import { CLOSED_PORT } from '../../support/ports.ts';
import { certificates } from '../../support/signals/certificates.ts';
import { type ProxyAnswer, startProxy } from '../../support/signals/connect-proxy.ts';
import {
  CANARY,
  connect,
  failureOf,
  type Handler,
  REQUEST,
  serve,
  serveTcp,
} from '../../support/signals/scripted-service.ts';

const made = await certificates();
const ONCE = { maxAttempts: 1 } as const;

afterEach(() => void vi.unstubAllEnvs());

/** A service over TLS, a proxy, and a client of both. */
async function proxied(
  { answer, verify }: { answer?: () => ProxyAnswer; verify?: Handler } = {},
  options: Partial<VerifyClientOptions> = {},
) {
  const service = await serve({ tls: made.service, ...(verify ? { verify } : {}) });
  const proxy = await startProxy(answer);
  const events: ClientEvent[] = [];
  const onEvent = (event: ClientEvent) => void events.push(event);
  const client = connect(service.url, { ca: made.ca, proxy: proxy.url, ...ONCE, onEvent, ...options });
  const target = service.url.replace('https://', '');
  return { service, proxy, client, events, target };
}

function causeOf({ code, carriedOut, cause }: Awaited<ReturnType<typeof failureOf>>) {
  return { code, carriedOut, cause: (cause as { code?: string } | undefined)?.code };
}

test('calls go through one tunnel, which is kept; the proxy reads none of them', async () => {
  const { service, proxy, client, target } = await proxied();
  await client.verify(REQUEST);
  await client.verify(REQUEST);
  expect(proxy.asked).toEqual([{ target, login: undefined }]);
  expect(service.verifies).toHaveLength(2);
  const seen = Buffer.concat(proxy.bytes).toString('latin1');
  expect(seen.length).toBeGreaterThan(100);
  for (const canary of [...Object.values(CANARY), 'verify']) expect(seen).not.toContain(canary);
  await client.close();
  await vi.waitFor(() => expect(proxy.connections.size).toBe(0));
});

test('a proxy over https is checked by the same authorities, and gets no client certificate', async () => {
  const serverTls = { ...made.service, ca: made.ca, requestCert: true };
  const service = await serve({ tls: { ...serverTls, rejectUnauthorized: true } });
  const proxy = await startProxy(() => 'open', { ...serverTls, rejectUnauthorized: false });
  const given = { proxy: proxy.url, clientCertificate: made.client, ...ONCE };
  await connect(service.url, { ca: made.ca, ...given }).verify(REQUEST);
  expect(proxy.certificates).toEqual([undefined]);
  expect(causeOf(await failureOf(connect(service.url, { ca: made.otherCa, ...given }).verify(REQUEST)))).toEqual({
    code: 'UNREACHABLE',
    carriedOut: 'no',
    cause: 'SELF_SIGNED_CERT_IN_CHAIN',
  });
});

test('user name and password go to the proxy alone, and into no message, event or inspection', async () => {
  let answer: ProxyAnswer = 'open';
  const { service, proxy, client, events } = await proxied({ answer: () => answer });
  const url = new URL(proxy.url);
  Object.assign(url, { username: 'proxy-user', password: 'proxy:p%C3%A4ss' });
  const options = { ca: made.ca, proxy: url.href, ...ONCE, onEvent: (event: ClientEvent) => void events.push(event) };
  await client.close();
  await connect(service.url, options).verify(REQUEST);
  expect(proxy.asked).toMatchObject([{ login: `Basic ${Buffer.from('proxy-user:proxy:päss').toString('base64')}` }]);
  expect(JSON.stringify(service.verifies)).not.toMatch(/proxy/i);

  const refused = connect(service.url, options);
  for (answer of [407, 503, 'drop'] as const) {
    const error = await failureOf(refused.verify(REQUEST));
    const shown = inspect([error, error.stack, events, refused], { showHidden: true, depth: 20 });
    for (const secret of ['proxy-user', 'päss', 'p%C3%A4ss', 'cHJveHk', url.port]) expect(shown).not.toContain(secret);
  }
});

test.each([
  [502, 'PROXY_STATUS_502', 'did not connect to it'],
  [401, 'PROXY_STATUS_401', 'did not connect to it'],
  [302, 'PROXY_STATUS_302', 'did not connect to it'],
  [407, 'PROXY_STATUS_407', 'refused its user name or password'],
  ['drop', 'ECONNRESET', 'no connection to the proxy'],
] as const)('a proxy that answers %s is no answer of the service: nothing was sent', async (answer, cause, text) => {
  const { client, service } = await proxied({ answer: () => answer });
  const error = await failureOf(client.verify(REQUEST));
  expect(causeOf(error)).toEqual({ code: 'UNREACHABLE', carriedOut: 'no', cause });
  expect(error.message).toContain(text);
  expect(service.connections.size).toBe(0);
});

test('a proxy that is not there is unreachable', async () => {
  const { client } = await proxied({}, { proxy: `http://127.0.0.1:${CLOSED_PORT}` });
  expect(causeOf(await failureOf(client.verify(REQUEST)))).toMatchObject({ cause: 'ECONNREFUSED', carriedOut: 'no' });
});

test('a proxy that refuses the password is asked once, and again after the pause', async () => {
  const { client, proxy, service } = await proxied(
    { answer: () => (proxy.asked.length > 1 ? 'open' : 407) },
    { maxAttempts: 4 },
  );
  for (const _ of [1, 2, 3]) expect((await failureOf(client.verify(REQUEST))).code).toBe('UNREACHABLE');
  expect(proxy.asked).toHaveLength(1);
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 30_000);
  onTestFinished(() => later.mockRestore());
  await client.verify(REQUEST);
  expect(service.verifies).toHaveLength(1);
});

test('the deadline holds while a tunnel is opened', async () => {
  const { client } = await proxied({ answer: () => 'hang' }, { timeoutMs: 100 });
  expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'TIMED_OUT', carriedOut: 'no' });
});

test('a tunnel that is being opened is given up with the call', async () => {
  const { client, proxy } = await proxied({ answer: () => 'hang' });
  const failure = failureOf(client.verify(REQUEST));
  await vi.waitFor(() => expect(proxy.asked).toHaveLength(1));
  await client.close();
  expect(await failure).toMatchObject({ code: 'ABORTED', carriedOut: 'no' });
  await vi.waitFor(() => expect(proxy.connections.size).toBe(0));
});

test('a tunnel in which TLS does not begin is given up with the call', async () => {
  const silent = await serveTcp(() => {});
  const proxy = await startProxy();
  const client = connect(`https://127.0.0.1:${silent.port}`, { proxy: proxy.url });
  const failure = failureOf(client.verify(REQUEST));
  await vi.waitFor(() => expect(silent.bytes()).toBeGreaterThan(0));
  await client.close();
  expect(await failure).toMatchObject({ code: 'ABORTED', carriedOut: 'no' });
  await vi.waitFor(() => expect(proxy.connections.size).toBe(0));
});

test('a certificate that is not accepted ends the tunnel before a byte is sent', async () => {
  const { client, service, proxy } = await proxied({}, { ca: made.otherCa });
  const expected = { code: 'UNREACHABLE', carriedOut: 'no', cause: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' };
  expect(causeOf(await failureOf(client.verify(REQUEST)))).toEqual(expected);
  expect(service.signIns).toEqual([]);
  await vi.waitFor(() => expect(proxy.connections.size).toBe(0));
});

test('a connection that is lost once the call was sent may have been carried out, and is not sent again', async () => {
  const { client, service } = await proxied({ verify: (response) => response.socket?.destroy() }, { maxAttempts: 4 });
  expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'CONNECTION_LOST', carriedOut: 'unknown' });
  expect(service.verifies).toHaveLength(1);
});

test('a redirect is not followed', async () => {
  const { client, proxy } = await proxied({
    verify: (response) => response.writeHead(307, { location: 'https://127.0.0.1:1/' }).end(),
  });
  expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'REDIRECTED' });
  expect(proxy.asked).toHaveLength(1);
});

const SPELLINGS = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'HTTP_PROXY', 'http_proxy'];

function stubProxy(url: string): void {
  for (const name of SPELLINGS) vi.stubEnv(name, url);
  for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, '');
}

test('the environment has no say, unless the client leaves it to decide', async () => {
  const { service, proxy } = await proxied();
  stubProxy(proxy.url);
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  const agent = new https.Agent({ ca: made.ca });
  await connect(service.url, { ca: made.ca }).verify(REQUEST);
  await connect(service.url, { agent }).verify(REQUEST);
  agent.destroy();
  expect(proxy.asked).toEqual([]);

  await connect(service.url, { ca: made.ca, proxy: 'environment' }).verify(REQUEST);
  expect(proxy.asked).toHaveLength(1);
});

test('NO_PROXY excludes hosts, and a proxy without http:// is one over http', async () => {
  const { service, proxy, target } = await proxied();
  stubProxy(proxy.url.replace('http://', ''));
  await connect(service.url, { ca: made.ca, proxy: 'environment' }).verify(REQUEST);
  expect(proxy.asked).toHaveLength(1);

  vi.stubEnv('NO_PROXY', `internal.example,${target}`);
  await connect(service.url, { ca: made.ca, proxy: 'environment' }).verify(REQUEST);
  expect(proxy.asked).toHaveLength(1);
});

test('an http address is reached without the proxy of the environment', async () => {
  const service = await serve();
  const proxy = await startProxy();
  stubProxy(proxy.url);
  await connect(service.url, { proxy: 'environment' }).verify(REQUEST);
  expect(proxy.asked).toEqual([]);
});

test('an agent of the caller that has a proxy of its own keeps it', async () => {
  const { service, proxy } = await proxied();
  const agent = new https.Agent({
    ca: made.ca,
    keepAlive: true,
    proxyEnv: { HTTPS_PROXY: proxy.url },
  } as https.AgentOptions);
  await connect(service.url, { agent }).verify(REQUEST);
  agent.destroy();
  expect(proxy.asked).toHaveLength(process.allowedNodeEnvironmentFlags.has('--use-env-proxy') ? 1 : 0);
});

test('NODE_DEBUG prints no secret of the connection', async () => {
  const service = await serve({ tls: made.service });
  const proxy = await startProxy();
  const clientCertificate = made.locked;
  const options = {
    ...{ baseUrl: service.url, environment: 'sandbox', username: CANARY.username, password: CANARY.password },
    ...{ ca: made.ca, clientCertificate, proxy: proxy.url.replace('//', '//canary-user:canary-secret@') },
    headers: { 'x-api-key': 'canary-header' },
  };
  const child = join(import.meta.dirname, '../../support/signals/debugged.ts');
  const env = { ...process.env, NODE_DEBUG: 'http,https,net,tls' };
  const args = [child, JSON.stringify({ options, request: REQUEST })];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 2 ** 28 });
  expect(stdout).toBe('done\n');
  expect(stderr).toContain('createConnection');
  const login = Buffer.from('canary-user:canary-secret').toString('base64');
  const secrets = [CANARY.token, CANARY.password, clientCertificate.passphrase, 'canary-header', login, 'PRIVATE KEY'];
  for (const secret of secrets) expect(stderr.includes(secret)).toBe(false);
});
