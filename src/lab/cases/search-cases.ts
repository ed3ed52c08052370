/** Goals and days -> which of them a case reaches, by formulas; of the others, which none can, proved. */

import { type ErrorCode, VerdictError } from '../../errors.ts';

/**
 * Why no case is given for a goal: `unreachable` is proved for every day on which it was sought; of one `withheld` only
 * cases are known that have a value of a personal fact which the policy names; `open`: undecided.
 */
export type Unreached = 'unreachable' | 'withheld' | 'open';

/** Goals that are sought together, on one day after the other: their formulas share a space. */
export interface Batch<Goal> {
  readonly goals: readonly Goal[];
  /** What no case reaches on one day, one may on another. */
  readonly days: readonly string[];
}

/** What is sought, and how. */
export interface Search<Goal> {
  /** Made one by one: what is open in a batch may depend on the cases of those before. */
  readonly batches: Iterable<Batch<Goal>>;
  /** Whether a case that is there reaches a goal: one often reaches further ones. */
  readonly isReached: (goal: Goal) => boolean;
  /** Prepares a day; throws CONFIGURATION_INVALID if the solver is not installed. */
  readonly prepare: (day: string, goals: readonly Goal[]) => Promise<Seek<Goal>>;
}

/** Seeks a case that reaches a goal, and keeps it. */
export type Seek<Goal> = (goal: Goal) => Promise<'reached' | Unreached>;

/** Seeks a case for each goal, or the proof that there is none. */
export async function searchCases<Goal>(search: Search<Goal>) {
  const unreached = new Map<Goal, Unreached>();
  let unproved: string | undefined;
  for (const batch of search.batches) {
    if (unproved !== undefined) continue;
    try {
      await searchBatch(batch, search, unreached);
    } catch (error) {
      const noSolver: ErrorCode = 'CONFIGURATION_INVALID';
      if (!VerdictError.is(error) || error.code !== noSolver) throw error;
      unproved = error.message;
    }
  }
  return {
    unreached,
    /** Why nothing is proved, and nothing found by the solver; undefined if it is installed or was not missed. */
    unproved,
  };
}

async function searchBatch<Goal>(
  { goals, days }: Batch<Goal>,
  { isReached, prepare }: Search<Goal>,
  unreached: Map<Goal, Unreached>,
): Promise<void> {
  let left = goals;
  for (const day of days) {
    if (left.length === 0) return;
    const seek = await prepare(day, left);
    for (const goal of left) {
      const answer = isReached(goal) ? 'reached' : await seek(goal);
      if (answer === 'reached') unreached.delete(goal);
      // Not proved on one day is not proved at all.
      else if (unreached.get(goal) !== 'open' || answer === 'withheld') unreached.set(goal, answer);
    }
    left = left.filter((goal) => ['unreachable', 'open'].includes(unreached.get(goal) ?? 'reached'));
  }
}
