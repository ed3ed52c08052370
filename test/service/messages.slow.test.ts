/** A refused request is told where it is wrong and what was expected, in the words of the API. */

import { expect, test } from 'vitest';
import { sharedTestService } from '../support/service/running.ts';

const DECISIONS = '/v1/decisions';

const shared = sharedTestService();

const asked = (more: object) => ({ policy: 'onboarding', reference: 'A-1', applicant: {}, ...more });

test.each([
  [
    'a text that is too long',
    { applicant: { email: 'x'.repeat(321) } },
    '/applicant/email',
    'expected at most 320 characters',
  ],
  ['an empty text', { policy: '' }, '/policy', 'expected at least 1 character'],
  ['a number that is too large', { deadlineMs: 600_001 }, '/deadlineMs', 'expected at most 600000'],
  ['a number that is no integer', { deadlineMs: 1.5 }, '/deadlineMs', 'found number, expected integer'],
  [
    'an unknown field',
    { applicant: { phoneNumber: '' } },
    '/applicant',
    'unknown key "phoneNumber"; expected phoneNo, email, ip',
  ],
  [
    'the name that the library has',
    { clientReference: 'A' },
    '',
    'unknown key "clientReference"; expected policy, reference, applicant, context, variables, deadlineMs, resend',
  ],
  [
    'a field whose name may be personal',
    { applicant: { 'e-mail': '' } },
    '/applicant',
    'there is an unknown key; expected phoneNo, email, ip',
  ],
  ['a reference of spaces', { reference: ' ' }, '/reference', 'is empty'],
  ['a reference with a line feed', { reference: 'A\r\nX-B: 1' }, '/reference', 'has control characters'],
])('%s: its place, and what was expected', async (_what, more, pointer, detail) => {
  const { ask } = await shared();
  const { status, body } = await ask('POST', DECISIONS, asked(more));
  expect([status, body['errors']]).toEqual([400, [{ pointer, detail }]]);
});

test('a list that is empty, and a word that is none of those expected', async () => {
  const { ask } = await shared();
  const batch = await ask('POST', '/v1/decisions/batch', { requests: [] });
  expect(batch.body['errors']).toEqual([{ pointer: '/requests', detail: 'expected at least 1 item' }]);
  const explained = await ask('POST', '/v1/explanations', { policy: 'onboarding', facts: {}, to: 'acept' });
  expect(explained.body['errors']).toEqual([{ pointer: '/to', detail: 'expected one of accept, review, reject' }]);
});

test.each([
  ['a path that is almost one', 'GET', '/v1/policy', 404, 'did you mean "/v1/policies"?'],
  ['the root', 'GET', '/', 404, '`/reference` lists the paths'],
  ['another method', 'GET', '/v1/checks/applicant', 405, 'expected POST'],
  [
    'a policy that is almost one',
    'GET',
    '/v1/policies/onbording',
    404,
    'no policy has that name; did you mean "onboarding"?',
  ],
])('%s: what there is instead', async (_what, method, path, status, detail) => {
  const { ask } = await shared();
  const answer = await ask(method, path);
  expect([answer.status, answer.body['detail']]).toEqual([status, detail]);
});

test('a key in the wrong place, a wrong key and one without the role are told apart', async () => {
  const { ask, key } = await shared();
  const detailOf = async (path: string, used: string) =>
    (await ask('GET', path, undefined, { key: used })).body['detail'];
  const decider = await key(['decide']);
  expect([
    await detailOf(`/v1/policies?key=${decider}`, ''),
    await detailOf('/v1/policies', ''),
    await detailOf('/v1/policies', `vk_00000000_${'A'.repeat(43)}`),
    await detailOf('/v1/policies', decider),
  ]).toEqual([
    'no query is expected; a key goes into the header Authorization',
    'send the header Authorization: Bearer vk_…',
    'this key is mistyped, removed or over',
    'the role read is needed',
  ]);
});
