/** A call that failed -> whether and when the same is sent again: within its deadline, a budget, and what the service asks for. */

import { handleWhenResult, retry } from 'cockatiel';
import type { Deadline } from './deadline.ts';
import type { FailedCall } from './failure.ts';
import type { Settings } from './options.ts';

/** What sends a call, and once more where that is right. */
export type Resend = <Result extends object>(
  send: () => Promise<Result | FailedCall>,
  deadline: Deadline,
) => Promise<Result | FailedCall>;

/** Creates what the calls of one client share: the budget of calls that are sent again. */
export function createResend(settings: Settings): Resend {
  const { maxAttempts, backoffMs, maxBackoffMs, retryReserve, retryBudget, resendAmbiguous } = settings;
  let reserve = retryReserve;

  /** The wait before the next attempt; undefined where there is to be none. */
  function waitAfter(failed: FailedCall, attempt: number, deadline: Deadline): number | undefined {
    const maySend = failed.resend === 'safe' || (failed.resend === 'ambiguous' && resendAmbiguous);
    if (!maySend || attempt >= maxAttempts || reserve < 1) return undefined;
    // Full jitter: callers that failed together do not come back together.
    const jitterMs = Math.random() * Math.min(maxBackoffMs, backoffMs * 2 ** (attempt - 1));
    const waitMs = (failed.waitMs ?? 0) + jitterMs;
    return waitMs < deadline.remainingMs() ? waitMs : undefined;
  }

  return (send, deadline) => {
    reserve = Math.min(retryReserve, reserve + retryBudget);
    let attempt = 0;
    let waitMs: number | undefined;
    const isToBeResent = (result: unknown): boolean => {
      attempt += 1;
      waitMs = isFailed(result) ? waitAfter(result, attempt, deadline) : undefined;
      if (waitMs === undefined) return false;
      reserve -= 1;
      return true;
    };
    const next = () => ({ duration: waitMs ?? 0, next });
    // The number of attempts is held by `waitAfter`, which knows it before it takes from the budget.
    const policy = retry(handleWhenResult(isToBeResent), { maxAttempts: Number.POSITIVE_INFINITY, backoff: { next } });
    // What waits for a call keeps the process alive, not what would send it again.
    return policy.dangerouslyUnref().execute(send, deadline.signal);
  };
}

/** Whether what came of a call is a failure. */
export function isFailed(result: unknown): result is FailedCall {
  return typeof result === 'object' && result !== null && Object.hasOwn(result, 'carriedOut');
}
