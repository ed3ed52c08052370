import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ClientEvent } from '../../src/platform/events.ts';
import {
  connect,
  failureOf,
  type Handler,
  json,
  REQUEST,
  type Service,
  serve,
  signal,
} from '../support/signals/scripted-service.ts';

const SOON = { backoffMs: 1, timeoutMs: 25_000 };

/** Makes all jitter as long as it can be. */
function useLongestJitter(): void {
  const spy = vi.spyOn(Math, 'random').mockReturnValue(0.999);
  onTestFinished(() => spy.mockRestore());
}

/** Answers the first requests one after the other, and all later ones with the last answer. */
function oneByOne(...answers: readonly [Handler, ...Handler[]]): Handler {
  let count = 0;
  return (response, received) => {
    const answer = answers[Math.min(count, answers.length - 1)];
    count += 1;
    answer?.(response, received);
  };
}

function status(code: number, headers: Record<string, string> = {}): Handler {
  return (response) => response.writeHead(code, headers).end('{}');
}

const reset: Handler = (response) => response.socket?.resetAndDestroy();

/** The distinct bodies of the verify requests; there must be only one. */
function bodies({ verifies }: Service): Set<string> {
  return new Set(verifies.map(({ body }) => body));
}

describe('a call is sent again', () => {
  test.each([
    ['after 429', status(429)],
    ['after 429 with a time', status(429, { 'retry-after': '0' })],
    ['after 503 with a time', status(503, { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' })],
  ])('%s, and its answer tells how often it was', async (_, fault) => {
    const service = await serve({ verify: oneByOne(fault, fault, json({ a: 1 })) });
    const answer = await connect(service.url, SOON).verify(REQUEST);
    expect(answer).toMatchObject({ body: { a: 1 }, attempts: 3 });
    expect(bodies(service).size).toBe(1);
  });

  test('not before the time that the service asks for', async () => {
    const at: number[] = [];
    const note =
      (answer: Handler): Handler =>
      (response, received) => {
        at.push(performance.now());
        answer(response, received);
      };
    const service = await serve({ verify: oneByOne(note(status(429, { 'retry-after': '0.2' })), note(json({}))) });
    await connect(service.url, SOON).verify(REQUEST);
    // A timer of Node may be a millisecond early.
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(199);
  });

  test('after a sign-in with a temporary failure', async () => {
    const service = await serve({ signIn: oneByOne(reset, status(500), json({ token: 'a' })) });
    await connect(service.url, SOON).verify(REQUEST);
    expect(service.signIns).toHaveLength(3);
    expect(service.verifies).toHaveLength(1);
  });

  test('after a lost connection, if the caller allows it to be billed twice', async () => {
    const service = await serve({ verify: oneByOne(reset, json({})) });
    const answer = await connect(service.url, { ...SOON, resendAmbiguous: true }).verify(REQUEST);
    expect(answer.attempts).toBe(2);
  });
});

test('the wait before a resend doubles only up to its maximum', async () => {
  useLongestJitter();
  const service = await serve({ verify: oneByOne(status(429), json({})) });
  await connect(service.url, { backoffMs: 3_600_000, maxBackoffMs: 1 }).verify(REQUEST);
  expect(service.verifies).toHaveLength(2);
});

describe('a call is not sent again', () => {
  test('if its jitter, added to the time that the service names, ends after the deadline', async () => {
    useLongestJitter();
    const service = await serve({ verify: status(429, { 'retry-after': '6' }) });
    const client = connect(service.url, { backoffMs: 6_000, maxBackoffMs: 6_000, timeoutMs: 10_000 });
    expect(await failureOf(client.verify(REQUEST))).toMatchObject({ code: 'RATE_LIMITED' });
    expect(service.verifies).toHaveLength(1);
  });

  test.each([
    [429, 1],
    [503, 3],
  ])(
    'and no other call either, before the time that the service asks for (%i, from %i calls)',
    async (code, agreeing) => {
      let skippedMs = 0;
      const monotonic = performance.now.bind(performance);
      const spy = vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + skippedMs);
      onTestFinished(() => spy.mockRestore());
      const declined = status(code, { 'retry-after': '3600' });
      const answers = Array.from({ length: agreeing - 1 }, () => declined);
      const service = await serve({ verify: oneByOne(declined, ...answers, json({})) });
      const client = connect(service.url);
      for (let call = 0; call < agreeing; call++) {
        expect(await failureOf(client.verify(REQUEST))).toMatchObject({ attempts: 1, carriedOut: 'no' });
      }
      for (skippedMs of [0, 1_000_000]) {
        expect(await failureOf(client.verify(REQUEST))).toMatchObject({
          code: 'RATE_LIMITED',
          carriedOut: 'no',
          attempts: 0,
        });
      }
      skippedMs = 3_600_000;
      await client.verify(REQUEST);
      expect(service.verifies).toHaveLength(agreeing + 1);
    },
  );

  test('but other calls are, while 503 with a time comes from few calls, or between other answers', async () => {
    const sick = status(503, { 'retry-after': '3600' });
    const [again, well, broken] = [status(503, { 'retry-after': '0' }), json({}), status(500)];
    const answers = [sick, sick, well, sick, sick, broken, again, again, again, again, sick, well] as const;
    const service = await serve({ verify: oneByOne(...answers) });
    const client = connect(service.url, SOON);
    const ended = [];
    for (let call = 0; call < 9; call++) ended.push(await client.verify(REQUEST).catch(({ code }) => code));
    const refused = 'SERVICE_ERROR';
    const answered = expect.objectContaining({ attempts: 1 });
    expect(ended).toEqual([refused, refused, answered, refused, refused, refused, refused, refused, answered]);
    expect(service.verifies).toHaveLength(answers.length);
  });

  test('for a day that the service asks for, but for one call an hour, until that one gets another answer', async () => {
    let skippedMs = 0;
    const monotonic = performance.now.bind(performance);
    const spy = vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + skippedMs);
    onTestFinished(() => spy.mockRestore());
    const aDay = status(429, { 'retry-after': '86400' });
    const refused: Handler = (response, received) =>
      (received.headers.authorization === 'Bearer old' ? json({}, 401) : json({}))(response, received);
    const service = await serve({
      signIn: oneByOne(json({ token: 'old' }), json({ token: 'new' })),
      verify: oneByOne(aDay, aDay, status(429), refused),
    });
    const pauses: unknown[] = [];
    const onEvent = (event: ClientEvent) => void (event.type === 'pause' && pauses.push(event.waitMs));
    const client = connect(service.url, { maxAttempts: 1, onEvent });
    const three = () =>
      Promise.all(
        [1, 2, 3].map(() =>
          client.verify(REQUEST).then(
            () => 'answered',
            () => 'refused',
          ),
        ),
      );
    await failureOf(client.verify(REQUEST));
    for (const [hour, sent] of [
      [0.9, 1],
      [1, 2],
      [1.9, 2],
      [2, 3],
    ] as const) {
      skippedMs = hour * 3_600_000;
      expect(await three()).not.toContain('answered');
      expect(service.verifies).toHaveLength(sent);
    }
    skippedMs = 3 * 3_600_000;
    await client.verify(REQUEST);
    expect(await three()).toEqual(['answered', 'answered', 'answered']);
    expect(pauses).toEqual([86_400_000]);
  });

  test('if the time that the service asks for is after the deadline: the call fails at once', async () => {
    const service = await serve({ verify: status(429, { 'retry-after': '3600' }) });
    const error = await failureOf(connect(service.url, SOON).verify(REQUEST));
    expect(error).toMatchObject({ code: 'RATE_LIMITED', carriedOut: 'no' });
    expect(service.verifies).toHaveLength(1);
  });

  test('more often than allowed', async () => {
    const service = await serve({ verify: status(429) });
    await failureOf(connect(service.url, { ...SOON, maxAttempts: 6 }).verify(REQUEST));
    expect(service.verifies).toHaveLength(6);
  });

  test('once the budget is used up, until more calls have filled it', async () => {
    const service = await serve({ verify: status(429) });
    const client = connect(service.url, { ...SOON, retryReserve: 2, retryBudget: 0.5, maxAttempts: 10 });
    const sent: number[] = [];
    for (let call = 0; call < 5; call++) {
      await failureOf(client.verify(REQUEST));
      sent.push(service.verifies.length);
    }
    // Two resends from the initial budget, then one for every second call.
    expect(sent).toEqual([3, 4, 6, 7, 9]);
  });

  test('after its caller aborted it', async () => {
    const refused = signal();
    const service = await serve({
      verify: (response, received) => {
        refused.give();
        status(429)(response, received);
      },
    });
    const ending = new AbortController();
    const failing = failureOf(
      connect(service.url, { backoffMs: 2 ** 30, maxBackoffMs: 2 ** 30, timeoutMs: 2 ** 31 - 1 }).verify(REQUEST, {
        signal: ending.signal,
      }),
    );
    await refused.promise;
    ending.abort();
    expect(await failing).toMatchObject({ code: 'ABORTED' });
    expect(service.verifies).toHaveLength(1);
  });
});

test('a call that may have been carried out stays unknown, however its later attempts end', async () => {
  const service = await serve({ verify: oneByOne(reset, status(429)) });
  const error = await failureOf(
    connect(service.url, { ...SOON, maxAttempts: 2, resendAmbiguous: true }).verify(REQUEST),
  );
  expect(error).toMatchObject({ code: 'RATE_LIMITED', carriedOut: 'unknown' });
});
