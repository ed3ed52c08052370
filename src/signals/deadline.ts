/** A time limit and signals that may end a call early in, one signal that says which of them ended it out. */

/** What ended a call before its answer. */
export type StopReason = 'timedOut' | 'aborted' | 'closed';

/** The limits of one call. */
export interface Deadline {
  /** Aborts once with the first of the limits. */
  readonly signal: AbortSignal;
  /** What has ended the call, undefined while it may go on. */
  stopReason(): StopReason | undefined;
  /** How long is left, in milliseconds. */
  remainingMs(): number;
  /** Gives up the timer and the listeners; to be called when the call has ended. */
  end(): void;
}

/** Starts the clock of a call; `aborted` is the caller's own signal, `closed` the client's. */
export function startDeadline(
  timeoutMs: number,
  { aborted, closed }: { readonly aborted?: AbortSignal | undefined; readonly closed: AbortSignal },
): Deadline {
  const controller = new AbortController();
  // A clock that nobody sets back.
  const endsAt = performance.now() + timeoutMs;
  let stop: StopReason | undefined;
  const end = () => {
    clearTimeout(timer);
    aborted?.removeEventListener('abort', onAborted);
    closed.removeEventListener('abort', onClosed);
  };
  const stopFor = (why: StopReason) => () => {
    stop ??= why;
    end();
    controller.abort();
  };
  const onAborted = stopFor('aborted');
  const onClosed = stopFor('closed');
  // Not AbortSignal.any: its listeners would stay on a signal that a caller keeps for years.
  const timer = setTimeout(stopFor('timedOut'), timeoutMs);
  if (closed.aborted) onClosed();
  else if (aborted?.aborted) onAborted();
  else {
    closed.addEventListener('abort', onClosed);
    aborted?.addEventListener('abort', onAborted);
  }
  return { signal: controller.signal, stopReason: () => stop, remainingMs: () => endsAt - performance.now(), end };
}

/**
 * The promise's result, or that of `stopped` as soon as the deadline's signal aborts; the promise itself goes on. Where
 * `stopped` gives nothing, the promise is about to end by itself, and is waited for.
 */
export function untilStopped<T>(
  promise: Promise<T>,
  { signal }: Deadline,
  stopped: () => NonNullable<T> | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    promise.then(resolve, reject);
    const onAbort = () => {
      const result = stopped();
      if (result !== undefined) resolve(result);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Waits, or until the signal aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
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
