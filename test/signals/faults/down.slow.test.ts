import { describe, expect, it } from 'vitest';
import { createDecider, type Decider } from '../../../src/decision/decide.ts';
import { VerdictError } from '../../../src/errors.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { policyOf } from '../../support/policy/policy.ts';
import type { Call, ChaosOptions, Fault } from '../../support/signals/chaos-proxy.ts';
import { applicantOf, decideBy, naiveOf, ONBOARDING, requestOf, settle } from '../../support/signals/clients.ts';
import * as faults from '../../support/signals/faults.ts';
import { naiveEmailScore } from '../../support/signals/naive.ts';
import { chaosFor, clientOf } from '../../support/signals/setting.ts';

const DOWN: readonly (readonly [string, Omit<ChaosOptions, 'target'>])[] = [
  ['resets every connection', { connections: () => 'reset' }],
  ['fails every sign-in', striking('sign-in', faults.statusAfter(500))],
  ['fails every verify', striking('verify', faults.status(502))],
  ['does not answer', striking('verify', faults.silence)],
];

function striking(endpoint: Call['endpoint'], fault: Fault): Omit<ChaosOptions, 'target'> {
  return { faults: (call) => (call.endpoint === endpoint ? fault : undefined) };
}

describe.each(DOWN)('a service that %s', (_, options) => {
  it('is not called once the circuit is open: applicants go to review, and no connection is tried', async () => {
    const { chaos } = await chaosFor(options);
    const client = clientOf(chaos, { breakerFailures: 4, maxAttempts: 1, timeoutMs: 250, breakerPauseMs: 600_000 });
    const policy = loadPolicy(ONBOARDING);
    const decider: Decider = createDecider({ policy, verify: client });
    const decide = () => decider.decide(applicantOf('clean'));
    for (let decision = 0; decision < 4; decision++) expect((await decide()).outcome).toBe('review');

    const before = { connections: chaos.connections, calls: chaos.calls.length };
    const decisions = await Promise.all(Array.from({ length: 100 }, decide));
    expect({ connections: chaos.connections, calls: chaos.calls.length }).toEqual(before);
    expect(new Set(decisions.map(({ outcome }) => outcome))).toEqual(new Set(['review']));
    for (const { signals } of decisions) {
      expect(signals.calls).toMatchObject([{ result: 'failed', error: 'CIRCUIT_OPEN' }]);
    }
  });

  it('is called by every call of a naive client', async () => {
    const { chaos } = await chaosFor(options);
    const decider: Decider = createDecider({ policy: loadPolicy(ONBOARDING), verify: naiveOf(chaos, 250) });
    const decide = () => decider.decide(applicantOf('clean'));
    for (let decision = 0; decision < 4; decision++) await decide();
    const before = chaos.connections + chaos.calls.length;
    await Promise.all(Array.from({ length: 10 }, decide));
    expect(chaos.connections + chaos.calls.length).toBeGreaterThanOrEqual(before + 10);
  });
});

it('while the circuit is open, applicants that need no service are still decided', async () => {
  const { chaos } = await chaosFor({ connections: () => 'reset' });
  const client = clientOf(chaos, { breakerFailures: 1, maxAttempts: 1, breakerPauseMs: 600_000 });
  const policy = policyOf(`
policy: test
version: "1"
default: accept
facts:
  context.isStaff: { type: boolean }
rules:
  - { id: staff, when: { context.isStaff: true }, then: accept, final: true }
  - { id: blocked, when: { applicant.emailDomain: blocked.example }, then: reject }
  - { id: risky, when: { phone.riskLevel: { atLeast: high } }, then: review }
`);
  const decider: Decider = createDecider({ policy, verify: client });
  const outcomeOf = async (email: string, isStaff: boolean) =>
    (await decider.decide({ phoneNo: '+12025550101', email }, { context: { isStaff } })).outcome;
  expect(await outcomeOf('a@usual.example', false)).toBe('review');
  const before = chaos.connections;
  expect(await outcomeOf('a@usual.example', false)).toBe('review');
  expect(await outcomeOf('a@blocked.example', false)).toBe('reject');
  expect(await outcomeOf('a@usual.example', true)).toBe('accept');
  expect(chaos.connections).toBe(before);
});

it('one call finds out that a service is back', async () => {
  const { promise: isBack, resolve: comeBack } = Promise.withResolvers<void>();
  let isDown = true;
  const { chaos } = await chaosFor({
    faults: ({ endpoint }) => {
      if (endpoint === 'sign-in') return undefined;
      return isDown ? faults.status(500) : faults.heldUntil(isBack);
    },
  });
  const client = clientOf(chaos, { breakerFailures: 2, maxAttempts: 1, breakerPauseMs: 20 });
  for (let call = 0; call < 2; call++) await decideBy(client, 'down');
  isDown = false;
  // Until the pause is over every call ends at once; then one call is sent, and concurrent calls are not.
  const trial = async (): Promise<unknown> => {
    for (;;) {
      const { value, error } = await settle(client.verify(requestOf('trial')));
      if (value !== undefined) return value;
      if (!(error instanceof VerdictError) || error.code !== 'CIRCUIT_OPEN') throw error;
    }
  };
  const answered = trial();
  while (!chaos.receipts.has('trial')) await new Promise(setImmediate);
  const { outcome, signals } = await decideBy(client, 'beside');
  expect({ outcome, error: signals.calls[0]?.error }).toEqual({ outcome: 'review', error: 'CIRCUIT_OPEN' });
  comeBack();
  await answered;
  expect((await decideBy(client, 'after')).outcome).toBe('accept');
  expect(chaos.receipts).toEqual(
    new Map([
      ['down', 2],
      ['trial', 1],
      ['after', 1],
    ]),
  );
});

describe('a source that failed inside an answer', () => {
  it('leaves only its own facts missing, and the others decide', async () => {
    const { chaos } = await chaosFor();
    const client = clientOf(chaos);
    const decide = (policy: ReturnType<typeof policyOf>) => {
      const decider: Decider = createDecider({ policy, verify: client });
      return decider.decide(applicantOf('source-down'));
    };
    const { outcome, signals } = await decide(loadPolicy(ONBOARDING));
    expect(outcome).toBe('review');
    expect(signals.calls).toMatchObject([{ result: 'answered' }]);
    expect(signals.missing).toMatchObject({ 'email.address.riskLevel': 'sourceFailed' });
    const failed = Object.entries(signals.missing).filter(([, cause]) => cause === 'sourceFailed');
    expect(failed.filter(([path]) => !path.startsWith('email.'))).toEqual([]);

    const head = 'policy: test\nversion: "1"\ndefault: accept\nrules:\n';
    const phone = '  - { id: phone, when: { phone.score: { above: 60 } }, then: review }\n';
    const email = '  - { id: email, when: { email.address.score: { above: 60 } }, then: review }\n';
    expect((await decide(policyOf(head + phone))).outcome).toBe('accept');
    expect((await decide(policyOf(head + phone + email))).outcome).toBe('review');
  });

  it('has a score of 0, which a naive caller reads as no risk', async () => {
    const { chaos } = await chaosFor();
    const { body } = await naiveOf(chaos).verify({ ...applicantOf('source-down'), clientReference: 'r' });
    expect(naiveEmailScore(body)).toBe(0);
  });
});
