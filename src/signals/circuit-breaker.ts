/** Calls of one client -> those that may be sent now: never more at once than allowed, and none while the service is down. */

import {
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhenResult,
  isBrokenCircuitError,
  TaskCancelledError,
} from 'cockatiel';
import type { Deadline } from './deadline.ts';
import { type FailedCall, notSentFailure, stopFailure } from './failure.ts';
import type { Settings } from './options.ts';
import { isFailed } from './resend.ts';

/** Sends a call when it may be sent, or says why it was not. */
export type CallGate = <Result extends object>(
  send: () => Promise<Result | FailedCall>,
  deadline: Deadline,
) => Promise<Result | FailedCall>;

/** Creates what the calls of one client share: the circuit breaker and the queue. */
export function createCallGate({ breakerFailures, breakerPauseMs, maxConcurrent, maxQueued }: Settings): CallGate {
  const queue = bulkhead(maxConcurrent, maxQueued);
  const isFailure = (result: unknown) => {
    if (!isFailed(result)) return false;
    // A trial that its caller gave up says nothing of the service, so that the circuit stays open.
    return result.isDown || (breaker.state === CircuitState.HalfOpen && result.code === 'ABORTED');
  };
  const breaker = circuitBreaker(handleWhenResult(isFailure), {
    breaker: new ConsecutiveBreaker(breakerFailures),
    halfOpenAfter: monotonicPause(breakerPauseMs),
  });

  return async (send, deadline) => {
    // While one call tries the service, cockatiel would let the others wait for what comes of it.
    if (breaker.state === CircuitState.HalfOpen) return notSentFailure('circuitOpen');
    const sendCounted = async () => {
      const result = await queue.execute(send, deadline.signal);
      if (breaker.state === CircuitState.Closed && isNeutral(result)) throw new UncountedResult(result);
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
  };
}

/** Whether what came of a call is the work of its caller, or our own: it neither opens a circuit nor keeps it closed. */
function isNeutral(result: unknown): result is FailedCall {
  return isFailed(result) && (result.code === 'ABORTED' || result.code === 'QUEUE_FULL');
}

/** Carries a result past the breaker, which counts what is returned. */
class UncountedResult extends Error {
  readonly result: FailedCall;

  constructor(result: FailedCall) {
    super(result.code);
    this.result = result;
  }
}

/**
 * A pause by a clock that nobody sets back. Cockatiel asks for its length each time and holds it against the wall clock,
 * so that it is endless until it is over.
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
