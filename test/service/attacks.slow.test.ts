/** What an attacker may send gets nowhere: a problem of the table, nothing sent to the vendor, nothing in the lines. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { ROUTES } from '../../src/service/routes.ts';
import { sharedTestService, startTestService, type TestService } from '../support/service/running.ts';
import { environmentOf } from '../support/signals/service.ts';

const DECISIONS = '/v1/decisions';

const shared = sharedTestService();

const valid = (more: object = {}) => ({ policy: 'onboarding', reference: 'A-1', applicant: {}, ...more });

type Attack = readonly [what: string, body: unknown, status: number, code: string, headers?: Record<string, string>];

test.each<Attack>([
  ['a name twice', '{"policy":"onboarding","reference":"A","reference":"B","applicant":{}}', 400, 'REQUEST_INVALID'],
  [
    '__proto__',
    '{"policy":"onboarding","reference":"A","applicant":{},"__proto__":{"resend":true}}',
    400,
    'REQUEST_INVALID',
  ],
  [
    '__proto__ in the applicant',
    '{"policy":"onboarding","reference":"A","applicant":{"__proto__":{}}}',
    400,
    'REQUEST_INVALID',
  ],
  [
    '__proto__ in the context',
    '{"policy":"onboarding","reference":"A","applicant":{},"context":{"__proto__":1}}',
    400,
    'REQUEST_INVALID',
  ],
  ['constructor in the context', valid({ context: { constructor: 1 } }), 400, 'REQUEST_INVALID'],
  ['a lone surrogate', '{"policy":"onboarding","reference":"A\\ud800","applicant":{}}', 400, 'REQUEST_INVALID'],
  [
    'a lone surrogate in the applicant',
    '{"policy":"onboarding","reference":"A","applicant":{"email":"\\ud800"}}',
    400,
    'REQUEST_INVALID',
  ],
  [
    'bytes that are not UTF-8',
    Buffer.from('{"policy":"onboarding","reference":"\xff","applicant":{}}', 'latin1'),
    400,
    'REQUEST_INVALID',
  ],
  ['half a body', '{"policy":', 400, 'REQUEST_INVALID'],
  ['no object', '[]', 400, 'REQUEST_INVALID'],
  ['a number as phone number', valid({ applicant: { phoneNo: 12025550102 } }), 400, 'REQUEST_INVALID'],
  ['an unknown policy', valid({ policy: '../../etc/passwd' }), 400, 'REQUEST_INVALID'],
  ['the name of a method as a policy', valid({ policy: 'constructor' }), 400, 'REQUEST_INVALID'],
  ['an empty reference', valid({ reference: '' }), 400, 'REQUEST_INVALID'],
  ['a reference that is too long', valid({ reference: 'x'.repeat(129) }), 400, 'REQUEST_INVALID'],
  ['a deadline of no time', valid({ deadlineMs: 0 }), 400, 'REQUEST_INVALID'],
  ['a compressed body', valid(), 415, 'UNSUPPORTED_MEDIA_TYPE', { 'content-encoding': 'gzip' }],
  [
    'a form',
    'policy=onboarding',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    { 'content-type': 'application/x-www-form-urlencoded' },
  ],
  ['text', '{}', 415, 'UNSUPPORTED_MEDIA_TYPE', { 'content-type': 'text/plain' }],
  ['lines where a body is expected', '{}', 415, 'UNSUPPORTED_MEDIA_TYPE', { 'content-type': 'application/x-ndjson' }],
  ['5 MiB', `"${'x'.repeat(5 * 2 ** 20)}"`, 413, 'TOO_LARGE'],
])('%s is refused, and nothing is sent', async (_what, body, status, code, headers = {}) => {
  const { ask, sandbox } = await shared();
  const before = sandbox.counts.verifies;
  const answer = await ask('POST', DECISIONS, body, { headers: headers as Record<string, string> });
  expect([answer.status, answer.body['code']]).toEqual([status, code]);
  expect(sandbox.counts.verifies).toBe(before);
});

test('a body that nests too deep is refused before its form is looked at', async () => {
  const { ask } = await shared();
  for (const body of [
    `${'['.repeat(1000)}${']'.repeat(1000)}`,
    valid({ context: JSON.parse('{"a":'.repeat(100) + 1 + '}'.repeat(100)) }),
  ])
    expect((await ask('POST', DECISIONS, body)).body['detail']).toBe('the body nests deeper than 100 levels');
});

test.each(['A\r\nset-cookie: x=1\r\n\r\n<script>', 'A\u0000', 'A\u2028', '😀'.repeat(60), '<script>alert(1)</script>'])(
  'the reference %j reaches no header',
  async (reference) => {
    const { decide } = await shared();
    const answer = await decide(reference);
    if (answer.status === 200) expect(answer.body['reference']).toBe(reference);
    else expect([answer.status, answer.body['code']]).toEqual([400, 'REQUEST_INVALID']);
    expect(inspect([...answer.headers])).not.toMatch(/script|set-cookie|😀/);
  },
);

test.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s asks for its roles, and takes no key from a query or a path',
  async (_name, { method, path, roles, body }) => {
    const service = await shared();
    const { ask, lines } = service;
    const url = path.replace(/\{\w+\}/, 'onboarding');
    const sent = body ? {} : undefined;
    for (const [role, key] of await keysOf(service)) {
      const { status } = await ask(method, url, sent, { key });
      if (!roles || roles.some((each) => each === role)) expect([401, 403]).not.toContain(status);
      // An address without a key has so many tries a second.
      else expect(status).toBeOneOf(role === 'none' ? [401, 429] : [403]);
    }
    const [, key = ''] = (await keysOf(service)).find(([role]) => role === 'decide') ?? [];
    const seen = lines.length;
    if (roles) {
      expect((await ask(method, `${url}?key=${key}`, sent, { key: '' })).status).toBeOneOf([400, 401, 429]);
      expect((await ask(method, `${url}?access_token=${key}`, sent, { key })).status).toBe(400);
    }
    expect((await ask(method, `${url}/${key}`, sent, { key: '' })).status).toBeOneOf([401, 404, 405, 429]);
    expect(inspect(lines.slice(seen))).not.toContain(key.slice(12));
  },
);

test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE'])(
  '%s is no way to ask what is posted, and no browser of another site may ask',
  async (method) => {
    const { ask, url } = await shared();
    if (method === 'TRACE')
      return expect(
        rawly(url, 'TRACE /v1/decisions HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
      ).resolves.toMatch(/^HTTP\/1.1 40[05]/);
    const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };
    const answer = await ask(method, '/v1/checks/applicant', undefined, { headers });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  },
);

test.each([
  '/v1/policies/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '/v1/policies/..%2f..%2fetc%2fpasswd',
  '/v1/policies/%00',
  '/v1/policies/constructor',
  '/v1/policies/__proto__',
  `/v1/policies/${'x'.repeat(199)}`,
  `/v1/policies/${'x'.repeat(5000)}`,
  '/v1/policies/%ff',
  '/v1/policies/%',
  '/problems/..%2fopenapi.json',
  '/problems/__proto__',
  '/problems/timed-out',
  '//v1/policies',
  '/v1/../v1/policies/x',
])('the path %s leads nowhere', async (path) => {
  const { url } = await shared();
  const [, key = ''] = (await keysOf(await shared())).find(([role]) => role === 'read') ?? [];
  const text = await rawly(
    url,
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  expect(text).toMatch(/^HTTP\/1.1 (?:400|404) /);
  expect(text).not.toMatch(/passwd|root:/);
});

const POST = (headers: string, body: string) =>
  `POST /v1/decisions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;
const HIDDEN = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n';

test.each([
  ['a length and chunks', POST('Content-Length: 5\r\nTransfer-Encoding: chunked', `0\r\n\r\n${HIDDEN}`)],
  ['two lengths', POST(`Content-Length: 0\r\nContent-Length: ${HIDDEN.length}`, HIDDEN)],
  ['a folded header', POST('X: a\r\n b', HIDDEN)],
  ['a bare line feed', `POST /v1/decisions HTTP/1.1\nHost: a\nContent-Length: 0\n\n${HIDDEN}`],
  ['another encoding', POST('Transfer-Encoding: xchunked', HIDDEN)],
  ['a space before the colon', POST('Content-Length : 5', HIDDEN)],
  ['a header of 100 KB', POST(`X: ${'x'.repeat(100_000)}`, '')],
  ['no HTTP at all', 'hello\r\n\r\n'],
])('%s: one problem, and the connection ends', async (_what, request) => {
  const { url } = await shared();
  const text = await rawly(url, request);
  expect(text.match(/^HTTP\/1.1 /gm)).toHaveLength(1);
  expect(text).toMatch(/^HTTP\/1.1 4\d\d /);
  expect(text).toMatch(/connection: close/i);
});

test('each caller has its own references, whatever key of its name it uses', async () => {
  const { decide, key, sandbox } = await startTestService();
  const first = await decide('A-1');
  const other = await decide('A-1', {}, { key: await key(['decide'], 'other') });
  const rotated = await decide('A-1', {}, { key: await key(['decide'], 'app') });
  expect(other.body['id']).not.toBe(first.body['id']);
  expect(rotated.body['id']).toBe(first.body['id']);
  expect(sandbox.counts.verifies).toBe(2);
});

test('callers who are gone half way through a body are forgotten, and nothing is sent', async () => {
  const { url, adminUrl, key, decide, sandbox } = await startTestService({ limits: 'inFlight: 5' });
  const body = JSON.stringify({ policy: 'onboarding', reference: 'A-1', applicant: { ip: '203.0.113.12' } });
  const head = `Authorization: Bearer ${await key(['decide'])}\r\nContent-Length: ${body.length}`;
  const inFlight = async () => /^verdict_in_flight .*$/m.exec(await (await fetch(`${adminUrl}/metrics`)).text())?.[0];
  for (let i = 0; i < 2; i++) {
    const sockets = Array.from({ length: 4 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
    for (const socket of sockets) socket.write(POST(head, body.slice(0, -1)));
    await expect.poll(inFlight).toBe('verdict_in_flight 4');
    for (const socket of sockets) socket.destroy();
    await expect.poll(inFlight).toBe('verdict_in_flight 0');
  }
  expect(sandbox.counts.verifies).toBe(0);
  // None of them claimed the reference for another question.
  expect((await decide('A-1')).status).toBe(200);
});

test('callers who read no answer, and have no key, hold up nobody', async () => {
  const { url, adminUrl, decide } = await startTestService({ limits: 'inFlight: 4' });
  const sockets = Array.from({ length: 4 }, () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    return socket.setNoDelay().pause();
  });
  for (const [i, socket] of sockets.entries()) {
    const inFlight = async () => {
      socket.write('GET /reference HTTP/1.1\r\nHost: a\r\n\r\n');
      const counts = [];
      for (let turn = 0; turn < 3; turn++) {
        const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
        counts.push(Number(/^verdict_in_flight (\d+)$/m.exec(metrics)?.[1]));
      }
      return Math.min(...counts);
    };
    await expect.poll(inFlight, { interval: 1 }).toBe(i + 1);
  }
  expect((await decide('A-1')).status).toBe(200);
});

test('a caller that sends no HTTP, and does not end its connection, loses it', async () => {
  const { url } = await shared();
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let failure: unknown;
  socket.on('error', (error) => {
    failure = error;
  });
  socket.resume().write('hello\r\n\r\n');
  await once(socket, 'end');
  const failureOfWrite = () => {
    socket.write('x');
    return failure;
  };
  await expect.poll(failureOfWrite).toBeInstanceOf(Error);
});

test('neither the lines nor what is printed of the service has a key or a person', async () => {
  const { service, lines, decide, key, adminUrl, sandbox } = await startTestService({ audit: true });
  const own = await key(['decide']);
  // One more is being decided meanwhile.
  sandbox.setFault('hang');
  const decided = decide('SECRET-REFERENCE-2', { deadlineMs: 1000 }, { key: own });
  await expect.poll(() => service.client.state().inFlight).toBe(1);
  const meanwhile = inspect(service, { depth: 20, showHidden: true });
  expect(meanwhile).toMatch(/flights: Map\(1\)/);
  sandbox.setFault(undefined);
  await decide('SECRET-REFERENCE', {}, { key: own });
  await decide('SECRET-REFERENCE', { applicant: { phoneNo: '+12025550103' } }, { key: own });
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  const shown = meanwhile + inspect([service, lines, metrics], { depth: 20, showHidden: true });
  expect(shown).not.toMatch(/SECRET-REFERENCE|2025550102|d\.marsh|203\.0\.113\.12|2025550103/);
  expect(shown).not.toContain(own.slice(12));
  expect(shown).not.toContain(environmentOf(sandbox)['VERDICT_PASSWORD']);
  await decided;
});

/** A key of each role, and none. */
async function keysOf({ key }: TestService): Promise<readonly (readonly [role: string, key: string])[]> {
  keys ??= (async () => {
    const found: [string, string][] = [['none', '']];
    for (const role of ['decide', 'read', 'review', 'edit', 'approve', 'audit'] as const)
      found.push([role, await key([role], role)]);
    return found;
  })();
  return keys;
}

let keys: Promise<readonly (readonly [role: string, key: string])[]> | undefined;

/** What the service answers to bytes, until it ends the connection. */
function rawly(url: string, request: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(request));
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {}).on('close', () => resolve(text));
  });
}
