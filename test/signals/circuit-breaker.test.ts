import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CLOSED_PORT } from '../support/ports.ts';
import { connect, failureOf, type Handler, json, REQUEST, serve, signal } from '../support/signals/scripted-service.ts';

const ONCE = { maxAttempts: 1, timeoutMs: 25_000 };

const reset: Handler = (response) => response.socket?.resetAndDestroy();

describe('while the service is down', () => {
  test('calls end at once after a few failures in a row, and no byte is sent', async () => {
    const service = await serve({ verify: reset });
    const client = connect(service.url, { ...ONCE, breakerFailures: 3, breakerPauseMs: 3_600_000 });
    const codes: string[] = [];
    for (let call = 0; call < 6; call++) codes.push((await failureOf(client.verify(REQUEST))).code);
    const open = 'CIRCUIT_OPEN';
    expect(codes).toEqual(['CONNECTION_LOST', 'CONNECTION_LOST', 'CONNECTION_LOST', open, open, open]);
    expect(service.verifies).toHaveLength(3);
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ carriedOut: 'no' });
  });

  test('each attempt of a call counts', async () => {
    const client = connect(`http://127.0.0.1:${CLOSED_PORT}`, {
      backoffMs: 1,
      maxAttempts: 3,
      breakerFailures: 3,
      breakerPauseMs: 3_600_000,
    });
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'UNREACHABLE' });
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'CIRCUIT_OPEN' });
  });

  test('one call tries it after a pause, and the others do not wait for the result', async () => {
    const mayAnswer = signal();
    const isTried = signal();
    let calls = 0;
    const service = await serve({
      verify: async (response, received) => {
        calls += 1;
        if (calls <= 2) return reset(response, received);
        isTried.give();
        await mayAnswer.promise;
        json({})(response, received);
      },
    });
    const client = connect(service.url, { ...ONCE, breakerFailures: 2, breakerPauseMs: 1 });
    await failureOf(client.verify(REQUEST));
    await failureOf(client.verify(REQUEST));
    let trial: Promise<unknown> | undefined;
    // The pause is over when a call goes through.
    while (calls === 2) {
      trial = client.verify(REQUEST).catch(() => undefined);
      await Promise.race([isTried.promise, trial]);
    }
    let isTrialOver = false;
    trial?.finally(() => {
      isTrialOver = true;
    });
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'CIRCUIT_OPEN', carriedOut: 'no' });
    expect(isTrialOver).toBe(false);
    mayAnswer.give();
    await trial;
    await client.verify(REQUEST);
    expect(calls).toBe(4);
  });

  test('a trial that its caller aborts does not count as an answer', async () => {
    const isTried = signal();
    let calls = 0;
    const service = await serve({
      verify: (response, received) => {
        calls += 1;
        if (calls === 3) isTried.give();
        else reset(response, received);
      },
    });
    const client = connect(service.url, { ...ONCE, breakerFailures: 2, breakerPauseMs: 500 });
    await failureOf(client.verify(REQUEST));
    await failureOf(client.verify(REQUEST));
    const ending = new AbortController();
    let trial: Promise<unknown> | undefined;
    while (calls === 2) {
      trial = client.verify(REQUEST, { signal: ending.signal }).catch(() => undefined);
      await Promise.race([isTried.promise, trial]);
    }
    ending.abort();
    await trial;
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'CIRCUIT_OPEN' });
  });

  test('an aborted call neither opens the circuit nor counts as an answer', async () => {
    let answer: Handler = reset;
    const service = await serve({ verify: (response, received) => answer(response, received) });
    const client = connect(service.url, { ...ONCE, breakerFailures: 2, breakerPauseMs: 3_600_000 });
    await failureOf(client.verify(REQUEST));
    const asked = signal();
    answer = () => asked.give();
    const ending = new AbortController();
    const given = failureOf(client.verify(REQUEST, { signal: ending.signal }));
    await asked.promise;
    ending.abort();
    await given;
    answer = reset;
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'CONNECTION_LOST' });
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'CIRCUIT_OPEN' });
  });

  test('a call that the rate limit holds back does not count as an answer', async () => {
    let skippedMs = 0;
    const monotonic = performance.now.bind(performance);
    const spy = vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + skippedMs);
    onTestFinished(() => spy.mockRestore());
    const service = await serve({ verify: reset });
    const breaker = { breakerFailures: 2, breakerPauseMs: 3_600_000 };
    const client = connect(service.url, { ...ONCE, ...breaker, maxPerSecond: 0.001 });
    const codes: string[] = [];
    for (skippedMs of [0, 0, 1_000_000, 1_000_000]) codes.push((await failureOf(client.verify(REQUEST))).code);
    expect(codes).toEqual(['CONNECTION_LOST', 'QUEUE_FULL', 'CONNECTION_LOST', 'CIRCUIT_OPEN']);
  });

  test('a rejected request counts as an answer', async () => {
    let answer: Handler = reset;
    const service = await serve({ verify: (response, received) => answer(response, received) });
    const client = connect(service.url, { ...ONCE, breakerFailures: 2, breakerPauseMs: 3_600_000 });
    await failureOf(client.verify(REQUEST));
    answer = json({}, 400);
    await failureOf(client.verify(REQUEST));
    answer = reset;
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'CONNECTION_LOST' });
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'CONNECTION_LOST' });
  });
});

describe('of many concurrent calls', () => {
  test('no more than allowed are in flight, others wait, and a call is not sent if the queue is full', async () => {
    const held: ServerResponse[] = [];
    const full = signal();
    let most = 0;
    let flying = 0;
    const service = await serve({
      verify: (response) => {
        flying += 1;
        most = Math.max(most, flying);
        response.on('close', () => {
          flying -= 1;
        });
        held.push(response);
        if (held.length === 2) full.give();
        if (held.length > 2) response.end('{}');
      },
    });
    const client = connect(service.url, { ...ONCE, maxConcurrent: 2, maxQueued: 3 });
    const calls = Array.from({ length: 5 }, () => client.verify(REQUEST));
    await full.promise;
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'QUEUE_FULL', carriedOut: 'no' });
    for (const response of held.slice(0, 2)) response.end('{}');
    await Promise.all(calls);
    expect(service.verifies).toHaveLength(5);
    expect(most).toBe(2);
  });

  test('a waiting call ends when its caller aborts it, and is never sent', async () => {
    const asked = signal();
    const service = await serve({ verify: () => asked.give() });
    const client = connect(service.url, { ...ONCE, maxConcurrent: 1 });
    const first = failureOf(client.verify(REQUEST));
    await asked.promise;
    const ending = new AbortController();
    const second = failureOf(client.verify(REQUEST, { signal: ending.signal }));
    ending.abort();
    expect(await second).toMatchObject({ code: 'ABORTED', carriedOut: 'no' });
    client.close();
    expect(await first).toMatchObject({ code: 'ABORTED', carriedOut: 'unknown' });
    expect(service.verifies).toHaveLength(1);
  });
});

describe('with a rate limit', () => {
  test('no more calls are sent in a second than allowed', async () => {
    const at: number[] = [];
    const service = await serve({
      verify: (response, received) => {
        at.push(performance.now());
        json({})(response, received);
      },
    });
    const client = connect(service.url, { ...ONCE, maxPerSecond: 50 });
    // The first call signs in, and would be late.
    await client.verify(REQUEST);
    await Promise.all(Array.from({ length: 5 }, () => client.verify(REQUEST)));
    // Five intervals of 20 ms; a timer may be a millisecond early, and a call may arrive late.
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(75);
  });

  test('a call without a turn before its deadline is not sent, and takes no turn from others', async () => {
    const service = await serve();
    const client = connect(service.url, { ...ONCE, maxPerSecond: 0.01 });
    await client.verify(REQUEST);
    const late = await Promise.all([1, 2, 3].map(() => failureOf(client.verify(REQUEST))));
    expect(late.map(({ code, carriedOut }) => `${code} ${carriedOut}`)).toEqual(Array(3).fill('QUEUE_FULL no'));
    expect(service.verifies).toHaveLength(1);
  });
});
