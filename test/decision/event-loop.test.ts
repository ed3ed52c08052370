import { expect, it } from 'vitest';
import { createDecider } from '../../src/decision/decide.ts';
import { policyOf } from '../support/policy/policy.ts';
import { connect, failureOf, type Handler, json, REQUEST, serve } from '../support/signals/scripted-service.ts';

const POLICY = `policy: test
version: "1"
default: accept
rules:
  - { id: phone-risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }
`;

const APPLICANT = { phoneNo: '+1 202 555 0101' };
const DAY_MS = 24 * 60 * 60 * 1000;
const ONCE = { maxAttempts: 1, timeoutMs: 25_000 };

/** More than are ever made in the few milliseconds that the event loop needs for what is awaited. */
const MOST = 5_000;

/** Two workers that do nothing else in a loop, until it is done. Gives whether it was done meanwhile. */
async function isDoneWhile(work: () => Promise<unknown>, isDone: () => boolean): Promise<boolean> {
  let left = MOST;
  const worker = async () => {
    while (!isDone() && left-- > 0) await work();
  };
  await Promise.all([worker(), worker()]);
  return isDone();
}

function timer(): () => boolean {
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  }, 1);
  return () => isOver;
}

const reset: Handler = (response) => response.socket?.resetAndDestroy();

it.each(['live', 'matcher'] as const)('timers run beside decisions that wait for nothing (%s)', async (runner) => {
  const verify = { verify: async () => ({ body: {} }) };
  const decider = createDecider({ policy: policyOf(POLICY), verify, runner });
  expect(await isDoneWhile(() => decider.decide({}), timer())).toBe(true);
});

it('timers run beside remembered decisions, and beside decisions that are refused', async () => {
  const decider = createDecider({ policy: policyOf(POLICY), verify: { verify: async () => ({ body: {} }) } });
  const remembered = () => decider.decide(APPLICANT, { clientReference: 'one' });
  expect(await isDoneWhile(remembered, timer())).toBe(true);
  const refused = () => failureOf(decider.decide(APPLICANT, { deadlineMs: -1 }));
  expect(await isDoneWhile(refused, timer())).toBe(true);
});

it('an open circuit closes while calls and decisions are made in a loop', async () => {
  let isDown = true;
  const service = await serve({ verify: (...call) => (isDown ? reset : json({}))(...call) });
  const client = connect(service.url, { ...ONCE, breakerFailures: 1, breakerPauseMs: 1 });
  const decider = createDecider({ policy: policyOf(POLICY), verify: client });
  const isAnswered = async () => {
    let answered = 0;
    const decide = async () => {
      const { signals } = await decider.decide(APPLICANT);
      if (signals.calls[0]?.result !== 'failed') answered += 1;
    };
    return isDoneWhile(decide, () => answered > 1);
  };
  await failureOf(client.verify(REQUEST));
  isDown = false;
  expect(await isAnswered()).toBe(true);

  isDown = true;
  await failureOf(client.verify(REQUEST));
  expect(await isDoneWhile(() => failureOf(client.verify(REQUEST)), timer())).toBe(true);
});

it('a call that was sent is answered while decisions without a call are made in a loop', async () => {
  const service = await serve();
  const client = connect(service.url, { ...ONCE, maxCallsPerDay: 1, now: () => 20_000 * DAY_MS });
  const decider = createDecider({ policy: policyOf(POLICY), verify: client });
  let attempts: number | undefined;
  const sent = decider.decide(APPLICANT).then(({ signals }) => {
    attempts = signals.calls[0]?.attempts;
  });
  expect(
    await isDoneWhile(
      () => decider.decide(APPLICANT),
      () => attempts !== undefined,
    ),
  ).toBe(true);
  await sent;
  expect(attempts).toBe(1);
});
