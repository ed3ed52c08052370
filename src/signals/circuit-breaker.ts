/** The calls of one client -> the calls that may be sent now: limited in number, and none while the service is down. */

import type * as Cockatiel from 'cockatiel';
import { require } from '../platform/lazy.ts';
import type { ClientState } from '../platform/telemetry.ts';
import type { Deadline } from './deadline.ts';
import { type FailedCall, isFailed, notSentFailure, stopFailure } from './failure.ts';
import type { Settings } from './read-options.ts';

/** Creates the circuit breaker and the queue that the calls of one client share. */
export function createCallGate(
  { breakerFailures, breakerPauseMs, maxConcurrent, maxQueued }: Settings,
  onCircuit: (circuit: ClientState['circuit']) => void = () => {},
) {
  const cockatiel = require<typeof Cockatiel>('cockatiel');
  const { BulkheadRejectedError, CircuitState, isBrokenCircuitError, TaskCancelledError } = cockatiel;
  const circuits = {
    [CircuitState.Closed]: 'closed',
    [CircuitState.HalfOpen]: 'halfOpen',
    [CircuitState.Open]: 'open',
    [CircuitState.Isolated]: 'open',
  } as const;
  const queue = cockatiel.bulkhead(maxConcurrent, maxQueued);
  const isFailure = (result: unknown) => {
    if (!isFailed(result)) return false;
    // After a trial that shows nothing about the service, the circuit stays open.
    return result.isDown || (breaker.state === CircuitState.HalfOpen && result.isNeutral);
  };
  const breaker = cockatiel.circuitBreaker(cockatiel.handleWhenResult(isFailure), {
    breaker: new cockatiel.ConsecutiveBreaker(breakerFailures),
    halfOpenAfter: monotonicPause(breakerPauseMs),
  });
  breaker.onStateChange((circuit) => onCircuit(circuits[circuit]));

  async function run<Result extends object>(send: () => Promise<Result | FailedCall>, deadline: Deadline) {
    // While one call tries the service, cockatiel would make the others wait for its result.
    if (breaker.state === CircuitState.HalfOpen) return notSentFailure('circuitOpen');
    const sendCounted = async () => {
      const result = await queue.execute(send, deadline.signal);
      // A neutral result neither opens the circuit nor keeps it closed.
      const isNeutral = isFailed(result) && result.isNeutral;
      if (breaker.state === CircuitState.Closed && isNeutral) throw new UncountedResult(result);
      return result;
    };
    try {
      return await breaker.execute(sendCounted);
    } catch (error) {
      if (error instanceof UncountedResult) return error.result;
      if (isBrokenCircuitError(error)) return notSentFailure('circuitOpen');
      if (error instanceof BulkheadRejectedError) return notSentFailure('queueFull');
      if (error instanceof TaskCancelledError) return stopFailure('verify', deadline.stopReason(), false);
      throw error;
    }
  }

  return {
    /** Sends a call as soon as it may be sent, or returns why it was not sent. */
    run,
    /** For telemetry. */
    state: () => ({
      circuit: circuits[breaker.state],
      inFlight: maxConcurrent - queue.executionSlots,
      queued: maxQueued - queue.queueSlots,
    }),
  };
}

/** Carries a result past the breaker, which counts every result that is returned. */
class UncountedResult extends Error {
  readonly result: FailedCall;

  constructor(result: FailedCall) {
    super(result.code);
    this.result = result;
  }
}

/**
 * A pause on the monotonic clock. Cockatiel reads its length at each call and compares it with the wall clock, so the
 * length is infinite until the pause is over.
 */
function monotonicPause(ms: number) {
  const next = () => {
    const beganAt = performance.now();
    return {
      get duration() {
        return performance.now() - beganAt < ms ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
      },
      next,
    };
  };
  return { next };
}
