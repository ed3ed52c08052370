/** Work and the caller's signal -> the result, or `ABORTED`, whichever comes first. */

import { VerdictError } from '../errors.ts';
import type { StagedFacts } from './fetch/staged-facts.ts';

/** Rejects as soon as the signal aborts, even while a caller's own function or the log never settles. */
export async function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
  stagedFacts: Pick<StagedFacts, 'mayBeCarriedOut'>,
): Promise<Result> {
  if (!signal) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(endedBySignal(stagedFacts));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The error of a caller whose signal ended its wait. */
export function endedBySignal(calls: Pick<StagedFacts, 'mayBeCarriedOut'> | undefined): VerdictError {
  const carriedOut = calls?.mayBeCarriedOut ? 'unknown' : 'no';
  return new VerdictError('ABORTED', "the decision was ended by the caller's signal", { carriedOut });
}
