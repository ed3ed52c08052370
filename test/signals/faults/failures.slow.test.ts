import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { VerifyClientOptions } from '../../../src/signals/options.ts';
import type { Call, ChaosOptions, Fault } from '../../support/signals/chaos-proxy.ts';
import { decideBy, failureOf, naiveOf, requestOf, settle } from '../../support/signals/clients.ts';
import * as faults from '../../support/signals/faults.ts';
import { RETRY_AFTER } from '../../support/signals/points.ts';
import { chaosFor, clientOf } from '../../support/signals/setting.ts';

/** Strikes the first attempts of each verify call. */
function strikeVerify(fault: Fault, attempts = 1): Omit<ChaosOptions, 'target'> {
  return { faults: (call) => (call.endpoint === 'verify' && call.attempt <= attempts ? fault : undefined) };
}

/** Strikes every connection except the first, which is that of the sign-in. */
function strikeConnections(kind: 'reset' | 'resetUnread', last = Number.POSITIVE_INFINITY) {
  return {
    keepAlive: false,
    connections: (nth: number) => (nth >= 2 && nth <= last ? kind : undefined),
  } satisfies Omit<ChaosOptions, 'target'>;
}

/** One call of each client at its own service: what arrived, what was billed, and the result. */
async function callBoth(options: Omit<ChaosOptions, 'target'>, clientOptions: Partial<VerifyClientOptions> = {}) {
  const [ours, naives] = [await chaosFor(options), await chaosFor(options)];
  const { error } = await settle(clientOf(ours.chaos, clientOptions).verify(requestOf('r')));
  await settle(naiveOf(naives.chaos, clientOptions.timeoutMs).verify(requestOf('r')));
  const count = ({ chaos }: typeof ours) => ({
    received: chaos.receipts.get('r') ?? 0,
    billed: chaos.billed.get('r') ?? 0,
    signIns: chaos.signIns,
  });
  return { error, ...count(ours), chaos: ours.chaos, naive: { ...count(naives), chaos: naives.chaos } };
}

/** Counts the connections that this process opens. */
function countTries(): { readonly count: number } {
  const tries = { count: 0 };
  const onSocket = () => {
    tries.count++;
  };
  subscribe('net.client.socket', onSocket);
  onTestFinished(() => {
    unsubscribe('net.client.socket', onSocket);
  });
  return tries;
}

const verifiesOf = (calls: readonly Call[]) => calls.filter(({ endpoint }) => endpoint === 'verify');

describe('a call that certainly was not carried out is sent again', () => {
  it('if the connection was refused: as soon as the service is back', async () => {
    const { chaos } = await chaosFor();
    chaos.refuse(20);
    const { attempts } = await clientOf(chaos, { maxAttempts: 100, retryReserve: 100, breakerFailures: 1000 }).verify(
      requestOf('r'),
    );
    expect(attempts).toBe(1);
    expect(chaos.billed.get('r')).toBe(1);
  });

  it('if the connection was refused: only as often as allowed', async () => {
    const { chaos } = await chaosFor();
    chaos.refuse();
    const tries = countTries();
    const error = await failureOf(clientOf(chaos, { maxAttempts: 3 }).verify(requestOf('r')));
    expect(error).toMatchObject({ code: 'UNREACHABLE', carriedOut: 'no' });
    expect(tries.count).toBe(3);
  });

  it('if TLS failed', async () => {
    const { chaos } = await chaosFor({ connections: () => 'reset' });
    const client = clientOf({ url: chaos.url.replace('http:', 'https:') }, { maxAttempts: 3 });
    expect(await failureOf(client.verify(requestOf('r')))).toMatchObject({ code: 'UNREACHABLE', carriedOut: 'no' });
    expect(chaos.connections).toBe(3);
  });

  it('within a budget that all calls share', async () => {
    const { chaos } = await chaosFor();
    chaos.refuse();
    const client = clientOf(chaos, { maxAttempts: 100, retryReserve: 5, retryBudget: 0.5, breakerFailures: 1000 });
    const tries = countTries();
    for (let call = 0; call < 10; call++) await failureOf(client.verify(requestOf(`r-${call}`)));
    // 10 calls, a reserve of 5, and half a try for each call that did not find the reserve full.
    expect(tries.count).toBeGreaterThan(10);
    expect(tries.count).toBeLessThanOrEqual(10 + 5 + 5);
  });

  it('if the queue of the client was full, and then fails without being sent', async () => {
    const { promise: mayAnswer, resolve: release } = Promise.withResolvers<void>();
    const { chaos } = await chaosFor(strikeVerify(faults.heldUntil(mayAnswer)));
    const client = clientOf(chaos, { maxConcurrent: 1, maxQueued: 0, maxAttempts: 2 });
    const first = client.verify(requestOf('first'));
    expect(await failureOf(client.verify(requestOf('second')))).toMatchObject({ code: 'QUEUE_FULL', carriedOut: 'no' });
    release();
    await first;
    expect(chaos.receipts).toEqual(new Map([['first', 1]]));
  });
});

describe('a token that is refused', () => {
  it('is replaced by one sign-in, and the call is sent once more', async () => {
    const { error, naive, ...seen } = await callBoth(strikeVerify(faults.status(401)));
    expect(error).toBeUndefined();
    expect(seen).toMatchObject({ received: 2, billed: 1, signIns: 2 });
    expect(naive).toMatchObject({ received: 1, billed: 0, signIns: 1 });
  });

  it('twice fails the call, which was not carried out', async () => {
    const { error, ...seen } = await callBoth(strikeVerify(faults.status(401), 10));
    expect(error).toMatchObject({ code: 'TOKEN_REFUSED', carriedOut: 'no' });
    expect(seen).toMatchObject({ received: 2, billed: 0, signIns: 2 });
  });
});

describe.each([429, 503])('a call declined with %i', (code) => {
  const declined = (form: keyof typeof RETRY_AFTER) =>
    strikeVerify({
      name: form,
      strike: (strike) => faults.status(code, { 'retry-after': RETRY_AFTER[form]() }).strike(strike),
    });

  it('is not sent again before the requested seconds have passed', async () => {
    const { error, chaos, naive } = await callBoth(declined('seconds'));
    expect(error).toBeUndefined();
    const pause = ([first, second]: readonly Call[]) => (second?.arrivedAt ?? 0) - (first?.arrivedAt ?? 0);
    // Node's timers may fire a millisecond early.
    expect(pause(verifiesOf(chaos.calls))).toBeGreaterThanOrEqual(999);
    expect(pause(verifiesOf(naive.chaos.calls))).toBeLessThan(999);
  });

  it('is not sent again before the requested date', async () => {
    let named = 0;
    const { error, chaos } = await callBoth(
      strikeVerify({
        name: 'date',
        strike: (strike) => {
          const date = new Date(Date.now() + 1500).toUTCString();
          named ||= Date.parse(date) - performance.timeOrigin;
          return faults.status(code, { 'retry-after': date }).strike(strike);
        },
      }),
    );
    expect(error).toBeUndefined();
    expect(verifiesOf(chaos.calls)[1]?.arrivedAt).toBeGreaterThanOrEqual(named - 5);
  });

  it.each(['zero', 'pastDate'] as const)('is sent again if the requested time has passed (%s)', async (form) => {
    const { error, received, billed } = await callBoth(declined(form));
    expect({ error, received, billed }).toEqual({ error: undefined, received: 2, billed: 1 });
  });

  it('is not sent again if the requested time is after the deadline, and ends at once', async () => {
    // If the client waited for it, the test would not end.
    const { error, received, naive } = await callBoth(declined('huge'), { timeoutMs: 3_600_000 });
    expect(error).toMatchObject({ code: code === 429 ? 'RATE_LIMITED' : 'SERVICE_ERROR', carriedOut: 'no' });
    expect(received).toBe(1);
    expect(naive.received).toBe(2);
  });

  it.each(['rubbish', 'negative', 'empty'] as const)(
    code === 429
      ? 'and a Retry-After that says nothing (%s) is sent again after our own backoff'
      : 'and a Retry-After that says nothing (%s) may have been carried out, and is not sent again',
    async (form) => {
      const { error, received } = await callBoth(declined(form));
      if (code === 429) expect({ error, received }).toEqual({ error: undefined, received: 2 });
      else expect({ error, received }).toMatchObject({ error: { carriedOut: 'unknown' }, received: 1 });
    },
  );
});

it('a call declined with 429 alone is sent again after the backoff of the client', async () => {
  const { error, received, billed } = await callBoth(strikeVerify(faults.status(429)));
  expect({ error, received, billed }).toEqual({ error: undefined, received: 2, billed: 1 });
});

describe('a call that may have been carried out', () => {
  const ROWS: readonly (readonly [string, Omit<ChaosOptions, 'target'>, naive: 'billed' | 'received' | 'connected'])[] =
    [
      ['reset before it was read', strikeConnections('resetUnread', 2), 'connected'],
      ['lost before the sandbox saw it', strikeVerify(faults.lostBefore), 'received'],
      ['lost after it was answered', strikeVerify(faults.lostAfter), 'billed'],
      ['answered with half a header', strikeVerify(faults.halfHeader), 'billed'],
      ['answered with half a body', strikeVerify(faults.halfBody), 'billed'],
      ...[500, 502, 503, 504].map(
        (code) => [`answered with ${code}`, strikeVerify(faults.statusAfter(code)), 'billed'] as const,
      ),
    ];

  it.each(ROWS)('(%s) is not sent again and is billed at most once', async (_, options, breach) => {
    const { error, received, billed, naive } = await callBoth(options);
    expect(error).toMatchObject({ carriedOut: 'unknown', attempts: 1 });
    expect(received).toBeLessThanOrEqual(1);
    expect(billed).toBeLessThanOrEqual(1);
    // The first connection of the naive client is that of its sign-in.
    expect({ ...naive, connected: naive.chaos.connections - 1 }[breach]).toBeGreaterThan(1);
  });

  it.each(ROWS)('(%s) leaves facts missing, is listed in the decision, and accepts nobody', async (_, options) => {
    const { chaos } = await chaosFor(options);
    const { outcome, signals } = await decideBy(clientOf(chaos), 'r');
    expect(outcome).toBe('review');
    expect(signals.calls).toMatchObject([{ result: 'unknown', error: expect.any(String), attempts: 1 }]);
    expect(signals.missing).toMatchObject({
      'phone.riskLevel': 'sourceFailed',
      'email.address.riskLevel': 'sourceFailed',
    });
  });

  it.each(ROWS)('(%s) is sent again if the caller allows it', async (_, options) => {
    const { chaos } = await chaosFor(options);
    const { attempts } = await clientOf(chaos, { resendAmbiguous: true }).verify(requestOf('r'));
    expect(attempts).toBe(2);
  });

  it('is not sent again after 408 either', async () => {
    const { error, received } = await callBoth(strikeVerify(faults.statusAfter(408)));
    expect({ error, received }).toMatchObject({ error: { code: 'SERVICE_ERROR', carriedOut: 'unknown' }, received: 1 });
  });

  it('is not sent again after its deadline, whatever the caller allows', async () => {
    const { chaos } = await chaosFor(strikeVerify(faults.silence));
    const client = clientOf(chaos, { timeoutMs: 300, resendAmbiguous: true });
    expect(await failureOf(client.verify(requestOf('r')))).toMatchObject({ code: 'TIMED_OUT', carriedOut: 'unknown' });
    expect(chaos.receipts.get('r')).toBe(1);
  });
});

describe('a call is never sent again', () => {
  const REJECTED = [400, 403, 404, 409, 422].map((code) => [String(code), faults.status(code), 'no'] as const);
  const REDIRECTED = [301, 302, 303, 307, 308].map(
    (code) => [String(code), faults.redirect(code, 'same'), 'unknown'] as const,
  );
  const UNREADABLE = [faults.notJson, faults.deepJson, faults.truncatedGzip, faults.endlessBody(), faults.garbage].map(
    (fault) => [fault.name, fault, 'unknown'] as const,
  );

  it.each([...REJECTED, ...REDIRECTED, ...UNREADABLE])('after %s', async (_, fault, carriedOut) => {
    const { chaos } = await chaosFor(strikeVerify(fault));
    const error = await failureOf(clientOf(chaos, { resendAmbiguous: true }).verify(requestOf('r')));
    expect(error).toMatchObject({ carriedOut, attempts: 1 });
    expect(chaos.receipts.get('r')).toBe(1);
  });

  it.each([faults.failureInside, faults.othersAnswer])('after $name, and no fact of it is used', async (fault) => {
    const { chaos } = await chaosFor(strikeVerify(fault));
    const { outcome, signals } = await decideBy(clientOf(chaos, { resendAmbiguous: true }), 'r');
    expect(outcome).toBe('review');
    expect(signals.missing).toMatchObject({ 'phone.riskLevel': 'sourceFailed' });
    expect(chaos.receipts.get('r')).toBe(1);
  });
});

describe('a refused sign-in', () => {
  const refused = (code: number) => ({
    faults: (call: Call) => (call.endpoint === 'sign-in' ? faults.status(code) : undefined),
  });

  it.each([401, 403])('(%i) is tried once in 30 seconds, however many calls there are', async (code) => {
    let clock = 1_000_000;
    const { chaos } = await chaosFor(refused(code));
    const client = clientOf(chaos, { now: () => clock, breakerFailures: 1000 });
    const callMany = () =>
      Promise.all(Array.from({ length: 50 }, (_, i) => failureOf(client.verify(requestOf(`${i}`)))));
    const first = await callMany();
    expect(new Set(first.map((error) => error.code))).toEqual(new Set(['SIGN_IN_REFUSED']));
    clock += 29_999;
    await callMany();
    expect(chaos.signIns).toBe(1);
    clock += 1;
    await callMany();
    expect(chaos.signIns).toBe(2);
    expect(chaos.receipts.size).toBe(0);

    const naive = await chaosFor(refused(code));
    const naiveClient = naiveOf(naive.chaos);
    for (let call = 0; call < 5; call++) await settle(naiveClient.verify(requestOf(`${call}`)));
    expect(naive.chaos.signIns).toBe(5);
  });
});
