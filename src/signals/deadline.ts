/** A time limit and abort signals -> one signal; a function of the caller -> what it returns within a limit. */

/** What stopped a call before its answer. */
export type StopReason = 'timedOut' | 'aborted' | 'closed';

/** The limits of one call. */
export interface Deadline {
  /** Aborts when the first limit is reached. */
  readonly signal: AbortSignal;
  /** What stopped the call; undefined while no limit is reached. */
  stopReason(): StopReason | undefined;
  /** The time left, in milliseconds; negative after the deadline. */
  remainingMs(): number;
  /** Calls the listener when a limit is reached, or at once if one already is; cheaper than a listener on `signal`. */
  onStop(listener: () => void): void;
  /** Removes the timer and the listeners. Must be called when the call has ended. */
  end(): void;
}

/** Why the signal of a decision aborts that had all the time which its decider gives: a call then had its chance. */
const FULL_TIME = new DOMException('the decision had its full time', 'TimeoutError');

/** A call that its decision ends has had its chance after so much of its own time. */
const CHANCE = 0.5;

/**
 * Starts the deadline of a call or of a decision. `aborted` is the caller's signal, `closed` the client's, `isFull`
 * whether the time is all that the decider gives, and not what one caller asks for. A call that such a decision ends
 * after half of its own time is `timedOut`: it says as much about the service as one that had all of it.
 */
export function startDeadline(
  timeoutMs: number,
  {
    aborted,
    closed,
    isFull = false,
  }: { readonly aborted?: AbortSignal | undefined; readonly closed?: AbortSignal; readonly isFull?: boolean },
): Deadline {
  const controller = new AbortController();
  // The monotonic clock: the wall clock may be set back.
  const beganAt = performance.now();
  const endsAt = beganAt + timeoutMs;
  let stop: StopReason | undefined;
  const listeners: (() => void)[] = [];
  const end = () => {
    clearTimeout(timer);
    aborted?.removeEventListener('abort', onAborted);
    closed?.removeEventListener('abort', onClosed);
  };
  const stopFor = (why: StopReason) => () => {
    stop ??= why;
    controller.abort(why === 'timedOut' && isFull ? FULL_TIME : undefined);
    for (const listener of listeners.splice(0)) listener();
  };
  const hadChance = () => aborted?.reason === FULL_TIME && performance.now() - beganAt >= timeoutMs * CHANCE;
  const onAborted = () => stopFor(hadChance() ? 'timedOut' : 'aborted')();
  const onClosed = stopFor('closed');
  // Not AbortSignal.any: its listeners would stay on a signal that the caller keeps for years.
  const timer = setTimeout(stopFor('timedOut'), timeoutMs);
  if (closed?.aborted) onClosed();
  else if (aborted?.aborted) onAborted();
  else {
    closed?.addEventListener('abort', onClosed);
    aborted?.addEventListener('abort', onAborted);
  }
  return {
    signal: controller.signal,
    stopReason: () => stop,
    remainingMs: () => endsAt - performance.now(),
    onStop(listener) {
      if (stop !== undefined) listener();
      else listeners.push(listener);
    },
    end,
  };
}

/**
 * The promise's result, or the result of `stopped` as soon as the deadline's signal aborts; the promise itself
 * continues. If `stopped` returns undefined, the promise is about to settle by itself and is awaited.
 */
export function untilStopped<T>(
  promise: Promise<T>,
  deadline: Deadline,
  stopped: () => NonNullable<T> | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    promise.then(resolve, reject);
    deadline.onStop(() => {
      const result = stopped();
      if (result !== undefined) resolve(result);
    });
  });
}

/** Waits for a time, or until the signal aborts. */
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

/** An option of the caller that failed when the client used it. */
export interface CallerFault {
  /** Continues "the verification service was not called: ". */
  readonly text: string;
  /** Whether it may succeed when it is called again. */
  readonly mayRecover: boolean;
  /** What it threw: for `onEvent` alone, since it may quote a secret. */
  readonly callerError?: { readonly thrown: unknown };
}

/** What a function of the caller returned, or how it failed. */
export type CallerResult<Value> =
  | { readonly fault: undefined; readonly value: Value }
  | { readonly fault: CallerFault; readonly value?: undefined };

/** Calls the function of an option. It has `limitMs` milliseconds, less if the signal aborts. Never rejects. */
export async function askCaller(
  option: string,
  run: () => unknown,
  signal: AbortSignal,
  limitMs: number,
): Promise<CallerResult<unknown>> {
  const limit = startDeadline(limitMs, { aborted: signal });
  const result = (async () => run())().then(
    (value): CallerResult<unknown> => ({ fault: undefined, value }),
    (thrown: unknown): CallerResult<unknown> => ({
      fault: { text: `the function \`${option}\` threw an error`, mayRecover: true, callerError: { thrown } },
    }),
  );
  const late = { fault: { text: `the function \`${option}\` returned nothing in time`, mayRecover: false } };
  try {
    return await untilStopped(result, limit, () => late);
  } finally {
    limit.end();
  }
}
