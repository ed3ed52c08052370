/** A rate -> turns: how long each call has to wait for its own, so that no second has more of them than the rate. */

/** Gives out turns. */
export interface RateLimiter {
  /** How long to wait for the next turn, in milliseconds; undefined, and no turn taken, where that is over the limit. */
  nextTurn(limitMs: number): number | undefined;
}

/** Spreads turns evenly; `now` is a clock that only goes forwards, in milliseconds. */
export function createRateLimiter(perSecond: number, now: () => number): RateLimiter {
  const intervalMs = 1000 / perSecond;
  let next = Number.NEGATIVE_INFINITY;
  return {
    nextTurn(limitMs) {
      const at = now();
      const turn = Math.max(next, at);
      if (turn - at > limitMs) return undefined;
      next = turn + intervalMs;
      return turn - at;
    },
  };
}
