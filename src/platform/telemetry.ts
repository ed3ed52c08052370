/**
 * Operations -> OpenTelemetry: a span and a counter for each sign-in, verify call and decision. Only its API is
 * used, so without the SDK nothing is reported. No attribute holds personal data, a secret or an address.
 */

import { type Attributes, type Counter, type MeterProvider, metrics, SpanStatusCode, trace } from '@opentelemetry/api';
import { VerdictError } from '../errors.ts';
import { ENGINE_VERSION } from '../version.ts';

/** The name of the instrumentation scope. */
const SCOPE = 'verdict-engine';

const ATTEMPTS = 'verdict.attempts';

/** The counter of each operation; the operation is the name of the span. */
const COUNTERS = { sign_in: 'verdict.sign_ins', verify: 'verdict.verifies', decide: 'verdict.decisions' } as const;

/** What each counter counts. */
const DESCRIPTIONS = {
  'verdict.sign_ins': 'Sign-ins to the verification service.',
  'verdict.verifies': 'Verify calls, each with one outcome.',
  'verdict.decisions': 'Decisions.',
  [ATTEMPTS]: 'Verify requests that were sent: one for each call, plus resends.',
} as const;

/** The name of an operation. */
export type Operation = keyof typeof COUNTERS;

/** What is reported of an operation that has ended. */
export interface Observation {
  /** One of a few values, such as `answered`, an error code, `accept`. */
  readonly outcome: string;
  readonly isFailure?: boolean;
  /** How many requests were sent. */
  readonly attempts?: number;
  /** More attributes of the span. */
  readonly attributes?: Attributes;
}

/** Runs an operation within a span and counts it. Its result or error is passed on unchanged. */
export function observe<Result>(
  operation: Operation,
  run: () => Promise<Result>,
  describe: (result: Result) => Observation,
): Promise<Result> {
  // Looked up each time: an application may register its provider after this library is loaded.
  return trace.getTracer(SCOPE, ENGINE_VERSION).startActiveSpan(operation, async (span) => {
    const end = ({ outcome, isFailure = false, attempts, attributes }: Observation) => {
      try {
        const counted = attempts === undefined ? {} : { [ATTEMPTS]: attempts };
        span.setAttributes({ 'verdict.outcome': outcome, ...counted, ...attributes });
        if (isFailure) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
        counterOf(COUNTERS[operation]).add(1, { 'verdict.outcome': outcome });
        if (attempts !== undefined) counterOf(ATTEMPTS).add(attempts);
      } catch {
        // A failing exporter must not lose an answer that was paid for.
      }
    };
    try {
      const result = await run();
      end(describe(result));
      return result;
    } catch (error) {
      end({ outcome: error instanceof VerdictError ? error.code : 'error', isFailure: true });
      throw error;
    }
  });
}

const created = new WeakMap<MeterProvider, Map<string, Counter>>();

/** The counter with this name at the provider that is registered now. */
function counterOf(name: keyof typeof DESCRIPTIONS): Counter {
  const provider = metrics.getMeterProvider();
  const counters = created.get(provider) ?? new Map<string, Counter>();
  created.set(provider, counters);
  const counter =
    counters.get(name) ??
    provider.getMeter(SCOPE, ENGINE_VERSION).createCounter(name, { description: DESCRIPTIONS[name] });
  counters.set(name, counter);
  return counter;
}
