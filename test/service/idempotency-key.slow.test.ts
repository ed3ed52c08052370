/** The header Idempotency-Key is another name of `reference`. */

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { APPLICANT, sharedTestService } from '../support/service/running.ts';

const BODY = { policy: 'onboarding', applicant: APPLICANT };

const shared = sharedTestService();

async function start() {
  const service = await shared();
  const ask = (key: string | undefined, body: object = BODY) =>
    service.ask('POST', '/v1/decisions', body, key === undefined ? {} : { headers: { 'idempotency-key': key } });
  return { ...service, ask };
}

test.each([
  ['A-1', 'A-1'],
  ['"A-2"', 'A-2'],
  [String.raw`"a \"b\" \\c"`, String.raw`a "b" \c`],
  ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['A 1, B', 'A 1, B'],
])('%s is the reference %s, alone or beside the same in the body', async (key, reference) => {
  const { ask, sandbox } = await start();
  const first = await ask(key);
  expect([first.status, first.body['reference']]).toEqual([200, reference]);
  const calls = sandbox.counts.verifies;
  for (const again of [await ask(key, { ...BODY, reference }), await ask(undefined, { ...BODY, reference })]) {
    expect([again.status, again.body['id']]).toEqual([200, first.body['id']]);
    expect(again.headers.get('verdict-repeated')).toBe('true');
  }
  expect(sandbox.counts.verifies).toEqual(calls);
});

test.each([
  ['A-1', { reference: 'A-2' }, 'differ: expected one, or the same in both'],
  ['"A-1"', { reference: '"A-1"' }, 'differ'],
  ['A-1', { reference: 7 }, 'differ'],
  ['"A-1', {}, 'malformed: expected one text, bare or in quotes'],
  ['"A-1";p=1', {}, 'malformed'],
  [String.raw`"A\n"`, {}, 'malformed'],
  ['"A", "B"', {}, 'malformed'],
  ['Ä-1', {}, 'malformed'],
])('%s with %j is refused before anything is sent', async (key, more, detail) => {
  const { ask, sandbox } = await start();
  const { verifies } = sandbox.counts;
  const { status, body } = await ask(key, { ...BODY, ...more });
  expect([status, body['code'], sandbox.counts.verifies]).toEqual([400, 'REQUEST_INVALID', verifies]);
  expect(body['detail']).toContain(detail);
  expect(body['detail']).not.toMatch(/A-|Ä/);
});

test('a header of no or too many characters is refused as such a reference, and none of both is missing', async () => {
  const { ask } = await start();
  const errorsOf = async (key: string | undefined, body: object = BODY) => (await ask(key, body)).body['errors'];
  expect(await errorsOf('x'.repeat(129))).toEqual([
    { pointer: '/reference', detail: 'expected at most 128 characters' },
  ]);
  expect(await errorsOf('""')).toContainEqual({ pointer: '/reference', detail: 'expected at least 1 character' });
  expect(await errorsOf(undefined)).toEqual([{ pointer: '/reference', detail: 'is missing' }]);
  expect(await errorsOf(undefined, { applicant: APPLICANT })).toEqual([
    { pointer: '/policy', detail: 'is missing' },
    { pointer: '/reference', detail: 'is missing' },
  ]);
});

test('two headers are refused, also if both say the same', async () => {
  const { url, key } = await start();
  const body = JSON.stringify(BODY);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const head = [
    'POST /v1/decisions HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${await key(['decide'])}`,
    'Content-Type: application/json',
    'Idempotency-Key: A-1',
    'Idempotency-Key: A-1',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 .*Idempotency-Key is malformed/s);
});
