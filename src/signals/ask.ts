/** A function of the caller -> what it gives, or how it failed: it may throw, reject, hang, or give anything. */

import { startDeadline, untilStopped } from './deadline.ts';

/** An option of the caller's that let the client down when it was needed. */
export interface CallerFault {
  /** Continues "the verification service was not called: ". */
  readonly text: string;
  /** Whether it may do better when it is asked again. */
  readonly mayRecover: boolean;
  /** What it threw: for `onEvent` alone, since it may quote a secret. */
  readonly own?: { readonly thrown: unknown };
}

/** What the caller gave, or how that failed. */
export type Given<Value> =
  | { readonly fault: undefined; readonly value: Value }
  | { readonly fault: CallerFault; readonly value?: undefined };

/** Calls the function of an option. It has `limitMs` milliseconds, less if the signal aborts. Never rejects. */
export async function askCaller(
  option: string,
  give: () => unknown,
  signal: AbortSignal,
  limitMs: number,
): Promise<Given<unknown>> {
  const limit = startDeadline(limitMs, { aborted: signal });
  const given = (async () => give())().then(
    (value): Given<unknown> => ({ fault: undefined, value }),
    (thrown: unknown): Given<unknown> => ({
      fault: { text: `the function \`${option}\` threw an error`, mayRecover: true, own: { thrown } },
    }),
  );
  const late = { fault: { text: `the function \`${option}\` gave nothing in time`, mayRecover: false } };
  try {
    return await untilStopped(given, limit, () => late);
  } finally {
    limit.end();
  }
}
