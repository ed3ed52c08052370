/** What the OpenTelemetry SDK receives about sign-ins, calls and decisions. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  metrics,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDecider } from '../../src/decision/decide.ts';
import type { AuditLog } from '../../src/decision/decision.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { CLOSED_PORT } from '../support/ports.ts';
import {
  APPLICANT,
  CANARY,
  connect,
  failureOf,
  json,
  REQUEST,
  serve,
  signal,
} from '../support/signals/scripted-service.ts';

const spans = new InMemorySpanExporter();
const counts = new InMemoryMetricExporter(AggregationTemporality.DELTA);

/** Keeps the active span across asynchronous calls, as an application's SDK set-up does. */
function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, self, ...args) =>
      storage.run(active, () => run.call(self as ThisParameterType<typeof run>, ...args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

const reader = new PeriodicExportingMetricReader({ exporter: counts, exportIntervalMillis: 3_600_000 });

beforeAll(() => {
  context.setGlobalContextManager(contextManager());
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
});

beforeEach(async () => {
  await reader.forceFlush();
  spans.reset();
  counts.reset();
  trace.disable();
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }));
});

afterAll(() => reader.shutdown());

/** The values of each counter, with their attributes. */
async function counted(): Promise<Record<string, unknown>> {
  await reader.forceFlush();
  const [latest] = counts.getMetrics().slice(-1);
  const all = latest?.scopeMetrics.flatMap(({ metrics: found }) => found) ?? [];
  return Object.fromEntries(
    all.flatMap(({ descriptor, dataPoints }) =>
      /duration|client/.test(descriptor.name)
        ? []
        : [[descriptor.name, dataPoints.map(({ attributes, value }) => [...Object.values(attributes), value])]],
    ),
  );
}

/** Collects the metrics since the last collection -> by name, the attributes and the value of each point. */
async function collect(): Promise<(name: string) => readonly (readonly [attributes: Attributes, value: unknown])[]> {
  await reader.forceFlush();
  const [latest] = counts.getMetrics().slice(-1);
  const all = latest?.scopeMetrics.flatMap(({ metrics: found }) => found) ?? [];
  return (name) => {
    const points = all.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
    return points.map(({ attributes, value }) => [attributes, value]);
  };
}

function reported(): [name: string, attributes: unknown, isFailure: boolean][] {
  return spans
    .getFinishedSpans()
    .map(({ name, attributes, status }) => [name, attributes, status.code === SpanStatusCode.ERROR]);
}

describe('OpenTelemetry receives', () => {
  test('nested spans of a decision, its call and its sign-in', async () => {
    const { verify } = { verify: connect((await serve()).url) };
    await createDecider({ policy: loadPolicy('rules/onboarding.yaml'), verify }).decide(APPLICANT);
    expect(reported()).toEqual([
      ['sign_in', { 'verdict.outcome': 'signedIn' }, false],
      ['verify', { 'verdict.outcome': 'answered', 'verdict.attempts': 1 }, false],
      [
        'decide',
        {
          'verdict.outcome': 'review',
          'verdict.policy.name': 'onboarding',
          'verdict.policy.version': '2026.11',
          'verdict.calls': 1,
          'verdict.undetermined': expect.any(Number),
        },
        false,
      ],
    ]);
    const [signIn, call, decision] = spans.getFinishedSpans();
    expect(signIn?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
    expect(call?.parentSpanContext?.spanId).toBe(decision?.spanContext().spanId);
    expect(await counted()).toEqual({
      'verdict.sign_ins': [['signedIn', 1]],
      'verdict.verifies': [['answered', 1]],
      'verdict.attempts': [[1]],
      'verdict.decisions': [['review', 'onboarding', '2026.11', 1]],
    });
    expect([signIn, call, decision].map((span) => span?.kind)).toEqual([
      SpanKind.CLIENT,
      SpanKind.CLIENT,
      SpanKind.INTERNAL,
    ]);
  });

  test('the code of a failed call, and how often it was sent', async () => {
    const service = await serve({ verify: json({}, 429) });
    await failureOf(connect(service.url, { backoffMs: 1, maxAttempts: 3 }).verify(REQUEST));
    expect(reported()[1]).toEqual([
      'verify',
      {
        'verdict.outcome': 'RATE_LIMITED',
        'error.type': 'RATE_LIMITED',
        'verdict.attempts': 3,
        'verdict.carried_out': 'no',
      },
      true,
    ]);
    expect(await counted()).toMatchObject({
      'verdict.verifies': [['RATE_LIMITED', 'RATE_LIMITED', 1]],
      'verdict.attempts': [[3]],
    });
  });

  test('the code of a failed sign-in', async () => {
    await failureOf(connect((await serve({ signIn: json({}, 401) })).url).verify(REQUEST));
    expect(reported()[0]).toEqual([
      'sign_in',
      { 'verdict.outcome': 'SIGN_IN_REFUSED', 'error.type': 'SIGN_IN_REFUSED' },
      true,
    ]);
  });

  test('the code of an aborted decision', async () => {
    const decider = createDecider({
      policy: loadPolicy('rules/onboarding.yaml'),
      verify: connect((await serve()).url),
    });
    await failureOf(decider.decide(APPLICANT, { signal: AbortSignal.abort() }));
    expect(reported().at(-1)).toEqual(['decide', { 'verdict.outcome': 'ABORTED', 'error.type': 'ABORTED' }, true]);
  });

  test('how long decisions, calls and records took', async () => {
    const verify = connect((await serve()).url);
    const audit: AuditLog = { mode: 'required', check: async () => {}, record: async () => {} };
    await createDecider({ policy: loadPolicy('rules/onboarding.yaml'), verify, audit }).decide(APPLICANT);
    const pointsOf = await collect();
    for (const [name, outcome] of [
      ['decide', 'review'],
      ['verify', 'answered'],
      ['sign_in', 'signedIn'],
      ['record', 'recorded'],
    ]) {
      const points = pointsOf(`verdict.${name}.duration`);
      expect(points).toEqual([[{ 'verdict.outcome': outcome }, expect.objectContaining({ count: 1 })]]);
      // Seconds: it took less than the deadline of 10.
      expect(points).toMatchObject([[{}, { sum: expect.toSatisfy((sum: number) => sum > 0 && sum < 10) }]]);
    }
  });

  test('that a record failed', async () => {
    const record = () => Promise.reject(new Error('canary-record'));
    const audit: AuditLog = { mode: 'required', check: async () => {}, record };
    const verify = connect((await serve()).url);
    const decider = createDecider({ policy: loadPolicy('rules/onboarding.yaml'), verify, audit });
    await failureOf(decider.decide(APPLICANT));
    expect(reported()).toContainEqual(['record', { 'verdict.outcome': 'error', 'error.type': '_OTHER' }, true]);
  });

  test('the circuits, the queue, the age of the token and the calls left, until the client is closed', async () => {
    const held = signal();
    const service = await serve({
      verify: (response, received) => void held.promise.then(() => json({})(response, received)),
    });
    const client = connect(service.url, { maxConcurrent: 1, maxCallsPerDay: 5 });
    const down = connect(`http://127.0.0.1:${CLOSED_PORT}`, { breakerFailures: 1, maxAttempts: 1 });
    await failureOf(down.verify(REQUEST));
    const calls = [client.verify(REQUEST), client.verify(REQUEST)];
    while (service.verifies.length === 0) await new Promise(setImmediate);
    const circuitsIn = (pointsOf: Awaited<ReturnType<typeof collect>>) =>
      Object.fromEntries(
        pointsOf('verdict.client.circuits').map(([attributes, value]) => [attributes['verdict.circuit.state'], value]),
      );
    const pointsOf = await collect();
    expect(circuitsIn(pointsOf)).toEqual({ closed: 1, open: 1, halfOpen: 0 });
    expect(pointsOf('verdict.client.in_flight')).toEqual([[{}, 1]]);
    expect(pointsOf('verdict.client.queued')).toEqual([[{}, 1]]);
    expect(pointsOf('verdict.client.token_age')).toEqual([[{}, expect.any(Number)]]);
    expect(pointsOf('verdict.client.calls_left')).toEqual([[{}, 4]]);
    held.give();
    await Promise.all(calls);
    down.close();
    client.close();
    const later = await collect();
    expect(circuitsIn(later)).toEqual({ closed: 0, open: 0, halfOpen: 0 });
    expect(later('verdict.client.token_age')).toEqual([]);
  });

  test('no data of the applicant, the account or the address', async () => {
    const service = await serve({ verify: json({ echo: CANARY }, 400) });
    const decider = createDecider({ policy: loadPolicy('rules/onboarding.yaml'), verify: connect(service.url) });
    await decider.decide(APPLICANT, { clientReference: 'canary-reference' });
    const shown = inspect([reported(), spans.getFinishedSpans().map(({ events }) => events), await counted()], {
      depth: 20,
    });
    expect(shown).not.toMatch(/canary|900987|203\.0\.113|127\.0\.0\.1/);
    expect(reported()).toHaveLength(3);
  });
});

test('a failing exporter loses no answer', async () => {
  trace.disable();
  const onEnd = () => {
    throw new Error('full');
  };
  const nothing = async () => {};
  const failing = { onStart: () => {}, onEnd, forceFlush: nothing, shutdown: nothing };
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [failing] }));
  const answer = await connect((await serve({ verify: json({ a: 1 }) })).url).verify(REQUEST);
  expect(answer.body).toEqual({ a: 1 });
});
