/** A rate -> a function that waits for the caller's turn, so that no second has more turns than the rate. */

import { createRateLimiter } from '../../signals/rate-limiter.ts';

/** Resolves when it is the caller's turn, or earlier if the signal aborts. */
export type WaitForTurn = (signal?: AbortSignal) => Promise<void>;

/** Spreads turns evenly; without a rate every turn comes at once. */
export function createPacer(perSecond: number | undefined): WaitForTurn {
  return createRateLimiter(perSecond).waitForTurn;
}
