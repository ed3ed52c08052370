/** Decisions over HTTP are those of the library, each made once for its reference. */

import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AuditLog } from '../../src/decision/decision.ts';
import { keyOfQuestion } from '../../src/service/handlers/decide.ts';
import { findRecord } from '../../src/service/handlers/records.ts';
import { openSqlite } from '../../src/stores/state/state-sqlite.ts';
import { quickRules } from '../support/service/rules.ts';
import { APPLICANT, sharedTestService, startTestService } from '../support/service/running.ts';

const POLICY = `policy: own
version: "1"
default: accept
facts:
  context.channel: { type: string }
  context.age: { type: integer }
stages: [[phoneNo], [phoneNo, email, ip]]
rules:
  - { id: minor, when: { context.age: { below: 18 } }, then: reject, reason: MINOR,
      notice: { en: You are too young., de: Du bist zu jung. } }
  - { id: shop, when: { context.channel: shop, phone.riskLevel: { atLeast: high } }, then: review, reason: SHOP,
      notice: { en: Please wait., de: Bitte warte. } }
  - { id: ported, when: { phone.porting.portedDate: { withinLast: 30 days } }, then: review, reason: PORTED }
  - { id: mail, when: { email.address.riskLevel: { atLeast: high } }, points: 40, reason: MAIL }
score: { review: 30 }
`;

/** The shipped rules, and a policy with notices. */
function withOwn(): string {
  const rules = mkdtempSync(join(tmpdir(), 'own-'));
  cpSync(quickRules(), rules, { recursive: true });
  writeFileSync(join(rules, 'own.yaml'), POLICY);
  return rules;
}

const POLICIES = '{ onboarding: onboarding.yaml, phone-only: phone-only.yaml, own: own.yaml }';

/** For tests that do not change it, and use references of their own. */
const shared = sharedTestService(() => ({ rules: withOwn(), policies: POLICIES }));

test('the same question under its reference gets the same decision, which is billed once', async () => {
  const { decide, sandbox } = await shared();
  const { verifies } = sandbox.counts;
  const first = await decide('Twice');
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({ outcome: 'review', reference: 'Twice' });
  expect(first.headers.get('verdict-repeated')).toBe(null);
  const second = await decide('Twice');
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('verdict-repeated')).toBe('true');
  expect(sandbox.counts.verifies).toBe(verifies + 1);
});

test('200 callers at once under one reference get one decision', async () => {
  const { decide, sandbox } = await shared();
  const { verifies } = sandbox.counts;
  const answers = await Promise.all(Array.from({ length: 200 }, () => decide('200 at once')));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(200);
  expect(sandbox.counts.verifies).toBe(verifies + 1);
});

test.each([
  ['another applicant', { applicant: { phoneNo: '+12025550101' } }],
  ['less of the applicant', { applicant: { phoneNo: APPLICANT.phoneNo } }],
  ['another policy', { policy: 'phone-only' }],
  ['other variables', { variables: { firstName: 'Dana' } }],
])('%s under a reference is refused, while it is decided and after', async (what, other) => {
  const { decide, sandbox } = await shared();
  const { verifies } = sandbox.counts;
  const [first, meanwhile] = await Promise.all([decide(what), decide(what, other)]);
  const later = await decide(what, other);
  expect([first.status, meanwhile.status, later.status]).toEqual([200, 422, 422]);
  expect(later.body['code']).toBe('REFERENCE_REUSED');
  expect(sandbox.counts.verifies).toBe(verifies + 1);
});

test.each([
  ['blanks in the phone number', { applicant: { ...APPLICANT, phoneNo: '+1 (202) 555-0102' } }],
  ['00 before the phone number', { applicant: { ...APPLICANT, phoneNo: '0012025550102' } }],
  ['capitals in the email', { applicant: { ...APPLICANT, email: 'D.Marsh@COPPER-KETTLE.example' } }],
  ['a blank behind the address', { applicant: { ...APPLICANT, ip: `${APPLICANT.ip} ` } }],
  ['null for an absent fact', { context: { channel: null } }],
  ['another order', { applicant: Object.fromEntries(Object.entries(APPLICANT).toReversed()) }],
])('the same applicant in another spelling is the same question: %s', async (what, other) => {
  const { decide, sandbox } = await shared();
  const first = await decide(what, { policy: 'own' });
  const { verifies } = sandbox.counts;
  const again = await decide(what, { policy: 'own', ...other });
  expect([again.status, again.body]).toEqual([200, first.body]);
  const differs = { email: 'd.marshal@juniper-lane.example' };
  expect((await decide(what, { policy: 'own', applicant: { ...APPLICANT, ...differs } })).status).toBe(422);
  expect(sandbox.counts.verifies).toBe(verifies);
});

test('an applicant with another address that the service does not take asks another question', async () => {
  const { decide } = await shared();
  const at = (ip: string) => decide('An address', { applicant: { ...APPLICANT, ip } });
  expect((await at('2001:db8::1')).status).toBe(200);
  expect((await at('2001:0DB8:0::1')).status).toBe(200);
  expect((await at('2001:db8::2')).status).toBe(422);
});

test('a rejected request frees its reference', async () => {
  const { decide } = await shared();
  expect((await decide('Rejected', { context: { chanel: 'web' } })).body['code']).toBe('REQUEST_INVALID');
  expect((await decide('Rejected')).status).toBe(200);
});

const hasty = sharedTestService(() => ({ limits: 'deadline: 1 second' }));

test.each([
  ['resets the connection', 'reset', 'unknown'],
  ['is slow', 'hang', 'unknown'],
  ['drips', 'drip', 'unknown'],
  ['answers with half a body', 'cut', 'unknown'],
  ['is under maintenance', 'html', 'unknown'],
] as const)('a vendor that %s is no error, and the decision stays what it was', async (_what, fault, result) => {
  const { decide, sandbox } = await hasty();
  // It signs in before: a deadline that ends within the sign-in is a call that was not carried out.
  await decide('Before');
  sandbox.setFault(fault);
  onTestFinished(() => sandbox.setFault(undefined));
  const decideIt = (more = {}) => decide(fault, more);
  const first = await decideIt();
  expect([first.status, first.body['outcome']]).toEqual([200, 'review']);
  expect(first.body['signals']).toMatchObject({ calls: [{ result }] });
  sandbox.setFault(undefined);
  expect((await decideIt()).body).toEqual(first.body);
  // Unless its caller accepts a second bill.
  const { verifies } = sandbox.counts;
  const again = await decideIt({ resend: true });
  expect(again.body).toMatchObject({ signals: { calls: [{ result: 'answered' }] } });
  expect(again.headers.get('verdict-repeated')).toBe(null);
  expect((await decideIt({ resend: true })).body).toEqual(again.body);
  expect(sandbox.counts.verifies).toBe(verifies + 1);
  expect((await decide(`After ${fault}`)).body['signals']).toMatchObject({ warnings: [] });
});

test('a decision whose every call was certainly not carried out is made again under its reference', async () => {
  const { decide, sandbox } = await startTestService();
  await decide('A-0');
  sandbox.setFault('status-403');
  const first = await decide('A-1');
  expect(first.body).toMatchObject({ outcome: 'review', signals: { calls: [{ result: 'failed' }] } });
  const second = await decide('A-1');
  expect(second.body['signals']).toEqual(first.body['signals']);
  expect(second.body['id']).not.toBe(first.body['id']);
  // Another applicant is another question still.
  expect((await decide('A-1', { applicant: { phoneNo: '+12025550101' } })).status).toBe(422);
  sandbox.setFault(undefined);
  const answers = await Promise.all(Array.from({ length: 20 }, () => decide('A-1')));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers[0]?.body).toMatchObject({ signals: { calls: [{ result: 'answered' }] } });
  expect((await decide('A-1')).body).toEqual(answers[0]?.body);
  expect(sandbox.counts.verifies).toBe(2);
});

test('a decision that could not be made again stays what it was, and is made again later', async () => {
  const { decide, sandbox, service } = await startTestService({ audit: true });
  await decide('A-0');
  sandbox.setFault('status-403');
  const first = await decide('A-1');
  sandbox.setFault(undefined);
  const check = vi.spyOn(service.audit as AuditLog, 'check').mockRejectedValue(new Error('full'));
  expect((await decide('A-1')).body).toMatchObject({ code: 'AUDIT_FAILED', carriedOut: 'no' });
  check.mockRestore();
  // The reference is still that of its applicant.
  expect((await decide('A-1', { applicant: { phoneNo: '+12025550101' } })).status).toBe(422);
  const again = await decide('A-1');
  expect(again.body).toMatchObject({ signals: { calls: [{ result: 'answered' }] } });
  await service.records?.follower.catchUp();
  expect((await findRecord(String(again.body['id']), service)).record).toMatchObject({ replaces: first.body['id'] });
});

test('a decision without a call stays what it was', async () => {
  const { decide } = await shared();
  const first = await decide('No call', { applicant: { email: APPLICANT.email } });
  expect(first.body).toMatchObject({ signals: { calls: [] } });
  expect((await decide('No call', { applicant: { email: APPLICANT.email } })).body).toEqual(first.body);
});

test('what was recorded before its process ended is made again too, if no call was carried out', async () => {
  const { decide, service, sandbox } = await startTestService({ audit: true });
  await decide('A-0');
  sandbox.setFault('status-403');
  const first = await decide('A-1');
  const question = keyOfQuestion({ policy: 'onboarding', applicant: APPLICANT }, service);
  const key = service.hash('app\0A-2');
  await service.references.claim({ key, question, decision: String(first.body['id']), resend: false });
  await service.references.doubt(key, String(first.body['id']));
  sandbox.setFault(undefined);
  expect((await decide('A-2')).body).toMatchObject({ signals: { calls: [{ result: 'answered' }] } });
});

test('who waits longer than the deadline for another process is told so, and asks again', async () => {
  const { decide, sandbox, service, folder } = await startTestService({ limits: 'deadline: 200 milliseconds' });
  const other = await openSqlite({ dir: join(folder, 'state'), rememberMs: 60_000 });
  const key = service.hash('app\0A-1');
  const question = keyOfQuestion({ policy: 'onboarding', applicant: APPLICANT }, service);
  const claim = { key, question, decision: '01a20b72-940b-7bd6-a428-80fa6fb625ec', resend: false };
  expect(await other.claim(claim)).toEqual({ state: 'granted' });
  // A resend as well: what runs is not in doubt.
  expect((await decide('A-1', { resend: true })).body['code']).toBe('REFERENCE_RUNNING');
  const running = await decide('A-1');
  expect([running.status, running.body['code'], running.headers.get('retry-after')]).toEqual([
    409,
    'REFERENCE_RUNNING',
    '1',
  ]);
  expect(sandbox.counts.verifies).toBe(0);
  await other.doubt(key, claim.decision);
  const doubtful = await decide('A-1');
  expect(doubtful.body).toMatchObject({
    status: 409,
    code: 'REFERENCE_IN_DOUBT',
    carriedOut: 'unknown',
    retryable: false,
  });
  expect((await decide('A-1', { resend: true })).status).toBe(200);
  expect((await decide('A-1', { resend: true })).headers.get('verdict-repeated')).toBe('true');
  await other.close();
});

test('what a process recorded before it ended is the answer, and nothing is sent', async () => {
  const { decide, service, sandbox } = await startTestService({ audit: true });
  const first = await decide('A-1');
  const id = String(first.body['id']);
  const question = keyOfQuestion({ policy: 'onboarding', applicant: APPLICANT }, service);
  const key = service.hash('app\0A-2');
  // A second reference, whose process ended between the record and the answer.
  await service.references.claim({ key, question, decision: id, resend: false });
  await service.references.doubt(key, id);
  // What is on record is not sent again, though the caller would accept a second bill.
  const found = await decide('A-2', { resend: true });
  expect(found.body).toEqual({ ...first.body, reference: 'A-2' });
  expect(found.headers.get('verdict-repeated')).toBe('true');
  expect(sandbox.counts.verifies).toBe(1);
});

test('each request of a batch has its own status', async () => {
  const { ask, sandbox } = await shared();
  const { verifies } = sandbox.counts;
  const one = { policy: 'onboarding', reference: 'Batch', applicant: APPLICANT };
  const requests = [
    one,
    one,
    { ...one, applicant: {} },
    { ...one, reference: 'Batch 2', policy: 'none' },
    { ...one, reference: 'Batch 3' },
  ];
  const { body } = await ask('POST', '/v1/decisions/batch', { requests });
  const results = body['results'] as { status: number; decision?: { id: string }; problem?: { code: string } }[];
  expect(results.map(({ status, problem }) => [status, problem?.code])).toEqual([
    [200, undefined],
    [200, undefined],
    [422, 'REFERENCE_REUSED'],
    [400, 'REQUEST_INVALID'],
    [200, undefined],
  ]);
  expect(results[1]?.decision).toEqual(results[0]?.decision);
  expect(sandbox.counts.verifies).toBe(verifies + 2);
});

test('a header of languages that makes no sense is English', async () => {
  const { decide } = await shared();
  const noticesIn = async (language: string) => {
    const headers = { 'accept-language': language };
    const { status, body } = await decide('Languages', { policy: 'own', context: { age: 12 } }, { headers });
    return [status, body['notices']];
  };
  const english = [200, [{ code: 'MINOR', text: 'You are too young.', language: 'en' }]];
  expect(await noticesIn('de')).toEqual([200, [{ code: 'MINOR', text: 'Du bist zu jung.', language: 'de' }]]);
  const rubbish = ['', '*', ';;q=,,', 'de;q=0, xx;q=x', 'de;q=-1', '../de', '__proto__', 'x'.repeat(8000)];
  for (const language of [...rubbish, `${'a,'.repeat(4000)}de`]) expect(await noticesIn(language)).toEqual(english);
});

test('without a log, the digest of a policy is hashed with a key: who has the rest of it cannot try names', async () => {
  const { ask, service } = await shared();
  const policies = (await ask('GET', '/v1/policies')).body['policies'] as { name: string }[];
  const own = service.policies.get('onboarding')?.watched.policy.digest ?? '';
  for (const policy of policies) expect(policy).toMatchObject({ digest: expect.stringMatching(/^keyed:/) });
  expect(policies.map(({ name }) => name)).toContain('onboarding');
  expect(JSON.stringify(policies)).not.toContain(own);
});
