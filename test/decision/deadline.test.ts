import { expect, it, onTestFinished, vi } from 'vitest';
import { createDecider } from '../../src/decision/decide.ts';
import { policyOf } from '../support/policy/policy.ts';
import { clientOf, serviceThat } from '../support/signals/service.ts';

const POLICY = `policy: test
version: "1"
default: accept
facts:
  context.limit: { type: number }
rules:
  - { id: high-limit, when: { context.limit: { above: 100 } }, then: reject }
  - { id: phone-risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }
`;

const STAGED = `policy: test
version: "1"
default: accept
stages: [[phoneNo], [phoneNo, email]]
rules:
  - { id: phone-risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }
  - { id: bad-email, when: { email.domain.riskLevel: { atLeast: high } }, then: reject }
`;

const applicant = { phoneNo: '+1 202 555 0101', email: 'nora.whitfield@mail.example' };
const LIMIT = { context: { limit: 50 } };
const hangs = () => new Promise<never>(() => {});
const warnings = (decision: { signals: { warnings: readonly { code: string }[] } }) =>
  decision.signals.warnings.map(({ code }) => code).filter((code) => code !== 'VARIABLE_NOT_GIVEN');

const lateCall = { stage: 1, asked: ['phoneNo', 'email'], result: 'unknown', error: 'TIMED_OUT' };

/** The test says when a deadline passes. */
function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

it.each(['live', 'matcher'] as const)('a context function that hangs leaves its fact missing (%s)', async (runner) => {
  const decider = createDecider({ policy: policyOf(POLICY), verify: { verify: async () => ({ body: {} }) }, runner });
  const decision = await decider.decide({}, { context: { limit: hangs }, deadlineMs: 5 });
  expect(decision.outcome).toBe('review');
  expect(decision.signals.missing).toMatchObject({ 'context.limit': 'sourceFailed' });
  expect(decision.signals.calls).toEqual([]);
  expect(warnings(decision)).toEqual(['NO_PHONE_NUMBER', 'DEADLINE_PASSED']);
});

it.each(['live', 'matcher'] as const)('a verifier that hangs leaves its facts missing (%s)', async (runner) => {
  const decider = createDecider({ policy: policyOf(POLICY), verify: { verify: hangs }, runner });
  const decision = await decider.decide(applicant, { ...LIMIT, deadlineMs: 5 });
  expect(decision.outcome).toBe('review');
  expect(decision.signals.missing).toEqual({ 'phone.riskLevel': 'sourceFailed' });
  expect(decision.signals.calls).toEqual([lateCall]);
  expect(warnings(decision)).toEqual(['NO_ANSWER', 'DEADLINE_PASSED']);
});

it('a call that a client has sent by the deadline may have been carried out', async () => {
  fakeTimers();
  const service = await serviceThat(() => vi.advanceTimersByTime(500));
  const decider = createDecider({ policy: policyOf(POLICY), verify: clientOf(service) });
  const decision = await decider.decide(applicant, { ...LIMIT, deadlineMs: 500 });
  expect(decision.outcome).toBe('review');
  expect(decision.signals.calls).toEqual([{ ...lateCall, attempts: 1 }]);
});

it('a call that a client has not sent by the deadline was certainly not carried out', async () => {
  const service = await serviceThat(() => {});
  const verify = clientOf(service, { maxConcurrent: 1 });
  const ending = new AbortController();
  const first = verify.verify({ ...applicant, clientReference: 'first' }, { signal: ending.signal });
  const decider = createDecider({ policy: policyOf(POLICY), verify });
  const decision = await decider.decide(applicant, { ...LIMIT, deadlineMs: 5 });
  expect(decision.signals.calls).toEqual([{ ...lateCall, result: 'failed', attempts: 0 }]);
  ending.abort();
  await expect(first).rejects.toMatchObject({ code: 'ABORTED' });
});

it('no call is sent after the deadline, and its facts are missing', async () => {
  let calls = 0;
  const verify = () => {
    calls++;
    return hangs();
  };
  const decider = createDecider({ policy: policyOf(STAGED), verify: { verify }, runner: 'matcher' });
  const decision = await decider.decide(applicant, { deadlineMs: 5 });
  expect(calls).toBe(1);
  expect(decision.signals.calls).toEqual([
    { ...lateCall, asked: ['phoneNo'] },
    { stage: 2, asked: ['phoneNo', 'email'], result: 'failed', error: 'TIMED_OUT', attempts: 0 },
  ]);
  expect(decision.signals.spared).toEqual([]);
  expect(decision.signals.missing).toEqual({
    'phone.riskLevel': 'sourceFailed',
    'email.domain.riskLevel': 'sourceFailed',
  });
});

it('the functions of the caller see the deadline as a signal', async () => {
  const seen: unknown[] = [];
  const untilAbort = (signal?: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => {
        seen.push(signal.aborted);
        reject(new Error('ended'));
      });
    });
  const verify = { verify: (_: unknown, options?: { readonly signal?: AbortSignal }) => untilAbort(options?.signal) };
  const decider = createDecider({ policy: policyOf(POLICY), verify, runner: 'matcher' });
  const decision = await decider.decide(applicant, { context: { limit: untilAbort }, deadlineMs: 5 });
  expect(seen).toEqual([true, true]);
  expect(decision.signals.missing).toEqual({ 'context.limit': 'sourceFailed', 'phone.riskLevel': 'sourceFailed' });
});

it('the deadline follows that of the client by default', async () => {
  const decider = createDecider({ policy: policyOf(POLICY), verify: { timeoutMs: 1, verify: hangs } });
  fakeTimers();
  let isDecided = false;
  const decision = decider.decide(applicant, LIMIT).finally(() => {
    isDecided = true;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isDecided).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect((await decision).signals.calls).toEqual([lateCall]);
});

it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '100', null])(
  'a deadline of %j is refused before anything is sent',
  async (deadlineMs) => {
    const decider = createDecider({ policy: policyOf(POLICY), verify: { verify: hangs } });
    const given = { deadlineMs } as { deadlineMs: number };
    await expect(decider.decide(applicant, given)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      carriedOut: 'no',
      message: expect.stringContaining('deadlineMs has to be'),
    });
  },
);

it('a record that takes longer than the deadline is awaited', async () => {
  const { promise: durable, resolve } = Promise.withResolvers<void>();
  const record = () => {
    setTimeout(resolve, 20);
    return durable;
  };
  const audit = { mode: 'required', check: async () => {}, record } as const;
  const decider = createDecider({ policy: policyOf(POLICY), verify: { verify: hangs }, audit });
  const decision = await decider.decide(applicant, { ...LIMIT, deadlineMs: 5 });
  await durable;
  expect(decision.outcome).toBe('review');
});

it.each([
  ['the decider', { deadlineMs: 800 }, {}, 'CIRCUIT_OPEN'],
  ['a decision in a hurry', { deadlineMs: 900 }, { deadlineMs: 800 }, 'TIMED_OUT'],
])('a call that %s ends after most of its time opens the circuit, or not', async (_who, own, hurry, error) => {
  const verify = clientOf(await serviceThat(() => {}), { timeoutMs: 1000, breakerFailures: 3, breakerPauseMs: 60_000 });
  const decider = createDecider({ policy: policyOf(POLICY), verify, ...own });
  const options = { ...LIMIT, ...hurry };
  await Promise.all(Array.from({ length: 3 }, () => decider.decide(applicant, options)));
  expect((await decider.decide(applicant, options)).signals.calls[0]).toMatchObject({ error });
});

it('a call that its decider ends before it had half of its time does not open the circuit', async () => {
  const verify = clientOf(await serviceThat(() => {}), { timeoutMs: 60_000, breakerFailures: 3 });
  const decider = createDecider({ policy: policyOf(POLICY), verify, deadlineMs: 50 });
  await Promise.all(Array.from({ length: 3 }, () => decider.decide(applicant, LIMIT)));
  expect((await decider.decide(applicant, LIMIT)).signals.calls[0]).toMatchObject({ error: 'TIMED_OUT' });
});
