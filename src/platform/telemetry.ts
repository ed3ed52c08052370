/**
 * Operations -> OpenTelemetry: a span, a counter and a duration for each sign-in, verify call, decision and record,
 * and the state of the clients. No attribute holds personal data, a secret or an address.
 */

import type * as Telemetry from '@opentelemetry/api';
import type { Counter, Histogram, Meter, MeterProvider, Span, SpanKind } from '@opentelemetry/api';
import { VerdictError } from '../errors.ts';
import { ENGINE_VERSION } from '../version.ts';
import { cached } from './cached.ts';
import { lazy, require } from './lazy.ts';

/**
 * The application's copy of the API, which is an optional peer: a second copy of another version would not reach the
 * SDK. Undefined if the application has none.
 */
const findApi = lazy(() => {
  try {
    return require<typeof Telemetry>('@opentelemetry/api');
  } catch {
    return undefined;
  }
});

/** The name of the instrumentation scope. */
const SCOPE = 'verdict-engine';

const ATTEMPTS = 'verdict.attempts';

/** The span kind, counter and histogram of each operation; the operation is the name of the span. */
const OPERATIONS = {
  sign_in: { kind: 'CLIENT', counter: 'verdict.sign_ins', duration: 'verdict.sign_in.duration' },
  verify: { kind: 'CLIENT', counter: 'verdict.verifies', duration: 'verdict.verify.duration' },
  decide: { kind: 'INTERNAL', counter: 'verdict.decisions', duration: 'verdict.decide.duration' },
  record: { kind: 'INTERNAL', counter: 'verdict.records', duration: 'verdict.record.duration' },
} as const satisfies Readonly<Record<string, { readonly kind: keyof typeof SpanKind } & Record<string, string>>>;

/** What each counter counts. */
const COUNTERS = {
  'verdict.sign_ins': 'Sign-ins to the verification service.',
  'verdict.verifies': 'Verify calls, each with one outcome.',
  'verdict.decisions': 'Decisions, by outcome and policy.',
  'verdict.records': 'Records of decisions that were handed to the audit log.',
  [ATTEMPTS]: 'Verify requests that were sent: one for each call, plus resends.',
} as const;

/** What each histogram measures, in seconds. */
const DURATIONS = {
  'verdict.sign_in.duration': 'Duration of a sign-in.',
  'verdict.verify.duration': 'Duration of a verify call, with its sign-in, waiting and resends.',
  'verdict.decide.duration': 'Duration of a decision, with its calls and its record.',
  'verdict.record.duration': 'Duration until the audit log has a record.',
} as const;

/** The boundaries, in seconds, that OpenTelemetry's semantic conventions advise for the durations of requests. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The name of an operation. */
export type Operation = keyof typeof OPERATIONS;

type Attributes = Readonly<Record<string, string | number>>;

/** The report of an operation that has ended. */
export interface Observation {
  /** One of a few values, such as `answered`, an error code, `accept`. */
  readonly outcome: string;
  readonly isFailure?: boolean;
  /** How many requests were sent. */
  readonly attempts?: number;
  /** More attributes of the span and of the counter: few values each. */
  readonly dimensions?: Attributes;
  /** More attributes of the span alone. */
  readonly attributes?: Attributes;
}

/** Runs an operation within a span, counts and times it. Its result or error is passed on unchanged. */
export function observe<Result>(
  operation: Operation,
  run: () => Promise<Result>,
  describe: (result: Result) => Observation,
): Promise<Result> {
  const api = findApi();
  if (!api) return run();
  const { trace, SpanKind: kinds } = api;
  const beganAt = performance.now();
  const options = { kind: kinds[OPERATIONS[operation].kind] };
  // Looked up each time: an application may register its provider after this library is loaded.
  return trace.getTracer(SCOPE, ENGINE_VERSION).startActiveSpan(operation, options, async (span) => {
    const end = (observation: Observation) => report(operation, span, performance.now() - beganAt, observation);
    try {
      const result = await run();
      end(describe(result));
      return result;
    } catch (error) {
      end({ outcome: VerdictError.is(error) ? error.code : 'error', isFailure: true });
      throw error;
    }
  });
}

function report(operation: Operation, span: Span, ms: number, observation: Observation): void {
  const { outcome, isFailure = false, attempts, dimensions, attributes } = observation;
  const { counter, duration } = OPERATIONS[operation];
  try {
    // `error.type` is the attribute of the semantic conventions, by which dashboards find failures.
    const type = isFailure ? { 'error.type': outcome === 'error' ? '_OTHER' : outcome } : {};
    const counted = { 'verdict.outcome': outcome, ...type, ...dimensions };
    span.setAttributes({ ...counted, ...(attempts === undefined ? {} : { [ATTEMPTS]: attempts }), ...attributes });
    const code = findApi()?.SpanStatusCode.ERROR;
    if (isFailure && code !== undefined) span.setStatus({ code });
    span.end();
    const instruments = instrumentsNow();
    instruments?.counters[counter].add(1, counted);
    if (attempts !== undefined) instruments?.counters[ATTEMPTS].add(attempts);
    instruments?.durations[duration].record(ms / 1000, { 'verdict.outcome': outcome, ...type });
  } catch {
    // A failing exporter must not lose an answer that was paid for.
  }
}

/** The state of a client, as the gauges show it. */
export interface ClientState {
  /** The circuit breaker; `open` until a call after its pause tries the service (`halfOpen`). */
  readonly circuit: 'closed' | 'open' | 'halfOpen';
  /** Calls that are being sent. */
  readonly inFlight: number;
  /** Calls that wait to be sent. */
  readonly queued: number;
  /** The token: its age, and when it is used no longer, by the client's clock. Undefined if a call would sign in. */
  readonly token: { readonly ageMs: number; readonly expiresAt: number } | undefined;
  /** The calls that `maxCallsPerDay` leaves for today; undefined without it. */
  readonly callsLeft: number | undefined;
}

/** Weak, so that a client that was never closed can be collected. */
const clients = new Set<WeakRef<() => ClientState>>();

/** Shows a client's state in the gauges. The client has to hold the function for as long as it lives. */
export function showClient(state: () => ClientState): void {
  clients.add(new WeakRef(state));
}

/** Ends `showClient`. */
export function hideClient(state: () => ClientState): void {
  for (const shown of clients) if ([state, undefined].includes(shown.deref())) clients.delete(shown);
}

interface Instruments {
  readonly counters: Readonly<Record<keyof typeof COUNTERS, Counter>>;
  readonly durations: Readonly<Record<keyof typeof DURATIONS, Histogram>>;
}

/** The instruments of the provider that is registered now. */
function instrumentsNow(): Instruments | undefined {
  const provider = findApi()?.metrics.getMeterProvider();
  return provider && instrumentsOf(provider);
}

const instrumentsOf = cached((provider: MeterProvider): Instruments => {
  const meter = provider.getMeter(SCOPE, ENGINE_VERSION);
  createGauges(meter);
  return {
    counters: mapValues(COUNTERS, (name, description) => meter.createCounter(name, { description })),
    durations: mapValues(DURATIONS, (name, description) =>
      meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: BOUNDARIES } }),
    ),
  };
});

/** Gauges of all clients together, since no attribute may name an account or an address. */
function createGauges(meter: Meter): void {
  const gauge = (name: string, description: string, unit?: string) =>
    meter.createObservableGauge(name, { description, ...(unit === undefined ? {} : { unit }) });
  const states = () => [...clients].flatMap((shown) => shown.deref()?.() ?? []);
  const sum = (count: (state: ClientState) => number) => states().reduce((total, each) => total + count(each), 0);
  gauge('verdict.client.circuits', 'Clients, by the state of their circuit breaker.').addCallback((result) => {
    for (const circuit of ['closed', 'open', 'halfOpen'] as const) {
      result.observe(
        sum((state) => Number(state.circuit === circuit)),
        { 'verdict.circuit.state': circuit },
      );
    }
  });
  gauge('verdict.client.in_flight', 'Verify calls that are being sent.').addCallback((result) =>
    result.observe(sum(({ inFlight }) => inFlight)),
  );
  gauge('verdict.client.queued', 'Verify calls that wait to be sent.').addCallback((result) =>
    result.observe(sum(({ queued }) => queued)),
  );
  gauge('verdict.client.token_age', 'Age of the oldest token in use.', 's').addCallback((result) => {
    const ages = states().flatMap(({ token }) => (token === undefined ? [] : [token.ageMs / 1000]));
    if (ages.length > 0) result.observe(Math.max(...ages));
  });
  gauge('verdict.client.calls_left', 'Calls left today, of the client that has the fewest.').addCallback((result) => {
    const left = states().flatMap(({ callsLeft }) => callsLeft ?? []);
    if (left.length > 0) result.observe(Math.min(...left));
  });
}

function mapValues<Key extends string, Value>(
  from: Readonly<Record<Key, string>>,
  make: (key: Key, text: string) => Value,
): Record<Key, Value> {
  const entries = (Object.entries(from) as [Key, string][]).map(([key, text]) => [key, make(key, text)]);
  return Object.fromEntries(entries) as Record<Key, Value>;
}
