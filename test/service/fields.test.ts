/** What answers say of rates, and where a problem is explained. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { addKey } from '../../src/service/auth/keys.ts';
import { APPLICANT, startTestService } from '../support/service/running.ts';

test('a key with a rate learns of it with each answer, a refused one too, and others do not', async () => {
  const service = await startTestService();
  const { ask, folder } = service;
  const limited = await addKey(`${folder}/keys.json`, { name: 'slow', roles: ['read'], rate: 0.001 });
  const get = (key?: string) => ask('GET', '/v1/policies', undefined, { key });
  const fieldsOf = ({ headers }: Awaited<ReturnType<typeof get>>) =>
    ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => headers.get(name));
  let first = await get(limited);
  await expect
    .poll(async () => {
      if (first.status === 401) first = await get(limited);
      return first.status;
    })
    .toBe(200);
  expect(fieldsOf(first)).toEqual(['"default";q=1;w=1000', '"default";r=0;t=1000', null]);
  const refused = await get(limited);
  expect(refused.status).toBe(429);
  const [policy, state = '', retryAfter] = fieldsOf(refused);
  expect(policy).toBe('"default";q=1;w=1000');
  expect(state).toBe(`"default";r=0;t=${retryAfter}`);
  expect(fieldsOf(await get())).toEqual([null, null, null]);
});

test('the type of a problem is the URL of its page where `publicUrl` says how the service is reached', async () => {
  const { ask, url } = await startTestService({ more: 'publicUrl: https://verdict.bank.example/' });
  const batched = { policy: 'none', reference: 'A-1', applicant: APPLICANT };
  const { results } = (await ask('POST', '/v1/decisions/batch', { requests: [batched] })).body as {
    results: readonly { readonly problem: { readonly type: string } }[];
  };
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write('no HTTP\r\n\r\n');
  const types = [
    (await ask('GET', '/v1/policies', undefined, { key: '' })).body['type'],
    (await ask('GET', '/v1/nothing')).body['type'],
    (await ask('POST', '/v1/decisions', {})).body['type'],
    results[0]?.problem.type,
    /"type":"([^"]+)"/.exec(await text(socket))?.[1],
  ];
  const code = (name: string) => `https://verdict.bank.example/problems/${name}`;
  expect(types).toEqual(['unauthenticated', 'not-found', ...Array(3).fill('request-invalid')].map(code));
  const plain = await startTestService();
  expect((await plain.ask('GET', '/v1/nothing')).body['type']).toBe('/problems/not-found');
});
