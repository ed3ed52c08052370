/** A rate -> turns: each caller waits for its own, so that no second has more of them than the rate. */

import { pause } from '../../signals/deadline.ts';
import { createRateLimiter as createTurns } from '../../signals/rate-limiter.ts';

/** Resolves when it is the caller's turn, or when the signal is aborted before that. */
export type WaitForTurn = (signal?: AbortSignal) => Promise<void>;

/** Spreads turns evenly; without a rate each comes at once. */
export function createPacer(perSecond: number | undefined): WaitForTurn {
  if (perSecond === undefined) return async () => {};
  // A clock that nobody sets back.
  const turns = createTurns(perSecond, () => performance.now());
  return async (signal) => {
    const waitMs = turns.nextTurn(Number.POSITIVE_INFINITY) ?? 0;
    if (waitMs > 0) await pause(waitMs, signal);
  };
}
