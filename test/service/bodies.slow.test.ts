/** Bodies have bounds before a schema looks at them, and an answer has few of their errors. */

import { expect, test } from 'vitest';
import { kibOf } from '../../src/service/route.ts';
import { ROUTES } from '../../src/service/routes.ts';
import { readDocument } from '../support/service/document.ts';
import { sharedTestService } from '../support/service/running.ts';

const shared = sharedTestService();

const WITH_BODY = ROUTES.filter(({ body }) => body !== undefined);
const ALL = ['decide', 'read', 'review', 'edit', 'approve', 'audit'] as const;

const names = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`name${i}`, value]));

test.each(WITH_BODY.map((route) => [route.path, route] as const))(
  '%s takes no body above its size, which the document says, whether it is announced or not',
  async (path, route) => {
    const { ask, url, key } = await shared();
    const own = await key(ALL);
    const kib = kibOf(route);
    const at = path.replace(/\{\w+\}/, 'x');
    const body = (bytes: number) => `{"policy":"${'x'.repeat(bytes - 13)}"}`;
    expect((await ask('POST', at, body(kib * 1024), { key: own })).status).not.toBe(413);
    const announced = await ask('POST', at, body(kib * 1024 + 1), { key: own });
    expect([announced.status, announced.body['detail']]).toEqual([413, `expected at most ${kib} KiB`]);
    const chunks = new Blob([body(kib * 1024 + 1)]).stream();
    const headers = { authorization: `Bearer ${own}`, 'content-type': 'application/json' };
    const unannounced = { method: 'POST', headers, body: chunks, duplex: 'half' as const };
    expect((await fetch(url + at, unannounced)).status).toBe(413);
    const { requestBody } = (
      readDocument().paths[path] as unknown as { post: { requestBody: { description: string } } }
    ).post;
    expect(requestBody.description).toContain(`At most ${kib} KiB.`);
  },
);

test('a decision, and whatever else is about one applicant, has 64 KiB', () => {
  expect(
    Object.fromEntries(WITH_BODY.filter((route) => kibOf(route) !== 64).map((each) => [each.path, kibOf(each)])),
  ).toMatchInlineSnapshot(`
      {
        "/v1/decisions/batch": 512,
        "/v1/evaluations": 1024,
        "/v1/labels": 512,
      }
    `);
});

const TOO_MANY_NAMES = 'the body has more than 200 names in an object';
const valid = { policy: 'onboarding', reference: 'A-1', applicant: {} };
const DECISIONS = '/v1/decisions';
const EVALUATIONS = '/v1/evaluations';

test.each<[what: string, path: string, body: object, detail?: string]>([
  ['the body', DECISIONS, { ...valid, ...names(200) }],
  ['the applicant', '/v1/checks/applicant', { applicant: names(201) }],
  ['the context', DECISIONS, { ...valid, context: names(201) }],
  ['variables', DECISIONS, { ...valid, variables: names(201, 'x') }],
  ['one of a batch', `${DECISIONS}/batch`, { requests: [valid, { ...valid, context: names(201) }] }],
  ['facts', EVALUATIONS, { policy: 'onboarding', applicants: [{ facts: names(201) }] }],
  ['causes', EVALUATIONS, { policy: 'onboarding', applicants: [{ facts: {}, missing: names(201) }] }],
  ['facts to explain', '/v1/explanations', { policy: 'onboarding', facts: names(201) }],
  ['what a fact contains', DECISIONS, { ...valid, context: { a: [names(201)] } }],
  [
    'a list',
    EVALUATIONS,
    { policy: 'onboarding', applicants: Array.from({ length: 1001 }, () => 1) },
    'the body has more than 1000 items in a list',
  ],
])('too many names in %s are refused before any is looked at', async (_what, path, body, detail = TOO_MANY_NAMES) => {
  const { ask, sandbox } = await shared();
  const before = sandbox.counts.verifies;
  const answer = await ask('POST', path, body);
  expect([answer.status, answer.body['detail'], answer.body['errors']]).toEqual([400, detail, undefined]);
  // Before it is known whether it is JSON.
  const broken = `${JSON.stringify(body)}!`;
  expect((await ask('POST', path, broken)).body['detail']).toBe(detail);
  expect(sandbox.counts.verifies).toBe(before);
});

test('an answer has twenty errors at most, of unknown keys and of wrong values alike', async () => {
  const { ask, key } = await shared();
  const own = await key(ALL);
  for (const [path, body] of [
    [DECISIONS, { ...valid, ...names(190) }],
    ['/v1/checks/applicant', { applicant: names(200) }],
    ['/v1/labels', { labels: Array.from({ length: 1000 }, () => ({ label: 1, at: 1 })) }],
    ['/v1/labels', { labels: Array.from({ length: 1000 }, () => names(10)) }],
    [EVALUATIONS, { policy: 'onboarding', applicants: Array.from({ length: 1000 }, () => 1) }],
    [`${DECISIONS}/batch`, { requests: Array.from({ length: 100 }, () => names(50)) }],
  ] as const) {
    const { status, body: problem } = await ask('POST', path, body, { key: own });
    expect([status, (problem['errors'] as unknown[]).length]).toEqual([400, 20]);
  }
});

test('lines have the same bounds, and the lines after one that breaks them are read', async () => {
  const { ask } = await shared();
  const lines = [
    { facts: names(201) },
    { facts: {}, missing: names(201) },
    { facts: {}, ...names(200) },
    { facts: { 'ip.isp': 'x'.repeat(65_536) } },
    { facts: { 'phone.type': 'mobile' }, clientReference: 'L-1' },
  ];
  const headers = { 'content-type': 'application/x-ndjson' };
  const sent = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const { text } = await ask('POST', `${EVALUATIONS}?policy=onboarding`, sent, { headers });
  const answers = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ problem, outcome }) => problem ?? outcome)).toEqual([
    ...Array.from({ length: 3 }, () => 'the text has more than 200 names in an object; a line is one JSON object'),
    'longer than 64 KiB',
    'review',
  ]);
  expect(answers.at(-1)).toMatchObject({ line: 5, clientReference: 'L-1' });
  // Without the policy.
  expect((await ask('POST', EVALUATIONS, sent, { headers })).status).toBe(400);
});

test('a text has 10,000 characters at most', async () => {
  const { ask } = await shared();
  const applicants = [{ facts: { 'ip.isp': 'x'.repeat(10_000) } }, { facts: { 'ip.isp': 'x'.repeat(10_001) } }];
  expect((await ask('POST', EVALUATIONS, { policy: 'onboarding', applicants: applicants.slice(0, 1) })).status).toBe(
    200,
  );
  const errors = [{ pointer: '/applicants/1/facts/ip.isp', detail: 'expected at most 10000 characters' }];
  expect((await ask('POST', EVALUATIONS, { policy: 'onboarding', applicants })).body).toMatchObject({ errors });
});

test('two hundred names are not too many', async () => {
  const { ask } = await shared();
  const answer = await ask('POST', DECISIONS, { ...valid, context: names(200) });
  expect(answer.body['detail']).toContain('context');
});

test.each(WITH_BODY.map((route) => [route.path, route] as const))(
  '%s takes no control character in any text, and in no name',
  async (path, { body }) => {
    const { ask, key, sandbox } = await shared();
    const own = await key(ALL);
    const at = path.replace(/\{\w+\}/, 'x');
    const [example = {}] = (body?.meta()?.['examples'] ?? []) as readonly object[];
    for (const character of ['\u0000', '\u0007', '\u001b', '\u007f', '\u0085', '\u009b']) {
      for (const [broken, pointer] of brokenBy(character, example)) {
        const { body: problem } = await ask('POST', at, broken, { key: own });
        expect(problem).toMatchObject({
          status: 400,
          errors: [{ pointer, detail: expect.stringContaining('control') }],
        });
      }
      const { body: problem } = await ask('POST', at, { ...example, [`a${character}`]: 1 }, { key: own });
      expect(problem).toMatchObject({ errors: [{ pointer: '', detail: 'a name has control characters' }] });
    }
    expect(sandbox.counts.verifies).toBe(0);
  },
);

/** Copies of a value in which one text has a character, each with the place of it. */
function brokenBy(character: string, value: unknown): readonly (readonly [broken: unknown, pointer: string])[] {
  if (typeof value === 'string') return [[value + character, '']];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    brokenBy(character, each).map(([broken, pointer]) => {
      const copy = Array.isArray(value) ? value.with(Number(name), broken) : { ...value, [name]: broken };
      return [copy, `/${name}${pointer}`] as const;
    }),
  );
}

test('no control character is in a path, a query or a line; tabs and line ends are in texts', async () => {
  const { ask } = await shared();
  expect((await ask('GET', '/v1/policies/a%00')).body).toMatchObject({ code: 'REQUEST_INVALID' });
  expect((await ask('GET', '/v1/decisions?code=a%1b')).body).toMatchObject({ errors: [{ pointer: '/code' }] });
  const lines = ['{"facts":{"ip.isp":"a\\u0000"}}', '{"facts":{"ip.isp":"a\\tb\\r\\nc"}}'].join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  const { text } = await ask('POST', `${EVALUATIONS}?policy=onboarding`, lines, { headers });
  const [first, second] = text.split('\n').map((line) => (line === '' ? {} : JSON.parse(line)));
  expect([first.problem, second.outcome]).toEqual(['has control characters', 'review']);
});
