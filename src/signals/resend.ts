/** A failed call -> whether and when it is sent again: by its deadline, a budget, and the wait the service asks for. */

import type * as Cockatiel from 'cockatiel';
import { require } from '../platform/lazy.ts';
import type { Deadline } from './deadline.ts';
import { type FailedCall, isFailed } from './failure.ts';
import type { Settings } from './read-options.ts';

/** Sends a call, and sends it again where that is allowed. */
export type Resend = <Result extends object>(
  send: () => Promise<Result | FailedCall>,
  deadline: Deadline,
  /** Called before each wait for another attempt. */
  onRetry: (failed: FailedCall, waitMs: number) => void,
) => Promise<Result | FailedCall>;

/** Creates the resend budget that the calls of one client share. */
export function createResend(settings: Settings): Resend {
  const { maxAttempts, backoffMs, maxBackoffMs, retryReserve, retryBudget, resendAmbiguous } = settings;
  const { handleWhenResult, retry } = require<typeof Cockatiel>('cockatiel');
  let budget = retryReserve;

  /** The wait before the next attempt; undefined if there is no next attempt. */
  function waitAfter(failed: FailedCall, attempt: number, deadline: Deadline): number | undefined {
    const maySend = failed.resend === 'safe' || (failed.resend === 'ambiguous' && resendAmbiguous);
    if (!maySend || attempt >= maxAttempts || budget < 1) return undefined;
    // Full jitter: calls that failed together are not sent again together.
    const jitterMs = Math.random() * Math.min(maxBackoffMs, backoffMs * 2 ** (attempt - 1));
    const waitMs = (failed.waitMs ?? 0) + jitterMs;
    return waitMs < deadline.remainingMs() ? waitMs : undefined;
  }

  return (send, deadline, onRetry) => {
    budget = Math.min(retryReserve, budget + retryBudget);
    let attempt = 0;
    let waitMs: number | undefined;
    const shouldResend = (result: unknown): boolean => {
      attempt += 1;
      if (!isFailed(result)) return false;
      waitMs = waitAfter(result, attempt, deadline);
      if (waitMs === undefined) return false;
      onRetry(result, waitMs);
      budget -= 1;
      return true;
    };
    const next = () => ({ duration: waitMs ?? 0, next });
    // `waitAfter` limits the attempts, because it must know the limit before it uses the budget.
    const policy = retry(handleWhenResult(shouldResend), { maxAttempts: Number.POSITIVE_INFINITY, backoff: { next } });
    // A pending resend alone does not keep the process alive; the caller who awaits it does.
    return policy.dangerouslyUnref().execute(send, deadline.signal);
  };
}
