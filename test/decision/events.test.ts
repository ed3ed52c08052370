/** What `onEvent` and the diagnostics channel are told by a client and a decider. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDecider } from '../../src/decision/decide.ts';
import type { DeciderOptions } from '../../src/decision/decider-options.ts';
import type { AuditLog } from '../../src/decision/decision.ts';
import type { DeciderEvent } from '../../src/decision/events.ts';
import { type ClientEvent, EVENT_CHANNEL } from '../../src/platform/events.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import type { VerifyClientOptions } from '../../src/signals/options.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';
import { CLOSED_PORT } from '../support/ports.ts';
import {
  APPLICANT,
  CANARY,
  connect,
  failureOf,
  type Handler,
  json,
  REQUEST,
  serve,
} from '../support/signals/scripted-service.ts';

const durationMs = expect.any(Number);
const policy = loadPolicy('rules/phone-only.yaml');

/** A client that keeps its events. */
function listening(url: string, options: Partial<VerifyClientOptions> = {}) {
  const events: ClientEvent[] = [];
  return { events, client: connect(url, { backoffMs: 1, onEvent: (event) => void events.push(event), ...options }) };
}

/** The events of one decision. */
async function eventsOf(options: Partial<DeciderOptions>, context = {}): Promise<DeciderEvent[]> {
  const events: DeciderEvent[] = [];
  const verify = { verify: async () => ({ body: {} }) };
  const decider = createDecider({ policy, verify, onEvent: (event) => void events.push(event), ...options });
  await decider.decide(APPLICANT, { context }).catch(() => {});
  return events;
}

describe('a client tells', () => {
  it('sign-ins, attempts and retries, with the code, the cause and the request id', async () => {
    let calls = 0;
    const verify: Handler = (response, received) =>
      (++calls === 1 ? json({}, 429) : json({}))(response.setHeader('x-request-id', `id-${calls}`), received);
    const { events, client } = listening((await serve({ verify })).url);
    await client.verify(REQUEST);
    expect(events).toEqual([
      { type: 'signIn', durationMs },
      { type: 'attempt', call: 1, error: 'RATE_LIMITED', requestId: 'id-1', durationMs },
      { type: 'retry', call: 1, error: 'RATE_LIMITED', waitMs: expect.any(Number) },
      { type: 'attempt', call: 1, requestId: 'id-2', durationMs },
    ]);
  });

  it('that its circuit opens, and why', async () => {
    const { events, client } = listening(`http://127.0.0.1:${CLOSED_PORT}`, {
      breakerFailures: 1,
      maxAttempts: 1,
    });
    await failureOf(client.verify(REQUEST));
    const failed = { error: 'UNREACHABLE', cause: 'ECONNREFUSED', durationMs };
    expect(events).toEqual([
      { type: 'signIn', ...failed },
      { type: 'attempt', call: 1, ...failed },
      { type: 'circuit', circuit: 'open' },
    ]);
  });
});

describe('a decider tells', () => {
  it('which source failed, and in which decision', async () => {
    const verify = connect((await serve({ verify: json({}, 422) })).url);
    const [event, ...others] = await eventsOf({ verify });
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'sourceFailed', stage: 1, result: 'failed', error: 'REJECTED', attempts: 1 });
    expect(event?.decision).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('that a log of the caller refuses a decision or its record, with the code alone', async () => {
    const thrown = Object.assign(new Error('canary'), { code: 'ECONNREFUSED' });
    const fail = () => Promise.reject(thrown);
    const passes = async () => {};
    for (const [type, log, carriedOut] of [
      ['recordRefused', { check: fail, record: passes }, 'no'],
      ['recordFailed', { check: passes, record: fail }, 'unknown'],
    ] as const) {
      const events: DeciderEvent[] = [];
      const audit: AuditLog = { mode: 'required', ...log };
      const verify = { verify: async () => ({ body: {} }) };
      const decider = createDecider({ policy, verify, audit, onEvent: (event) => events.push(event) });
      const error = await decider.decide(APPLICANT).catch((failed: unknown) => failed);
      expect(error).toMatchObject({ code: 'AUDIT_FAILED', carriedOut, cause: { code: 'ECONNREFUSED' } });
      expect(inspect(error)).not.toContain('canary');
      const told = events.filter((event) => event.type.startsWith('record'));
      expect(told).toEqual([{ type, cause: 'ECONNREFUSED', decision: expect.any(String) }]);
      expect(told[0]?.thrown).toBe(thrown);
    }
  });

  it('what a function of the caller threw, to onEvent alone, and not where it is printed', async () => {
    const published: unknown[] = [];
    const onPublished = (event: unknown) => void published.push(event);
    subscribe(EVENT_CHANNEL, onPublished);
    onTestFinished(() => void unsubscribe(EVENT_CHANNEL, onPublished));
    const thrown = new TypeError(`canary ${CANARY.phoneNo}`);
    const fail = () => Promise.reject(thrown);
    const audit: AuditLog = { mode: 'best-effort', check: async () => {}, record: fail };
    const own = policyOf(`${HEAD}
facts: { context.limit: { type: number } }
rules:
  - { id: limit, when: { context.limit: { above: 10 } }, then: review }
  - { id: scored, when: { phone.score: { above: 10 } }, then: review }
`);
    const events = await eventsOf({ policy: own, verify: { verify: fail }, audit }, { limit: fail });
    expect(events.map(({ type }) => type).sort()).toEqual(['factFailed', 'recordFailed', 'sourceFailed']);
    for (const event of events) expect(event.thrown).toBe(thrown);
    expect(published).toHaveLength(3);
    for (const event of published as DeciderEvent[]) expect(event.thrown).toBeUndefined();
    expect(inspect([events, published], { depth: 9 }) + JSON.stringify(events)).not.toMatch(/canary|900987/);
  });
});

it('a listener that throws, rejects or writes into an event ends nothing', async () => {
  const listeners: ((event: object) => unknown)[] = [
    () => {
      throw new Error('full');
    },
    () => Promise.reject(new Error('full')),
    (event) => Object.assign(event, { type: 'other' }),
  ];
  const { url } = await serve();
  for (const onEvent of listeners) {
    const verify = connect(url, { onEvent: onEvent as () => void });
    const decider = createDecider({ policy, verify, onEvent: onEvent as () => void });
    const { signals } = await decider.decide(APPLICANT);
    expect(signals.calls).toHaveLength(1);
  }
});

it('onEvent has to be a function', async () => {
  const { url } = await serve();
  expect(() => connect(url, { onEvent: 5 as never })).toThrow('onEvent has to be a function');
  const verify = connect(url);
  expect(() => createDecider({ policy, verify, onEvent: {} as never })).toThrow('onEvent has to be a function');
});
