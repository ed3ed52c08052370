/** `maxCallsPerDay`: what counts, what is refused, and what a decision makes of it. */

import { describe, expect, test } from 'vitest';
import { createDecider } from '../../src/decision/decide.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { createDailyLimit } from '../../src/signals/limits.ts';
import type { VerifyClientOptions } from '../../src/signals/options.ts';
import { CLOSED_PORT } from '../support/ports.ts';
import { CANARY, connect, failureOf, type Handler, json, REQUEST, serve } from '../support/signals/scripted-service.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 60 * 60 * 1000;

const reset: Handler = (response) => response.socket?.resetAndDestroy();

/** A client whose clock a test sets, and the types of its events. */
function limited(url: string, maxCallsPerDay: number, options: Partial<VerifyClientOptions> = {}) {
  const told: string[] = [];
  const clock = { at: NOON };
  const client = connect(url, {
    maxCallsPerDay,
    maxAttempts: 1,
    timeoutMs: 25_000,
    now: () => clock.at,
    onEvent: ({ type }) => void told.push(type),
    ...options,
  });
  return { client, clock, told };
}

describe('the calls of a day', () => {
  test('are counted by the day in UTC, and a clock that is set back finds what it counted', () => {
    let at = Date.UTC(2026, 10, 20, 23, 59);
    let reached = 0;
    const limit = createDailyLimit(
      1,
      () => at,
      () => {
        reached += 1;
      },
    );
    const isTaken = () => limit.take() !== undefined;
    expect([isTaken(), isTaken(), isTaken(), limit.left(), reached]).toEqual([true, false, false, 0, 1]);
    at += 60_000;
    expect([limit.left(), isTaken(), isTaken(), reached]).toEqual([1, true, false, 2]);
    at -= 60_000;
    expect([isTaken(), reached]).toEqual([false, 2]);
  });

  test('that are given back can be taken again, on the day they were taken', () => {
    let at = NOON;
    const limit = createDailyLimit(
      2,
      () => at,
      () => {},
    );
    const giveBack = limit.take();
    limit.take();
    at += 12 * HOUR_MS;
    limit.take();
    giveBack?.();
    expect(limit.left()).toBe(1);
    at = NOON;
    expect(limit.left()).toBe(1);
  });

  test('are remembered for a few days alone', () => {
    let at = NOON;
    const limit = createDailyLimit(
      1,
      () => at,
      () => {},
    );
    for (let day = 0; day < 9; day++, at += 24 * HOUR_MS) limit.take();
    at = NOON;
    expect(limit.left()).toBe(1);
  });
});

test('once they are used up nothing is sent before the next day, and that is told once', async () => {
  const service = await serve();
  const { client, clock, told } = limited(service.url, 2);
  await client.verify(REQUEST);
  await client.verify(REQUEST);
  // The token has expired, and no sign-in is made for a call that is not sent.
  clock.at += 10 * HOUR_MS;
  for (let call = 0; call < 2; call++) {
    const refused = { code: 'DAILY_LIMIT_REACHED', carriedOut: 'no', attempts: 0 };
    expect(await failureOf(client.verify(REQUEST))).toMatchObject(refused);
  }
  expect([service.verifies.length, service.signIns.length]).toEqual([2, 1]);
  expect(told.filter((type) => type === 'dailyLimit')).toHaveLength(1);
  clock.at += 2 * HOUR_MS;
  await client.verify(REQUEST);
});

test('concurrent calls are never more', async () => {
  const service = await serve();
  const { client } = limited(service.url, 3);
  const ended = await Promise.allSettled(Array.from({ length: 8 }, () => client.verify(REQUEST)));
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect(service.verifies).toHaveLength(3);
});

describe('a call counts', () => {
  test.each<
    [counts: number, name: string, options: { signIn?: Handler; verify?: Handler }, Partial<VerifyClientOptions>]
  >([
    [1, 'if its connection is lost', { verify: reset }, {}],
    [
      2,
      'twice if it is sent again and may be billed twice',
      { verify: reset },
      { maxAttempts: 2, resendAmbiguous: true, backoffMs: 1 },
    ],
    [1, 'if its answer cannot be read', { verify: (response) => response.end('[') }, {}],
    [0, 'not if it is declined, however often it is sent', { verify: json({}, 429) }, { maxAttempts: 3, backoffMs: 1 }],
    [0, 'not if it is rejected', { verify: json({}, 422) }, {}],
    [0, 'not if its token is refused', { verify: json({}, 401) }, {}],
    [0, 'not if it cannot sign in', { signIn: json({}, 401) }, {}],
  ])('%i: %s', async (counts, _, handlers, options) => {
    let isGood = false;
    const { signIn, verify = json({}) } = handlers;
    const service = await serve({
      verify: (response, received) => (isGood ? json({}) : verify)(response, received),
      signIn: (response, received) => (isGood || !signIn ? json({ token: 't' }) : signIn)(response, received),
    });
    const { client, clock } = limited(service.url, 3, options);
    await failureOf(client.verify(REQUEST));
    isGood = true;
    // The pause after a refused sign-in is over.
    clock.at += 60_000;
    for (let call = counts; call < 3; call++) await client.verify(REQUEST);
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'DAILY_LIMIT_REACHED' });
  });

  test('0: not if nothing was sent', async () => {
    const { client } = limited(`http://127.0.0.1:${CLOSED_PORT}`, 1);
    await failureOf(client.verify(REQUEST));
    await failureOf(client.verify(REQUEST, { signal: AbortSignal.abort() }));
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'UNREACHABLE' });
  });
});

test('the circuit stays closed, and a decision is a review that says why', async () => {
  const { client, told } = limited((await serve()).url, 1, { breakerFailures: 1 });
  await client.verify(REQUEST);
  const decider = createDecider({ policy: loadPolicy('rules/phone-only.yaml'), verify: client });
  for (let i = 0; i < 2; i++) {
    const { outcome, signals } = await decider.decide({ phoneNo: CANARY.phoneNo });
    expect(outcome).toBe('review');
    expect(signals.calls).toMatchObject([{ result: 'failed', error: 'DAILY_LIMIT_REACHED', attempts: 0 }]);
    expect(signals.warnings.map(({ code }) => code)).toContain('DAILY_LIMIT_REACHED');
    expect(signals.missing['phone.score']).toBe('sourceFailed');
  }
  expect(told).not.toContain('circuit');
});
