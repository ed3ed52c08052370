import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDecider } from '../../src/decision/decide.ts';
import type { DeciderOptions } from '../../src/decision/decider-options.ts';
import type { AuditLog } from '../../src/decision/decision.ts';
import { VerdictError } from '../../src/errors.ts';
import type { VerifyRequest } from '../../src/signals/request.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';

const FACTS = 'facts: { context.channel: { type: string }, context.limit: { type: integer } }\n';
const RULE = 'rules: [{ id: phone-risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }]\n';
const policyNamed = (version: string) =>
  policyOf(`${HEAD.replace('version: "1"', `version: "${version}"`)}${FACTS}${RULE}`);

const ADA = { phoneNo: '+12025550101', email: 'ada@mail.example' };
const BEN = { phoneNo: '+12025550102' };
const MINUTE_MS = 60_000;

/** A decider on a service that answers when `answer` is called, or with `isQuick` at once; and the calls to it. */
function deciderWith(options: Partial<DeciderOptions> = {}, isQuick = true) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const asked: VerifyRequest[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const verify: DeciderOptions['verify'] = {
    async verify(request, { signal } = {}) {
      asked.push(request);
      signals.push(signal);
      if (!isQuick) await promise;
      return { body: { searchStatus: 'Successful', clientReference: request.clientReference } };
    },
  };
  const decider = createDecider({ policy: policyNamed('1'), verify, ...options });
  return { decider, asked, signals, answer: resolve };
}

/** Lets the monotonic clock be moved. */
function movableClock(): { skip(ms: number): void } {
  let skippedMs = 0;
  const monotonic = performance.now.bind(performance);
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + skippedMs);
  onTestFinished(() => spy.mockRestore());
  return {
    skip(ms) {
      skippedMs += ms;
    },
  };
}

/** Runs all that can run without an answer of the service. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'decided',
    (error: unknown) => (error instanceof VerdictError ? `${error.code} ${error.carriedOut}` : error),
  );

describe('concurrent decisions under one reference', () => {
  it('of the same applicant and context share one call and one decision', async () => {
    const { decider, asked, answer } = deciderWith({}, false);
    const context = { channel: 'web', limit: () => 5 };
    const spelt = { phoneNo: '+1 (202) 555-0101', email: 'Ada@MAIL.example' };
    const all = [ADA, spelt, ADA].map((each) =>
      decider.decide(each, { clientReference: 'r', context: { ...context, limit: () => 5 } }),
    );
    await settle();
    answer();
    const [first, second, third] = await Promise.all(all);
    expect(asked).toHaveLength(1);
    expect(second).toEqual(first);
    expect(third?.id).toBe(first?.id);
    expect(second).not.toBe(first);
  });

  it.each<[string, Parameters<ReturnType<typeof createDecider>['decide']>]>([
    ['another applicant', [BEN, { clientReference: 'r', context: { channel: 'web' } }]],
    [
      'another address',
      [
        { ...ADA, ip: '2001:db8::1' },
        { clientReference: 'r', context: { channel: 'web' } },
      ],
    ],
    ['another context', [ADA, { clientReference: 'r', context: { channel: 'branch' } }]],
    ['other variables', [ADA, { clientReference: 'r', context: { channel: 'web' }, variables: { firstName: 'A' } }]],
  ])('are refused for %s, before anything is sent', async (_, other) => {
    const { decider, asked, answer } = deciderWith({}, false);
    const first = decider.decide(ADA, { clientReference: 'r', context: { channel: 'web' } });
    await settle();
    expect(await codeOf(decider.decide(...other))).toBe('REFERENCE_IN_USE no');
    answer();
    await first;
    expect(asked).toHaveLength(1);
    expect(await codeOf(decider.decide(...other))).toBe('decided');
  });

  it('without a reference share nothing', async () => {
    const { decider, asked } = deciderWith();
    await Promise.all([decider.decide(ADA), decider.decide(ADA)]);
    expect(asked).toHaveLength(2);
  });

  it('go on when one caller aborts, and end when the last does', async () => {
    for (const leaving of [1, 2]) {
      const { decider, signals, answer } = deciderWith({}, false);
      const ends = [new AbortController(), new AbortController()];
      const all = ends.map(({ signal }) => codeOf(decider.decide(ADA, { clientReference: 'r', signal })));
      await settle();
      for (const end of ends.slice(0, leaving)) end.abort();
      await settle();
      expect(signals.map((signal) => signal?.aborted)).toEqual([leaving === 2]);
      // Nobody waits for the ended decision: the same reference is decided afresh.
      if (leaving === 2) void codeOf(decider.decide(BEN, { clientReference: 'r' }));
      answer();
      const aborted = 'ABORTED unknown';
      expect(await Promise.all(all)).toEqual(leaving === 1 ? [aborted, 'decided'] : [aborted, aborted]);
    }
  });

  it('are given to all once they are being recorded, whatever their signals say', async () => {
    const isDurable = Promise.withResolvers<void>();
    const isRecording = Promise.withResolvers<void>();
    const audit: AuditLog = {
      mode: 'required',
      check: async () => {},
      record: () => {
        isRecording.resolve();
        return isDurable.promise;
      },
    };
    const { decider } = deciderWith({ audit });
    const ends = [new AbortController(), new AbortController()];
    const all = ends.map(({ signal }) => codeOf(decider.decide(ADA, { clientReference: 'r', signal })));
    await isRecording.promise;
    for (const end of ends) end.abort();
    isDurable.resolve();
    expect(await Promise.all(all)).toEqual(['decided', 'decided']);
  });
});

describe('a reference that was decided', () => {
  it('gives the same decision again, for 10 minutes and without a second record', async () => {
    const clock = movableClock();
    let records = 0;
    const record = async () => {
      records += 1;
    };
    const { decider, asked } = deciderWith({ audit: { mode: 'required', check: async () => {}, record } });
    const decide = () => decider.decide(ADA, { clientReference: 'r' });
    const first = await decide();
    const untouched = structuredClone(first);
    Object.assign(first, { outcome: 'changed by its caller' });
    clock.skip(10 * MINUTE_MS - 1_000);
    expect(await decide()).toEqual(untouched);
    expect([asked.length, records]).toEqual([1, 1]);
    clock.skip(1_000);
    expect((await decide()).id).not.toBe(first.id);
    expect([asked.length, records]).toEqual([2, 2]);
  });

  it('is decided afresh for another applicant, or by another policy', async () => {
    let policy = policyNamed('1');
    const { decider, asked } = deciderWith({ policy: () => policy });
    await decider.decide(ADA, { clientReference: 'r' });
    const other = await decider.decide(BEN, { clientReference: 'r' });
    expect(other.signals.requested).toEqual(['phoneNo']);
    policy = policyNamed('2');
    await decider.decide(BEN, { clientReference: 'r' });
    expect(asked).toHaveLength(3);
  });

  it('is remembered for its own time if an earlier one of the same reference is forgotten', async () => {
    const clock = movableClock();
    const { decider, asked } = deciderWith();
    await decider.decide(ADA, { clientReference: 'r' });
    clock.skip(6 * MINUTE_MS);
    const later = await decider.decide(BEN, { clientReference: 'r' });
    clock.skip(6 * MINUTE_MS);
    expect((await decider.decide(BEN, { clientReference: 'r' })).id).toBe(later.id);
    expect(asked).toHaveLength(2);
  });

  it('is not remembered with rememberMs 0', async () => {
    const { decider, asked } = deciderWith({ rememberMs: 0 });
    for (let call = 0; call < 2; call++) await decider.decide(ADA, { clientReference: 'r' });
    expect(asked).toHaveLength(2);
  });

  it('is not remembered if the service was certainly not asked, or there is no decision', async () => {
    let calls = 0;
    const fails = { carriedOut: 'no' as const, attempts: 0 };
    const down: DeciderOptions['verify'] = {
      verify: () => {
        calls += 1;
        return Promise.reject(new VerdictError('UNREACHABLE', 'down', fails));
      },
    };
    const { decider } = deciderWith({ verify: down });
    for (let call = 0; call < 2; call++) await decider.decide(ADA, { clientReference: 'r' });
    expect(calls).toBe(2);

    const record = () => Promise.reject(new Error('the disk is full'));
    const unrecorded = deciderWith({ audit: { mode: 'required', check: async () => {}, record } });
    for (let call = 0; call < 2; call++) {
      expect(await codeOf(unrecorded.decider.decide(ADA, { clientReference: 'r' }))).toBe('AUDIT_FAILED unknown');
    }
    expect(unrecorded.asked).toHaveLength(2);
  });

  it('is remembered if the call may have been billed', async () => {
    let calls = 0;
    const hangsUp: DeciderOptions['verify'] = {
      verify: () => {
        calls += 1;
        return Promise.reject(new VerdictError('TIMED_OUT', 'late', { carriedOut: 'unknown', attempts: 1 }));
      },
    };
    const { decider } = deciderWith({ verify: hangsUp });
    for (let call = 0; call < 2; call++) await decider.decide(ADA, { clientReference: 'r' });
    expect(calls).toBe(1);
  });
});

it.each([-1, 0.5, '10', 2 ** 31])('rememberMs cannot be %s', (rememberMs) => {
  expect(() => deciderWith({ rememberMs: rememberMs as number })).toThrow(
    expect.objectContaining({ code: 'CONFIGURATION_INVALID', message: expect.stringContaining('rememberMs') }),
  );
});

describe('what the functions of a context give', () => {
  // The shadow rule makes the decider ask.
  const LIMIT = `${HEAD}${FACTS}rules:
  - { id: limit, when: { context.limit: { above: 50 } }, then: reject }
  - { id: phone-risk, when: { phone.riskLevel: { atLeast: high } }, then: reject, mode: shadow }
`;
  const limited = (limit: unknown, clientReference = 'r') => ({ clientReference, context: { limit: limit as number } });
  const giving = (limit: number | undefined) => () => {
    if (limit === undefined) throw new Error('down');
    return limit;
  };

  it.each([
    [1, 'accept', 1],
    [99, 'reject', 2],
    [undefined, 'review', 2],
  ])('is compared with what a remembered decision was made on: %s', async (later, outcome, calls) => {
    const { decider, asked } = deciderWith({ policy: policyOf(LIMIT) });
    const first = await decider.decide(ADA, limited(giving(1)));
    const other = await decider.decide(ADA, limited(giving(later)));
    expect([first.outcome, other.outcome]).toEqual(['accept', outcome]);
    expect(asked).toHaveLength(calls);
    expect(other.id === first.id).toBe(calls === 1);
  });

  it('is asked of two callers at once, with one call for the new answer', async () => {
    const { decider, asked } = deciderWith({ policy: policyOf(LIMIT) });
    await decider.decide(ADA, limited(giving(1)));
    const both = await Promise.all([1, 2].map(() => decider.decide(ADA, limited(giving(99)))));
    expect(both.map(({ outcome }) => outcome)).toEqual(['reject', 'reject']);
    expect(both[1]?.id).toBe(both[0]?.id);
    expect(asked).toHaveLength(2);
  });

  it('has to be the same to share a decision in flight', async () => {
    const { decider, asked, answer } = deciderWith({ policy: policyOf(LIMIT) }, false);
    const first = decider.decide(ADA, limited(giving(1)));
    await settle();
    const others = [1, 99].map((limit) => codeOf(decider.decide(ADA, limited(giving(limit)))));
    await settle();
    answer();
    expect((await first).outcome).toBe('accept');
    expect(await Promise.all(others)).toEqual(['decided', 'REFERENCE_IN_USE no']);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['a Number', Object(1)],
    ['an object with toJSON', { toJSON: () => 1 }],
  ])('is not that of %s in its place', async (_, limit) => {
    const { decider } = deciderWith({ policy: policyOf(LIMIT) });
    expect((await decider.decide(ADA, limited(1))).outcome).toBe('accept');
    expect((await decider.decide(ADA, limited(limit))).outcome).toBe('review');
  });
});

it('a decision in flight is not shared with a caller under a newer policy', async () => {
  let policy = policyNamed('1');
  const { decider, asked, answer } = deciderWith({ policy: () => policy }, false);
  const first = decider.decide(ADA, { clientReference: 'r' });
  await settle();
  policy = policyNamed('2');
  expect(await codeOf(decider.decide(ADA, { clientReference: 'r' }))).toBe('REFERENCE_IN_USE no');
  answer();
  expect((await first).policy.version).toBe('1');
  expect((await decider.decide(ADA, { clientReference: 'r' })).policy.version).toBe('2');
  expect(asked).toHaveLength(2);
});
