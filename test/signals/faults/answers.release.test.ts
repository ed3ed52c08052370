import { describe, expect, it } from 'vitest';
import type { Call, Fault } from '../../support/signals/chaos-proxy.ts';
import { failureOf, naiveOf, requestOf, settle } from '../../support/signals/clients.ts';
import * as faults from '../../support/signals/faults.ts';
import { chaosFor, clientOf } from '../../support/signals/setting.ts';

const strike = (endpoint: Call['endpoint'], fault: Fault) => ({
  faults: (call: Call) => (call.endpoint === endpoint ? fault : undefined),
});

/** Whether a promise is settled by now. */
function watch(promise: Promise<unknown>): { readonly isSettled: boolean } {
  const state = { isSettled: false };
  const done = () => {
    state.isSettled = true;
  };
  promise.then(done, done);
  return state;
}

describe.each(['sign-in', 'verify'] as const)('a redirect of %s', (endpoint) => {
  it.each([300, 301, 302, 303, 304, 305, 306, 307, 308])(
    'with %i is refused, and its target gets no byte',
    async (code) => {
      const { chaos } = await chaosFor(strike(endpoint, faults.redirect(code, 'other')));
      const error = await failureOf(clientOf(chaos).verify(requestOf('r')));
      expect(error).toMatchObject({ code: 'REDIRECTED', carriedOut: endpoint === 'verify' ? 'unknown' : 'no' });
      expect(chaos.otherHost.bytes).toBe(0);
    },
  );

  it.each([301, 302, 303, 307, 308])('with %i to the same host is refused as well', async (code) => {
    const { chaos } = await chaosFor(strike(endpoint, faults.redirect(code, 'same')));
    expect(await failureOf(clientOf(chaos).verify(requestOf('r')))).toMatchObject({ code: 'REDIRECTED' });
    expect(chaos.calls.filter((call) => call.endpoint === endpoint)).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])('with %i is followed by a naive client', async (code) => {
    const { chaos } = await chaosFor(strike(endpoint, faults.redirect(code, 'other')));
    await settle(naiveOf(chaos).verify(requestOf('r')));
    expect(chaos.otherHost.bytes).toBeGreaterThan(0);
  });
});

describe('the deadline', () => {
  it.each(['header', 'body'] as const)('ends a call whose %s arrives byte by byte', async (part) => {
    const { promise: farPast, resolve: tell } = Promise.withResolvers<void>();
    // A second of single bytes: more than three times the deadline.
    const onStep = (bytes: number) => bytes === 20 && tell();
    const [ours, naives] = [
      await chaosFor(strike('verify', faults.drip(part))),
      await chaosFor(strike('verify', faults.drip(part, onStep))),
    ];
    const naive = watch(naiveOf(naives.chaos, 300).verify(requestOf('r')));
    const error = await failureOf(clientOf(ours.chaos, { timeoutMs: 300 }).verify(requestOf('r')));
    expect(error).toMatchObject({ code: 'TIMED_OUT', carriedOut: 'unknown' });
    expect(ours.chaos.calls.at(-1)).toMatchObject({ billed: true, delivered: false });
    if (part === 'header') return;
    // The timeout of axios is a limit of silence.
    await farPast;
    expect(naive.isSettled).toBe(false);
  });

  it('ends a call whose sign-in arrives byte by byte, and it was not carried out', async () => {
    const { chaos } = await chaosFor(strike('sign-in', faults.drip('body')));
    const error = await failureOf(clientOf(chaos, { timeoutMs: 300 }).verify(requestOf('r')));
    expect(error).toMatchObject({ code: 'TIMED_OUT', carriedOut: 'no' });
    expect(chaos.receipts.size).toBe(0);
  });
});

describe.each(['sign-in', 'verify'] as const)('an answer to %s', (endpoint) => {
  it.each([faults.gzipBomb(64), faults.deepJson, faults.endlessBody()])(
    'that is too large ($name) is refused',
    async (fault) => {
      const { chaos } = await chaosFor(strike(endpoint, fault));
      const error = await failureOf(clientOf(chaos).verify(requestOf('r')));
      expect(error).toMatchObject({ code: 'ANSWER_UNREADABLE', carriedOut: endpoint === 'verify' ? 'unknown' : 'no' });
    },
  );
});

describe('a naive client', () => {
  it.each([faults.gzipBomb(64), faults.deepJson])('accepts $name', async (fault) => {
    const { chaos } = await chaosFor(strike('verify', fault));
    expect(await settle(naiveOf(chaos).verify(requestOf('r')))).toHaveProperty('value');
  });

  it('keeps reading an endless body', async () => {
    const { promise: isMuch, resolve: tell } = Promise.withResolvers<void>();
    const { chaos } = await chaosFor(
      strike(
        'verify',
        faults.endlessBody((bytes) => bytes >= 16 * 1024 * 1024 && tell()),
      ),
    );
    const call = watch(naiveOf(chaos).verify(requestOf('r')));
    await isMuch;
    expect(call.isSettled).toBe(false);
  });
});
