import { expect, test } from 'vitest';
import type { ClientEvent } from '../../../src/platform/events.ts';
import { CANARY, connect, failureOf, REQUEST, serve } from '../../support/signals/scripted-service.ts';

const SECRET = 'canary-header';
const NEVER = () => new Promise(() => {});

test('fixed headers are sent with every request, beside those of the client', async () => {
  const service = await serve();
  await connect(service.url, { headers: { 'X-Api-Key': SECRET, 'x-tenant': 'shop' } }).verify(REQUEST);
  for (const { headers } of [...service.signIns, ...service.verifies]) {
    expect(headers).toMatchObject({ 'x-api-key': SECRET, 'x-tenant': 'shop', 'content-type': 'application/json' });
  }
  expect(service.verifies[0]?.headers.authorization).toBe(`Bearer ${CANARY.token}`);
});

test('a function gives headers before each request', async () => {
  const service = await serve();
  let asked = 0;
  const client = connect(service.url, { headers: async () => ({ 'x-request': `${++asked}` }) });
  await client.verify(REQUEST);
  await client.verify(REQUEST);
  const sent = [...service.signIns, ...service.verifies].map(({ headers }) => headers['x-request']);
  expect(sent).toEqual(['1', '2', '3']);
});

test('an id that repeats a header of the caller is not kept', async () => {
  const service = await serve({
    verify: (response, { headers }) => response.setHeader('x-request-id', `${headers['x-api-key']}`).end('{}'),
  });
  expect(await connect(service.url, { headers: { 'x-api-key': SECRET } }).verify(REQUEST)).not.toHaveProperty(
    'requestId',
  );
});

test.each([
  [() => ({ Authorization: SECRET }), '`headers` must not have authorization, which the client sets'],
  [() => ({ 'x-key': `${SECRET}\r\nHost: other` }), '`headers` has a name or a value that a header cannot carry'],
  [() => SECRET, '`headers` has to be an object of texts, or a function that returns one'],
  [() => Promise.reject(new Error(SECRET)), 'the function `headers` threw an error'],
  [
    () => ({
      get 'x-key'() {
        throw new Error(SECRET);
      },
    }),
    'the function `headers` threw an error',
  ],
  [NEVER, 'the function `headers` returned nothing in time'],
])('a function that fails: nothing is sent, and the message repeats nothing (%#)', async (headers, text) => {
  const service = await serve();
  const events: ClientEvent[] = [];
  let isGood = true;
  const given = () => (isGood ? {} : headers());
  const onEvent = (event: ClientEvent) => void events.push(event);
  const timeoutMs = headers === NEVER ? 500 : 10_000;
  const client = connect(service.url, {
    headers: given as () => Record<string, string>,
    timeoutMs,
    backoffMs: 1,
    onEvent,
  });
  await client.verify(REQUEST);
  isGood = false;
  const error = await failureOf(client.verify(REQUEST));
  expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID', carriedOut: 'no' });
  expect(error.message).toBe(`verify: the verification service was not called: ${text}`);
  expect(JSON.stringify(events)).not.toContain(SECRET);
  expect(service.verifies).toHaveLength(1);
  // Nothing is wrong with the service.
  isGood = true;
  await client.verify(REQUEST);
});
