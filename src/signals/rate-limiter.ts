/** A rate, and pauses that the service asks for -> turns, spread evenly, so that no second has more than the rate. */

import { pause } from './deadline.ts';

/** Gives out turns in the order in which they are asked for. */
export interface RateLimiter {
  /**
   * Takes the next turn and returns how long to wait for it, in milliseconds. Undefined, without taking the turn,
   * if the wait is longer than `limitMs`.
   */
  nextTurn(limitMs?: number): number | undefined;
  /** Takes the next turn and waits for it, or until the signal aborts. */
  waitForTurn(signal?: AbortSignal): Promise<void>;
  /** Gives no turn for a time, in milliseconds; for an hour at most. */
  hold(ms: number): void;
  /** Whether `hold` is in force. */
  isHeld(): boolean;
}

/** The longest pause that the service can ask for: one wrong answer must not stop a client for good. */
export const MAX_HOLD_MS = 60 * 60 * 1000;

/**
 * Creates a limiter; without a rate every turn comes at once.
 *
 * @param now a clock in milliseconds that is never set back
 */
export function createRateLimiter(perSecond: number | undefined, now = () => performance.now()): RateLimiter {
  const intervalMs = perSecond === undefined ? 0 : 1000 / perSecond;
  let next = Number.NEGATIVE_INFINITY;
  let heldUntil = Number.NEGATIVE_INFINITY;
  const nextTurn = (limitMs = Number.POSITIVE_INFINITY) => {
    const at = now();
    const turn = Math.max(next, heldUntil, at);
    if (turn > at && turn - at > limitMs) return undefined;
    next = turn + intervalMs;
    return turn - at;
  };
  return {
    nextTurn,
    async waitForTurn(signal) {
      const waitMs = nextTurn() ?? 0;
      if (waitMs > 0) await pause(waitMs, signal);
    },
    hold(ms) {
      heldUntil = Math.max(heldUntil, now() + Math.min(ms, MAX_HOLD_MS));
    },
    isHeld: () => now() < heldUntil,
  };
}
