/** The line of a request names it: by the id that its answer has, by its trace, and by its decision. */

import { expect, test } from 'vitest';
import { ROUTES } from '../../src/service/routes.ts';
import { startTestService, untilIndexed } from '../support/service/running.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const TRACE = '0af7651916cd43dd8448eb211c80319c';

test('each answer has the id of its request, which its line has too', async () => {
  const { ask, url, lines } = await startTestService();
  const answers = [
    await ask('GET', '/v1/policies'),
    await ask('GET', '/v1/policies', undefined, { key: '' }),
    await ask('POST', '/v1/decisions', {}),
    await ask('GET', '/openapi.json', undefined, { key: '' }),
    await ask('GET', '/nowhere'),
    await ask('PUT', '/v1/decisions'),
  ];
  const ids = answers.map(({ headers }) => headers.get('x-request-id'));
  for (const id of ids) expect(id).toMatch(UUID);
  expect(new Set(ids).size).toBe(ids.length);
  await expect.poll(() => lines.map(({ request }) => request)).toEqual(ids);
  expect((await fetch(`${url}/%zz`)).headers.get('x-request-id')).toMatch(UUID);
});

test('an id that the caller gives is taken over, unless it could be a person', async () => {
  const { ask, lines } = await startTestService();
  for (const given of ['a', '3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'req_01', '1234567890123456', 'x'.repeat(128)]) {
    const { headers } = await ask('GET', '/v1/policies', undefined, { headers: { 'x-request-id': given } });
    expect(headers.get('x-request-id')).toBe(given);
    await expect.poll(() => lines.at(-1)?.['request']).toBe(given);
  }
  for (const given of [
    '+12025550102',
    '12025550102',
    'd.marsh@mail.example',
    '203.0.113.12',
    '2001:db8::1',
    'a b',
    'é',
  ])
    expect(
      (await ask('GET', '/v1/policies', undefined, { headers: { 'x-request-id': given } })).headers.get('x-request-id'),
    ).toMatch(UUID);
  const long = await ask('GET', '/v1/policies', undefined, { headers: { 'x-request-id': 'x'.repeat(129) } });
  expect(long.headers.get('x-request-id')).toMatch(UUID);
});

test('the line has the trace that the request is part of', async () => {
  const { ask, lines } = await startTestService();
  const ended = async (traceparent: string) => {
    const { headers } = await ask('GET', '/v1/policies', undefined, { headers: { traceparent } });
    const id = headers.get('x-request-id');
    await expect.poll(() => lines.at(-1)?.['request']).toBe(id);
    return lines.at(-1)?.['trace'];
  };
  expect(await ended(`00-${TRACE}-b7ad6b7169203331-01`)).toBe(TRACE);
  for (const wrong of [TRACE, `00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`, `00-${TRACE}-b7ad-01`, '12025550102'])
    expect(await ended(wrong)).toBeUndefined();
});

test('the line has the id of the decision that was made, given again, or asked about', async () => {
  const service = await startTestService({ audit: true });
  const { ask, decide, key, lines } = service;
  const own = await key(['decide', 'read', 'review', 'audit']);
  const id = (await decide('A-1')).body['id'];
  await decide('A-1');
  await untilIndexed(service);
  await ask('GET', `/v1/decisions/${id}`, undefined, { key: own });
  await ask('GET', `/v1/decisions/${id}/explanation`, undefined, { key: own });
  await ask('POST', `/v1/decisions/${id}/notes`, { disposition: 'canary', why: 'x' }, { key: own });
  await ask('POST', '/v1/cases', { decision: id, kind: 'challenge', why: 'x' }, { key: own });
  const decisions = () => lines.filter(({ route }) => route !== undefined).map(({ decision }) => decision);
  await expect.poll(decisions).toEqual([id, id, id, id, id, id]);
  await ask('GET', '/v1/decisions/12025550102', undefined, { key: own });
  await ask('GET', '/v1/policies', undefined, { key: own });
  await expect.poll(() => decisions().slice(6)).toEqual([undefined, undefined]);
});

test('where the method alone is wrong, the answer says which are right', async () => {
  const { ask } = await startTestService();
  const paths = Map.groupBy(ROUTES, ({ path }) => path);
  for (const [path, rows] of paths) {
    const taken: readonly string[] = rows.map(({ method }) => method);
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (taken.includes(method)) continue;
      const { status, headers } = await ask(method, path.replace(/\{\w+\}/, 'x'), undefined, { key: '' });
      expect([method, path, status, headers.get('allow')]).toEqual([method, path, 405, taken.join(', ')]);
    }
  }
});

test('a vendor that fails has one line a cause, and not one a decision', async () => {
  const { decide, lines, sandbox } = await startTestService();
  sandbox.setFault('status-500');
  for (let i = 0; i < 3; i++) expect((await decide(`A-${i}`)).status).toBe(200);
  const failed = lines.filter(({ event }) => event === 'decision.sourceFailed');
  expect(failed).toMatchObject([{ code: 'SERVICE_ERROR', count: 1 }]);
});
