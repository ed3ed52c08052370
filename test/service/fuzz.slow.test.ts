/** Random requests to each route: no failure of the service, only what the document says, and no canary anywhere. */

import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ROLES } from '../../src/service/auth/roles.ts';
import { ROUTES } from '../../src/service/routes.ts';
import { sampled } from '../support/sampled.ts';
import { startTestService } from '../support/service/running.ts';

/** In every value that a request may have; an answer may have the caller's own reference, and nothing else of it. */
const CANARY = 'canary-7f3a';

const applicant = { phoneNo: '+12025550102', email: `${CANARY}@copper-kettle.example`, ip: '203.0.113.12' };
const facts = { 'phone.riskLevel': 'low', 'email.address.riskLevel': CANARY };
const decision = { policy: 'onboarding', reference: 'R-1', applicant, deadlineMs: 1000, resend: false };

const BODIES: Readonly<Record<string, object>> = {
  '/v1/decisions': decision,
  '/v1/decisions/batch': { requests: [decision, { ...decision, reference: 'R-2' }] },
  '/v1/checks/applicant': { applicant },
  '/v1/evaluations': {
    policy: 'onboarding',
    applicants: [{ facts, missing: { 'ip.country': 'notReturned' }, at: '2026-11-20' }],
  },
  '/v1/decisions/search': { reference: 'R-1', subject: applicant.email, limit: 5, count: true },
  '/v1/decisions/{id}/notes': { disposition: 'fraud', why: CANARY },
  '/v1/decisions/{id}/reveal': { why: CANARY },
  '/v1/labels': { labels: [{ reference: 'R-1', label: 'fraud', at: '2026-12-01' }] },
  '/v1/cases': { decision: '01a1f8d4-f5e8-7000-8000-000000000000', kind: 'challenge', why: CANARY },
  '/v1/cases/take': {},
  '/v1/cases/{id}/renew': { token: 1 },
  '/v1/cases/{id}/release': { token: 1, skip: true },
  '/v1/cases/{id}/reassign': { to: CANARY, why: CANARY },
  '/v1/cases/{id}/resolve': { token: 1, disposition: 'approve', why: CANARY },
  '/v1/explanations': { policy: 'onboarding', facts, to: 'accept' },
};

const aValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    null,
    true,
    0,
    -1,
    1e308,
    '',
    CANARY,
    [],
    {},
    [CANARY],
    { [CANARY]: CANARY },
    '\u0000',
    'x'.repeat(400),
    '9'.repeat(30),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** A place of a body, and what is there instead; undefined takes it away. */
const aChange = fc.record({
  at: fc.nat(),
  name: fc.constantFrom(CANARY, '__proto__', 'x', 'policy'),
  value: fc.option(aValue),
});

type Change = typeof aChange extends fc.Arbitrary<infer Value> ? Value : never;

function changed(body: unknown, { at, name, value }: Change): unknown {
  if (typeof body !== 'object' || body === null) return value;
  const keys = Object.keys(body);
  const key = keys[at % (keys.length + 1)];
  if (key === undefined) return Array.isArray(body) ? [...body, value] : { ...body, [name]: value };
  const inner = (body as Record<string, unknown>)[key];
  const next =
    at % 3 === 0 || typeof inner !== 'object' ? value : changed(inner, { at: Math.floor(at / 3), name, value });
  if (Array.isArray(body)) return body.with(Number(key), next);
  return { ...body, [key]: next ?? undefined };
}

const aRequest = fc.record({
  route: fc.constantFrom(...ROUTES),
  changes: fc.array(aChange, { maxLength: 3 }),
  text: fc.constantFrom('as it is', 'cut', 'doubled', 'lines', 'spaced'),
  type: fc.constantFrom(
    'application/json',
    'application/json; charset=utf-8',
    'application/x-ndjson',
    'text/plain',
    '',
  ),
  key: fc.constantFrom('all', 'all', 'all', 'read', 'none', CANARY),
  method: fc.constantFrom(undefined, undefined, undefined, 'GET', 'POST', 'PUT', 'DELETE'),
  query: fc.constantFrom(
    '',
    '',
    '?policy=onboarding',
    `?policy=${CANARY}`,
    `?${CANARY}=1`,
    '?a=1&a=2',
    '?%',
    '?limit=5',
    '?wait=0',
    '?after=x',
  ),
  name: fc.constantFrom('onboarding', CANARY, '%2e%2e', 'request-invalid', '01a1f8d4-f5e8-7000-8000-000000000000'),
  language: fc.constantFrom('en', 'de-AT;q=0.5, fr', CANARY, '*', 'x'.repeat(2000), ';;q=,,'),
});

test('each request gets an answer of the document, which repeats nothing', async () => {
  const { ask, key, lines, adminUrl } = await startTestService({ audit: true, limits: 'deadline: 2 seconds' });
  const keys = {
    all: await key([...ROLES], 'all'),
    read: await key(['read'], 'read'),
    none: '',
    [CANARY]: CANARY,
  };
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(aRequest, async ({ route, changes, text, type, key: named, method, query, name, language }) => {
      const how = method ?? route.method;
      const body = changes.reduce<unknown>(changed, BODIES[route.path]);
      const json = JSON.stringify(body) ?? '';
      const sent = {
        'as it is': json,
        cut: json.slice(0, -1),
        doubled: json.replace('{', '{"policy":1,'),
        lines: `${json}\n${json}\n`,
        spaced: `\n ${json} `,
      }[text];
      const path = `${route.path.replace(/\{\w+\}/, name)}${query}`;
      const headers = {
        'accept-language': language,
        ...(how === 'GET' || type === '' ? {} : { 'content-type': type }),
      };
      const answer = await ask(how, path, how === 'GET' ? undefined : sent, { key: keys[named], headers });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expect(answer.status).toBeLessThan(500);
      const { reference: _, ...rest } = answer.body;
      const shown = JSON.stringify(
        answer.status === 200 && route.path.endsWith('batch') ? [] : [rest, [...answer.headers]],
      );
      // The pointer of a problem names the caller's own keys, and an explanation is about the caller's own facts.
      if (answer.status !== 400 && !/explanations|evaluations/.test(path)) expect(shown).not.toContain(CANARY);
    }),
    { numRuns: sampled(84, 20_000) },
  );
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  expect(inspect([lines, metrics], { depth: 9, maxArrayLength: null })).not.toContain(CANARY);
  for (const status of [200, 400, 401, 403, 405, 415]) expect(statuses.get(status), String(status)).toBeGreaterThan(0);
});
