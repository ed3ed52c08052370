/** `state()`: what a client tells of itself, in each state that its gauges and a readiness probe know. */

import { expect, test } from 'vitest';
import { CANARY, connect, failureOf, json, REQUEST, serve, signal } from '../support/signals/scripted-service.ts';

const HOUR_MS = 60 * 60 * 1000;
const NOON = Date.UTC(2026, 10, 20, 12);
/** A token is not used in its last minute. */
const USABLE_MS = 8 * HOUR_MS - 60_000;

test('a client tells its circuit, its calls and its token, and no secret', async () => {
  const isAsked = signal();
  const mayAnswer = signal();
  const service = await serve({
    verify: async (response, received) => {
      isAsked.give();
      await mayAnswer.promise;
      json({})(response, received);
    },
  });
  let at = NOON;
  const client = connect(service.url, { now: () => at, maxConcurrent: 1, maxCallsPerDay: 5, timeoutMs: 25_000 });
  const idle = { circuit: 'closed', inFlight: 0, queued: 0 };
  expect(client.state()).toEqual({ ...idle, token: undefined, callsLeft: 5 });

  const calls = [client.verify(REQUEST), client.verify(REQUEST), client.verify(REQUEST)];
  await isAsked.promise;
  const token = { ageMs: expect.any(Number), expiresAt: NOON + USABLE_MS };
  expect(client.state()).toEqual({ circuit: 'closed', inFlight: 1, queued: 2, token, callsLeft: 4 });
  expect(JSON.stringify(client.state())).not.toContain('canary');
  expect(JSON.stringify(service.verifies)).toContain(CANARY.token);
  mayAnswer.give();
  await Promise.all(calls);
  expect(client.state()).toEqual({ ...idle, token, callsLeft: 2 });

  at = NOON + USABLE_MS - 1;
  expect(client.state().token).toEqual(token);
  at = NOON + USABLE_MS;
  expect(client.state()).toEqual({ ...idle, token: undefined, callsLeft: 2 });
  at = NOON + 24 * HOUR_MS;
  expect(client.state().callsLeft).toBe(5);
  expect(service.signIns).toHaveLength(1);
});

test('a circuit is open after failures, half open while a call tries the service, and closed after its answer', async () => {
  const mayAnswer = signal();
  let calls = 0;
  const service = await serve({
    verify: async (response, received) => {
      calls += 1;
      if (calls === 1) return void response.socket?.resetAndDestroy();
      await mayAnswer.promise;
      json({})(response, received);
    },
  });
  const client = connect(service.url, { maxAttempts: 1, breakerFailures: 1, breakerPauseMs: 1, timeoutMs: 25_000 });
  await failureOf(client.verify(REQUEST));
  expect(client.state()).toMatchObject({ circuit: 'open', callsLeft: undefined });
  await new Promise((resolve) => setTimeout(resolve, 10));
  const trial = client.verify(REQUEST);
  while (calls === 1) await new Promise(setImmediate);
  expect(client.state().circuit).toBe('halfOpen');
  mayAnswer.give();
  await trial;
  expect(client.state().circuit).toBe('closed');
});
