/** The Fastify service of the documentation does what its page says. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { buildService } from '../../docs/examples/fastify/service.ts';
import { initAuditLog } from '../../src/audit/init.ts';
import { verifyLog } from '../../src/audit/verify/verify.ts';
import { createDecider } from '../../src/decision/decide.ts';
import type { AuditLog } from '../../src/decision/decision.ts';
import { VerdictError } from '../../src/errors.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { ROOT } from '../support/docs/docs.ts';
import { clientOf, environmentOf, sandboxFor, serviceThat } from '../support/signals/service.ts';

const PERSON = { phoneNo: '+12025550102', email: 'd.marsh@copper-kettle.example', ip: '203.0.113.12' };

const policy = loadPolicy(join(ROOT, 'rules/onboarding.yaml'));

/** The service before a sandbox, what it logs, and how to post an application. */
async function serviceOf(audit?: AuditLog, check = async () => {}) {
  const sandbox = await sandboxFor();
  const lines: string[] = [];
  const decider = createDecider({ policy, verify: clientOf(sandbox), ...(audit ? { audit } : {}) });
  const app = buildService({ decider, check: () => check(), log: { write: (line) => void lines.push(line) } });
  onTestFinished(() => app.close());
  const post = async (payload: object | string) => {
    const headers = { 'content-type': 'application/json' };
    const response = await app.inject({ method: 'POST', url: '/applications', headers, payload });
    return { status: response.statusCode, body: response.json() };
  };
  const get = async (url: string) => {
    const response = await app.inject({ url });
    return { status: response.statusCode, body: response.json() };
  };
  return { sandbox, post, get, lines };
}

test('an application is decided, and its log has nothing personal', async () => {
  const { post, lines } = await serviceOf();
  const { status, body } = await post({ reference: 'A-1', ...PERSON });
  expect({ status, ...body }).toMatchObject({ status: 200, outcome: 'review' });
  expect(body.reasons).toContain('PORTED_AND_RISKY_EMAIL');
  expect(lines.join()).toContain('PORTED_AND_RISKY_EMAIL');
  expect(lines.join()).toContain('"reference":"A-1"');
  expect(lines.join()).not.toMatch(/2025550102|d\.marsh|203\.0\.113|127\.0\.0\.1/);
});

test('a review because of an outage says what was not known, and why', async () => {
  const { sandbox, post } = await serviceOf();
  const { status, body } = await post({ reference: 'A-6', ...PERSON, phoneNo: '+12025550101', email: undefined });
  expect({ status, ...body }).toMatchObject({ status: 200, outcome: 'review', reasons: [] });
  expect(body.warnings).toEqual(['VARIABLE_NOT_GIVEN']);
  expect(body.undetermined.length).toBeGreaterThan(0);
  await sandbox.close();
  expect((await post({ reference: 'A-7', ...PERSON })).body.warnings).toEqual(['NO_ANSWER']);
});

test('it lives, and is ready while its decisions can be recorded', async () => {
  const failing = new VerdictError('AUDIT_FAILED', 'the disk is full');
  const good = await serviceOf();
  expect(await good.get('/ready')).toEqual({ status: 200, body: { ok: true } });
  const bad = await serviceOf(undefined, () => Promise.reject(failing));
  expect(await bad.get('/health')).toEqual({ status: 200, body: { ok: true } });
  expect(await bad.get('/ready')).toEqual({ status: 503, body: { error: 'AUDIT_FAILED' } });
});

test.each([
  ['an email without @', { reference: 'A-2', ...PERSON, email: 'd.marsh' }],
  ['a number for a phone number', { reference: 'A-2', ...PERSON, phoneNo: 12025550102 }],
  ['no phone number', { reference: 'A-2', email: PERSON.email }],
  ['a field that nobody reads', { reference: 'A-2', ...PERSON, iban: 'x' }],
  ['half a body', '{"phoneNo":"+12025550102"'],
])('%s is refused before a call is paid for, and not repeated', async (_what, payload) => {
  const { sandbox, post, lines } = await serviceOf();
  const { status, body } = await post(payload);
  expect(status).toBe(400);
  expect(sandbox.counts).toMatchObject({ signIns: 0, verifies: 0 });
  expect(JSON.stringify(body) + lines.join()).not.toMatch(/2025550102|d\.marsh/);
});

test('another applicant under a reference in use gets 409, and the same one the same decision', async () => {
  const { sandbox, post } = await serviceOf();
  const application = { reference: 'A-3', ...PERSON };
  const other = { ...application, phoneNo: '+12025550101' };
  const answers = await Promise.all([post(application), post(application), post(other)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 409]);
  expect(answers[2]?.body).toEqual({ error: 'REFERENCE_IN_USE' });
  expect(answers[0]?.body).toEqual(answers[1]?.body);
  expect(sandbox.counts.verifies).toBe(1);
});

test('a decision that cannot be recorded is 503, and its cause is not told', async () => {
  const record = () => Promise.reject(new Error('d.marsh is no row'));
  const { post, lines } = await serviceOf({ mode: 'required', check: async () => {}, record });
  expect(await post({ reference: 'A-4', ...PERSON })).toEqual({ status: 503, body: { error: 'AUDIT_FAILED' } });
  expect(lines.join()).not.toContain('d.marsh');
});

test('an error of other code is 500, and neither told nor logged', async () => {
  const lines: string[] = [];
  const decide = () => Promise.reject(new Error('no d.marsh here'));
  const app = buildService({
    decider: { decide },
    check: async () => {},
    log: { write: (line) => void lines.push(line) },
  });
  onTestFinished(() => app.close());
  const response = await app.inject({ method: 'POST', url: '/applications', payload: { reference: 'A-5', ...PERSON } });
  expect([response.statusCode, response.json()]).toEqual([500, { error: 'internal error' }]);
  expect(lines.join()).not.toContain('d.marsh');
});

test('on SIGTERM it answers and records the request in flight, and ends in good order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-fastify-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(ROOT, 'rules'), join(folder, 'rules'));
  const place = { dir: join(folder, 'audit'), keys: join(folder, 'audit-keys') };
  await initAuditLog(place);

  const asked = Promise.withResolvers<() => void>();
  const service = await serviceThat((_request, response) => asked.resolve(() => response.end('{}')));
  const main = join(ROOT, 'docs/examples/fastify/main.ts');
  const env = { ...process.env, ...environmentOf(service), PORT: '0' };
  const child = spawn('node', [main], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let url = '';
  for await (const line of createInterface(child.stdout)) {
    url = /http:[^"]+/.exec(line)?.[0] ?? '';
    if (url !== '') break;
  }
  child.stdout.resume();

  const body = JSON.stringify({ reference: 'A-5', ...PERSON });
  const answer = fetch(`${url}/applications`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const release = await asked.promise;
  child.kill('SIGTERM');
  // It listens until it has read the signal.
  while (
    await fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  );
  release();
  expect(await (await answer).json()).toMatchObject({ outcome: 'review' });
  expect(await ended).toEqual([0, null]);
  const { findings, chains } = await verifyLog(place);
  expect(findings).toEqual([]);
  expect(chains).toMatchObject([{ decisions: 1 }]);
});
