/** What one connection or key may hold: a request at a time, a share of the places, a stream while the key is valid. */

import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { replaceFile } from '../../src/platform/files/disk-file.ts';
import { removeKey } from '../../src/service/auth/keys.ts';
import { ROUTES } from '../../src/service/routes.ts';
import { PAGES } from '../../src/service/workbench/pages.ts';
import { sampled } from '../support/sampled.ts';
import { startTestService, type TestService, untilIndexed } from '../support/service/running.ts';

function open(url: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;

const post = (path: string, body: string, more = '') => {
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
  return `${head}Content-Length: ${body.length}\r\n${more}\r\n${body}`;
};

/** The statuses of what is answered until the connection ends. */
async function statusesOf(socket: Socket): Promise<readonly string[]> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
}

test('requests that a connection sends at once are answered in turn, each after the one before', async () => {
  const { url, key, sandbox, service, lines } = await startTestService();
  const own = `Authorization: Bearer ${await key(['decide'])}\r\n`;
  sandbox.setFault('hang');
  const socket = open(url);
  const answered = statusesOf(socket);
  const bodies = ['A-1', 'A-2', 'A-3'].map((reference) =>
    JSON.stringify({ policy: 'onboarding', reference, applicant: { phoneNo: '+12025550102' }, deadlineMs: 300 }),
  );
  socket.write(
    bodies.map((body) => post('/v1/decisions', body, own)).join('') + get('/nowhere', 'Connection: close\r\n'),
  );
  let most = 0;
  await expect
    .poll(
      () => {
        most = Math.max(most, service.flights.size);
        return lines.filter(({ route }) => route === '/v1/decisions').length;
      },
      { interval: 5 },
    )
    .toBe(3);
  expect(most).toBe(1);
  expect(await answered).toEqual(['200', '200', '200', '404']);
});

test('a connection that sends ahead more than a few requests is ended without an answer', async () => {
  const { url, sandbox, key } = await startTestService();
  const own = `Authorization: Bearer ${await key(['decide'])}\r\n`;
  sandbox.setFault('hang');
  const socket = open(url);
  const answered = statusesOf(socket);
  const body = JSON.stringify({ policy: 'onboarding', reference: 'A-1', applicant: { phoneNo: '+12025550102' } });
  socket.write(post('/v1/decisions', body, own) + get('/nowhere').repeat(10) + get('/', 'Connection: close\r\n'));
  expect(await answered).toEqual([]);
});

const CALLERS: readonly (readonly [who: string, hasKey: boolean])[] = [
  ['with a key', true],
  ['without a key', false],
];
const EVERY_DAY = CALLERS.slice(0, sampled(1, CALLERS.length));

test.each(EVERY_DAY)(
  'hundreds of requests that each of many connections sends ahead, %s, are begun one by one',
  async (_who, hasKey) => {
    const { url, adminUrl, key, decide } = await startTestService({ audit: true, more: PEOPLE, env: ENV });
    const roles = ['decide', 'read', 'review', 'edit', 'approve', 'audit'] as const;
    const own = hasKey ? `Authorization: Bearer ${await key(roles)}\r\n` : '';
    const others = ['/sign-in', '/sign-in/callback', '/v1/nowhere', '/%zz'].map((path) => ({ method: 'GET', path }));
    const some = [...ROUTES, ...PAGES, ...others].filter((_, i) => i % sampled(4, 1) === 0);
    const requests = some.map(({ method, path }) => {
      const at = path.replace(/\{\w+\}/, 'onboarding');
      return [url, method === 'GET' ? get(at, own) : post(at, '{}', own)] as const;
    });
    const ofAdmin = ['/livez', '/readyz', '/metrics'].map((path) => [adminUrl, get(path)] as const);
    const before = await held();
    const sockets = [...requests, ...ofAdmin].map(([at, request]) => {
      const socket = open(at).pause();
      socket.write(request.repeat(AHEAD) + get('/', 'Connection: close\r\n'));
      return { socket, ended: new Promise((resolve) => socket.once('close', resolve)) };
    });
    let most = 0;
    for (let i = 0; i < 20; i++) {
      const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
      most = Math.max(most, Number(/^verdict_in_flight (\d+)$/m.exec(metrics)?.[1]));
    }
    expect(most).toBeLessThanOrEqual(requests.length);
    // What the sockets of this test have not sent yet is a part of it.
    expect((await held()) - before).toBeLessThan(40_000 * AHEAD);
    for (const { socket } of sockets) socket.resume();
    await Promise.all(sockets.map(({ ended }) => ended));
    expect((await decide('A-1')).status).toBe(200);
  },
);

/** Requests that a connection sends before it reads an answer. */
const AHEAD = sampled(200, 2000);

/** The bytes that this process holds, without what nothing refers to. */
async function held(): Promise<number> {
  setFlagsFromString('--expose-gc');
  await runInNewContext('gc')({ type: 'major', execution: 'async' });
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const ENV = { OIDC_SECRET: 'x' };
const PEOPLE = `people: { origin: "http://127.0.0.1:8080", issuer: "http://127.0.0.1:1", clientId: verdict,
  clientSecretVariable: OIDC_SECRET, roles: { claim: groups, map: { reviewers: [review] } } }`;

test('bodies that do not arrive hold no place, and those of one key not all that may arrive', async () => {
  const { url, key, ask, decide } = await startTestService({ limits: 'inFlight: 8, deadline: 1 second' });
  const slow = await key(['decide', 'read'], 'slow');
  const half = post('/v1/decisions', '{"policy":"onboarding"}', `Authorization: Bearer ${slow}\r\n`).slice(0, -5);
  for (let i = 0; i < 8; i++) open(url).write(half);
  const own = () => decide('A-1', {}, { key: slow });
  await expect.poll(async () => (await own()).status).toBe(503);
  expect((await own()).body['detail']).toBe('the places left are for others');
  expect((await ask('GET', '/v1/policies', undefined, { key: slow })).status).toBe(200);
  expect((await decide('A-2')).status).toBe(200);
});

/** An open stream of lines of facts. */
function stream({ url }: TestService, key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
  const { port } = new URL(url);
  const path = '/v1/evaluations?policy=onboarding';
  const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path, headers }).on('error', () => {});
  onTestFinished(() => void request.destroy());
  const answers: Record<string, unknown>[] = [];
  const ended = new Promise<void>((resolve) => {
    request.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        const whole = text.split('\n');
        text = whole.pop() ?? '';
        answers.push(...whole.map((line) => JSON.parse(line)));
      });
      response.once('close', resolve);
    });
  });
  const send = (lines: number) => request.write('{"facts":{"phone.type":"mobile"}}\n'.repeat(lines));
  return { answers, ended, send };
}

/** Changes a key in the file of keys. */
function editKey({ folder }: TestService, key: string, more: object): void {
  const file = join(folder, 'keys.json');
  const { keys, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
  const changed = keys.map((each: { readonly id: string }) => (key.includes(each.id) ? { ...each, ...more } : each));
  replaceFile(file, JSON.stringify({ ...rest, keys: changed }), 0o600);
}

const OVER: readonly [what: string, end: (service: TestService, key: string) => unknown, said: RegExp][] = [
  ['is removed', ({ folder }, key) => removeKey(join(folder, 'keys.json'), key.split('_')[1] ?? ''), /removed or over/],
  ['expires', (service, key) => editKey(service, key, { expires: '2026-01-01' }), /removed or over/],
  [
    'loses its roles',
    (service, key) => editKey(service, key, { roles: ['audit'] }),
    /the role decide or edit is needed/,
  ],
];

test.each(OVER)('a stream whose key %s ends with a line that says so', async (_what, end, said) => {
  const service = await startTestService();
  const key = await service.key(['edit'], 'other');
  const { answers, send, ended } = stream(service, key);
  send(3);
  await expect.poll(() => answers.length).toBe(3);
  await end(service, key);
  await expect
    .poll(async () => (await service.ask('POST', '/v1/explanations', {}, { key })).status)
    .toBeOneOf([401, 403]);
  send(2);
  await ended;
  expect(answers.slice(3)).toEqual([{ line: 4, problem: expect.stringMatching(said) }]);
});

test('of a stream each hundred lines are a request of the rate of its key', async () => {
  const service = await startTestService();
  const key = await service.key(['edit'], 'slow');
  editKey(service, key, { rate: 0.001 });
  // A bucket of this name holds one request, which is the stream.
  const other = await service.key(['edit'], 'other');
  await expect.poll(async () => (await service.ask('POST', '/v1/explanations', {}, { key: other })).status).toBe(400);
  const { answers, send, ended } = stream(service, key);
  send(250);
  await expect.poll(() => answers.length).toBe(99);
  await removeKey(join(service.folder, 'keys.json'), key.split('_')[1] ?? '');
  await ended;
  expect(answers.length).toBe(100);
  expect(answers.at(-1)).toEqual({ line: 101, problem: expect.stringContaining('removed') });
});

test('a key that is removed while it waits for news gets none', async () => {
  const service = await startTestService({ audit: true });
  await untilIndexed(service);
  const key = await service.key(['read'], 'other');
  const { next } = (await service.ask('GET', '/v1/events', undefined, { key })).body;
  const waiting = service.ask('GET', `/v1/events?wait=30&after=${next}`, undefined, { key });
  await removeKey(join(service.folder, 'keys.json'), key.split('_')[1] ?? '');
  await expect
    .poll(async () => (await service.ask('GET', '/v1/events', undefined, { key })).status)
    .toBeOneOf([401, 429]);
  await service.decide('A-1');
  expect((await waiting).status).toBe(401);
});

test.runIf(process.platform === 'linux')(
  'without TLS, and away from this machine, only proxies are answered',
  async () => {
    const { url } = await startTestService({ listen: '{ host: 127.0.0.2, port: 0, trustProxy: [127.0.0.4/31] }' });
    const statusFrom = (localAddress: string, path: string) =>
      new Promise((resolve, reject) => {
        const { port } = new URL(url);
        const headers = { 'x-forwarded-for': '127.0.0.4' };
        httpRequest({ host: '127.0.0.2', port, path, localAddress, headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .once('error', reject)
          .end();
      });
    const statuses = async (path: string) =>
      Promise.all(['127.0.0.1', '127.0.0.3', '127.0.0.4', '127.0.0.5'].map((from) => statusFrom(from, path)));
    expect(await statuses('/openapi.json')).toEqual([403, 403, 200, 200]);
    expect(await statuses('/v1/policies')).toEqual([403, 403, 401, 401]);
    expect(await statuses('/nowhere')).toEqual([403, 403, 404, 404]);
  },
);
