/** A rate -> turns: each caller waits for its own, so that no second has more of them than the rate. */

/** Resolves when it is the caller's turn; at once, without a turn, where the signal is aborted before that. */
export type Pace = (signal?: AbortSignal) => Promise<void>;

/** Spreads turns evenly; without a rate each comes at once. */
export function createPace(perSecond: number | undefined): Pace {
  if (perSecond === undefined) return async () => {};
  const intervalMs = 1000 / perSecond;
  let next = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    // A clock that nobody sets back.
    const now = performance.now();
    const turn = Math.max(next, now);
    next = turn + intervalMs;
    await pause(turn - now, signal);
  };
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0 || signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
