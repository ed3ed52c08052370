import { Agent, type ServerResponse } from 'node:http';
import type { LookupFunction } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createDecider } from '../../src/decision/decide.ts';
import { type CarriedOut, CodedCause, type ErrorCode, type VerdictError } from '../../src/errors.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { CLOSED_PORT } from '../support/ports.ts';
import {
  APPLICANT,
  CANARY,
  connect,
  failureOf,
  type Handler,
  json,
  REQUEST,
  serve,
} from '../support/signals/scripted-service.ts';

/** A body with every text that must not be repeated. */
const ECHO = JSON.stringify({ ...CANARY, phoneNo: '447700900987' });

/** Writes raw bytes on the connection, then closes it. */
function raw(text: string): Handler {
  return (response) => response.socket?.end(text);
}

function status(code: number, headers: Record<string, string> = {}): Handler {
  return (response) => response.writeHead(code, headers).end(ECHO);
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

const FAULTS: readonly [name: string, fault: Handler, verify: [ErrorCode, CarriedOut], signIn: ErrorCode][] = [
  ['a reset', reset, ['CONNECTION_LOST', 'unknown'], 'CONNECTION_LOST'],
  ['a close', (response) => response.socket?.end(), ['CONNECTION_LOST', 'unknown'], 'CONNECTION_LOST'],
  ['half a header', raw('HTTP/1.1 200 OK\r\nContent-'), ['CONNECTION_LOST', 'unknown'], 'CONNECTION_LOST'],
  [
    'half a body',
    raw('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"half":'),
    ['CONNECTION_LOST', 'unknown'],
    'CONNECTION_LOST',
  ],
  [
    'half a chunked body',
    raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n'),
    ['CONNECTION_LOST', 'unknown'],
    'CONNECTION_LOST',
  ],
  [
    'half a compressed body',
    (response) => {
      const half = gzipSync(ECHO).subarray(0, 20);
      response
        .writeHead(200, { 'content-encoding': 'gzip', 'content-length': 50 })
        .write(half, () => response.socket?.end());
    },
    ['CONNECTION_LOST', 'unknown'],
    'CONNECTION_LOST',
  ],
  ['garbage', raw(`garbage ${ECHO}\r\n\r\n`), ['ANSWER_UNREADABLE', 'unknown'], 'ANSWER_UNREADABLE'],
  [
    'a chunk without a length',
    raw(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${ECHO}\r\n`),
    ['CONNECTION_LOST', 'unknown'],
    'CONNECTION_LOST',
  ],
  [
    'a body that is not compressed as it says',
    status(200, { 'content-encoding': 'gzip' }),
    ['ANSWER_UNREADABLE', 'unknown'],
    'ANSWER_UNREADABLE',
  ],
  [
    'a body of an unknown encoding',
    status(200, { 'content-encoding': 'zstd' }),
    ['ANSWER_UNREADABLE', 'unknown'],
    'ANSWER_UNREADABLE',
  ],
  ['HTML', (response) => response.end(`<html>${ECHO}</html>`), ['ANSWER_UNREADABLE', 'unknown'], 'ANSWER_UNREADABLE'],
  ['an empty body', (response) => response.end(), ['ANSWER_UNREADABLE', 'unknown'], 'ANSWER_UNREADABLE'],
  ['no content', (response) => response.writeHead(204).end(), ['ANSWER_UNREADABLE', 'unknown'], 'ANSWER_UNREADABLE'],
  ['cut JSON', (response) => response.end(ECHO.slice(0, -1)), ['ANSWER_UNREADABLE', 'unknown'], 'ANSWER_UNREADABLE'],
  [
    'a body that is not UTF-8',
    (response) => response.end(Buffer.from('{"a":"\xff"}', 'latin1')),
    ['ANSWER_UNREADABLE', 'unknown'],
    'ANSWER_UNREADABLE',
  ],
  [
    'JSON with a duplicate name',
    (response) => response.end(`${ECHO.slice(0, -1)},"token":"a","t\\u006fken":"b"}`),
    ['ANSWER_UNREADABLE', 'unknown'],
    'ANSWER_UNREADABLE',
  ],
  [
    'JSON that is too deep',
    (response) => response.end(`{"\\"[":${'['.repeat(100)}${']'.repeat(100)}}`),
    ['ANSWER_UNREADABLE', 'unknown'],
    'ANSWER_UNREADABLE',
  ],
  ...[202, 206].map((code): (typeof FAULTS)[number] => [
    `${code}`,
    status(code),
    ['ANSWER_UNREADABLE', 'unknown'],
    'ANSWER_UNREADABLE',
  ]),
  ['300', status(300), ['REDIRECTED', 'unknown'], 'REDIRECTED'],
  ['400', status(400), ['REJECTED', 'no'], 'SIGN_IN_FAILED'],
  ['401', status(401), ['TOKEN_REFUSED', 'no'], 'SIGN_IN_REFUSED'],
  ['403', status(403), ['REJECTED', 'no'], 'SIGN_IN_REFUSED'],
  ['404', status(404), ['REJECTED', 'no'], 'SIGN_IN_FAILED'],
  ['408', status(408), ['SERVICE_ERROR', 'unknown'], 'SERVICE_ERROR'],
  ['407', status(407), ['REJECTED', 'no'], 'SIGN_IN_FAILED'],
  ['409', status(409), ['REJECTED', 'no'], 'SIGN_IN_FAILED'],
  ['428', status(428), ['REJECTED', 'no'], 'SIGN_IN_FAILED'],
  ['429', status(429), ['RATE_LIMITED', 'no'], 'RATE_LIMITED'],
  ['430', status(430), ['REJECTED', 'no'], 'SIGN_IN_FAILED'],
  ['500', status(500), ['SERVICE_ERROR', 'unknown'], 'SERVICE_ERROR'],
  ['502', status(502), ['SERVICE_ERROR', 'unknown'], 'SERVICE_ERROR'],
  ['503', status(503), ['SERVICE_ERROR', 'unknown'], 'SERVICE_ERROR'],
  ['503 that names a time', status(503, { 'retry-after': '0' }), ['SERVICE_ERROR', 'no'], 'SERVICE_ERROR'],
  ['504', status(504), ['SERVICE_ERROR', 'unknown'], 'SERVICE_ERROR'],
  ['a status that HTTP does not have', status(799), ['ANSWER_UNREADABLE', 'unknown'], 'ANSWER_UNREADABLE'],
];

/** However an error is logged, it contains no canary, no address and nothing of an HTTP library. */
function expectNoLeak(error: VerdictError, url: string): void {
  const shown = [
    error.message,
    error.stack ?? '',
    JSON.stringify(error),
    JSON.stringify(error, Object.getOwnPropertyNames(error)),
    inspect(error, { depth: 20, showHidden: true, getters: true }),
  ].join('\n');
  for (const canary of [...Object.values(CANARY), '7700900987', '900987', new URL(url).host]) {
    expect(shown).not.toContain(canary);
  }
  expect(shown).not.toMatch(/axios/i);
  if ('cause' in error)
    expect({ ...(error.cause as object) }).toEqual({ name: 'CodedCause', code: expect.stringMatching(/^[A-Z_0-9]+$/) });
}

/** Almost no wait between attempts. */
const SOON = { timeoutMs: 25_000, backoffMs: 1, maxAttempts: 3 };

/** Failures after which a resend may succeed. */
const PASSING: readonly ErrorCode[] = ['CONNECTION_LOST', 'RATE_LIMITED', 'SERVICE_ERROR'];

describe('verify answered with', () => {
  test.each(FAULTS)(
    '%s fails as documented, is sent again only if it was certainly declined, and its error leaks nothing',
    async (name, fault, [code, carriedOut]) => {
      const service = await serve({ verify: fault });
      const error = await failureOf(connect(service.url, SOON).verify(REQUEST));
      expect(error).toMatchObject({ code, carriedOut });
      const isDeclined = carriedOut === 'no' && PASSING.includes(code);
      expect(service.verifies).toHaveLength(name === '401' ? 2 : isDeclined ? 3 : 1);
      expectNoLeak(error, service.url);
    },
  );

  test.each(FAULTS)(
    '%s is sent again if the caller allows it and a resend may succeed',
    async (name, fault, [code, carriedOut]) => {
      const service = await serve({ verify: fault });
      const error = await failureOf(connect(service.url, { ...SOON, resendAmbiguous: true }).verify(REQUEST));
      expect(error).toMatchObject({ code, carriedOut });
      expect(service.verifies).toHaveLength(name === '401' ? 2 : PASSING.includes(code) ? 3 : 1);
    },
  );
});

describe('sign-in answered with', () => {
  test.each(FAULTS)(
    '%s fails as documented, verify is not sent, and the error leaks nothing',
    async (_, fault, _verify, code) => {
      const service = await serve({ signIn: fault });
      const error = await failureOf(connect(service.url, SOON).verify(REQUEST));
      expect(error).toMatchObject({ code, carriedOut: 'no' });
      // After two sign-ins in a row that are declined, the third waits.
      const most = code === 'RATE_LIMITED' ? 2 : 3;
      expect(service.signIns).toHaveLength(PASSING.includes(code) ? most : 1);
      expect(service.verifies).toHaveLength(0);
      expectNoLeak(error, service.url);
    },
  );
});

test.each<[string, () => Promise<VerdictError>]>([
  ['a request that cannot be sent', () => withOptions({}, { ...REQUEST, phoneNo: '07700900987', ip: '10.66.77.88' })],
  ['an aborted call', () => withOptions({}, REQUEST, AbortSignal.abort(new Error(CANARY.password)))],
  ['a server that does not exist', async () => refused(`http://127.0.0.1:${CLOSED_PORT}`)],
  ['a host that does not exist', () => refused('http://canary-host.invalid')],
  ['a server that does not speak TLS', async () => refused((await serve()).url.replace('http:', 'https:'))],
  ['a deadline', () => withOptions({ timeoutMs: 300 }, REQUEST, undefined, () => {})],
  ['an answer that is too large', () => withOptions({ maxBodyBytes: 60 }, REQUEST, undefined, json(ECHO))],
])('the error of %s leaks nothing', async (_, fail) => {
  expectNoLeak(await fail(), 'http://canary-host.invalid');
});

test.each([
  ['a host that does not exist', async () => 'http://canary-host.invalid', /DNS/, /^(ENOTFOUND|EAI_AGAIN)$/],
  ['a server that does not speak TLS', async () => (await serve()).url.replace('http:', 'https:'), /TLS/, /SSL|EPROTO/],
  ['a port without a server', async () => `http://127.0.0.1:${CLOSED_PORT}`, /refused/, /^ECONNREFUSED$/],
])('%s cannot be reached, nothing was carried out, and the cause is told', async (_, url, words, code) => {
  const error = await refused(await url());
  expect(error).toMatchObject({ code: 'UNREACHABLE', carriedOut: 'no', message: expect.stringMatching(words) });
  const { cause } = error;
  expect(cause).toBeInstanceOf(CodedCause);
  expect((cause as CodedCause).code).toMatch(code);
  expect(error.message).toContain((cause as CodedCause).code);
  expectNoLeak(error, 'http://canary-host');
});

test.each([
  ['ENOTFOUND', /DNS/],
  ['EAI_AGAIN', /DNS/],
  ['EAI_NODATA', /DNS/],
  ['ENETUNREACH', /^(?!.*DNS)/],
])('a look-up of a host that ends with %s is told as one', async (code, words) => {
  const failed = Object.assign(new Error(code), { code });
  const lookup: LookupFunction = (_host, _options, done) => setImmediate(done, failed, '');
  const client = connect('http://canary-host.invalid', { agent: new Agent({ lookup }), allowClearText: true });
  const error = await failureOf(client.verify(REQUEST));
  expect(error).toMatchObject({ code: 'UNREACHABLE', carriedOut: 'no', message: expect.stringMatching(words) });
  expect((error.cause as CodedCause).code).toBe(code);
});

describe('the id that the service gave a request', () => {
  const withId =
    (id: string, body: unknown = {}, code = 422): Handler =>
    (response) =>
      response.writeHead(code, { 'x-request-id': id }).end(JSON.stringify(body));
  const idOf = async (handler: Handler, options: Parameters<typeof connect>[1] = {}) =>
    (await failureOf(connect((await serve({ verify: handler })).url, options).verify(REQUEST))).requestId;

  test('is in the error, from a header or from the body', async () => {
    expect(await idOf(withId('7f3a-01/b'))).toBe('7f3a-01/b');
    expect(await idOf(withId(''))).toBeUndefined();
    expect(await idOf(withId('other'), { requestIdHeader: 'x-trace' })).toBeUndefined();
    const inBody = withId('', { meta: { id: 'body-8' }, detail: ECHO });
    expect(await idOf(inBody, { requestIdPath: ['none', 'meta.id'] })).toBe('body-8');
    expect(await idOf(inBody)).toBeUndefined();
  });

  test('is in the answer, and in the calls of a decision', async () => {
    const client = connect((await serve({ verify: withId('', { id: 12_345 }, 200) })).url, { requestIdPath: 'id' });
    expect((await client.verify(REQUEST)).requestId).toBe('12345');
    const decider = createDecider({ policy: loadPolicy('rules/phone-only.yaml'), verify: client });
    const { signals } = await decider.decide(APPLICANT);
    expect(signals.calls).toMatchObject([{ requestId: '12345' }]);
  });

  test('is not kept if it repeats what was sent, or is not the text of an id', async () => {
    const { username, password, token, phoneNo, email, ip } = CANARY;
    const digits = phoneNo.replaceAll(/\D/g, '');
    const sent = [username, password, token, digits, digits.slice(2), ip, email.replace('@', '.'), 'Reference-1'];
    const ids = [...sent, ...sent.map((text) => `req:${text}:1`), email, 'two words', '<b>', 'x'.repeat(200)];
    for (const id of ids) expect(await idOf(withId(id)), id).toBeUndefined();
    for (const id of sent) expect(await idOf(withId('', { id }), { requestIdPath: 'id' }), id).toBeUndefined();
  });

  test('does not wait for the body of an error that never ends', async () => {
    const endless: Handler = (response) => void response.writeHead(422).write('{"id":');
    const client = connect((await serve({ verify: endless })).url, { requestIdPath: 'id', timeoutMs: 300 });
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'REJECTED', requestId: undefined });
  });
});

test('a printed client shows no credentials', async () => {
  const service = await serve();
  const client = connect(service.url);
  await client.verify(REQUEST);
  const shown = inspect(client, { depth: 20, showHidden: true }) + JSON.stringify(client);
  expect(shown).not.toContain('canary');
});

async function withOptions(
  options: Parameters<typeof connect>[1],
  request: typeof REQUEST | Record<keyof typeof REQUEST, string>,
  signal?: AbortSignal,
  verify: Handler = json({}),
): Promise<VerdictError> {
  const service = await serve({ verify });
  return failureOf(connect(service.url, options).verify(request, signal === undefined ? {} : { signal }));
}

function refused(url: string): Promise<VerdictError> {
  return failureOf(connect(url, { allowClearText: true }).verify(REQUEST));
}
