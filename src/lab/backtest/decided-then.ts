/** What a log, a file or the policy of then says of an applicant -> whether they were let in, as far as it is known. */

import type { DecidedLine } from '../../facts/facts-line.ts';
import { ANSWERS, type Disposition, OUTCOMES, type Outcome } from '../../policy/language.ts';
import { didYouMean, joinWords, trimWhiteSpace } from '../../text.ts';

/** How an applicant was decided. */
export interface DecidedThen {
  /** Absent where it is not on record. */
  readonly outcome?: Outcome | undefined;
  /** What people decided, null for nothing so far; absent where a file does not say what people decided of anybody. */
  readonly disposition?: Disposition | null;
  /** The probability with which somebody was let in who was not accepted, above 0 and up to 1; absent if nobody was. */
  readonly holdout?: number;
}

/** What a row says, or what is wrong with it; the problem has no value of the row. */
export function readDecided(line: DecidedLine = {}): DecidedThen | { readonly problem: string } {
  const outcome = oneOf(OUTCOMES, line.outcome);
  const disposition = oneOf(ANSWERS.review, line.disposition);
  for (const [name, read] of [['outcome', outcome] as const, ['disposition', disposition] as const]) {
    if (typeof read === 'object') return { problem: `"${name}" ${read.problem}` };
  }
  const holdout = isBlank(line.holdout) ? 0 : numberIn(line.holdout);
  if (!(holdout >= 0 && holdout <= 1)) {
    return { problem: 'the probability of the holdout has to be a number from 0 to 1, with a point: 0.05' };
  }
  return {
    ...(outcome === undefined ? {} : { outcome: outcome as Outcome }),
    ...(line.disposition === undefined ? {} : { disposition: (disposition as Disposition) ?? null }),
    ...(holdout > 0 ? { holdout } : {}),
  };
}

function oneOf(words: readonly string[], value: unknown): string | undefined | { readonly problem: string } {
  if (isBlank(value)) return undefined;
  const text = String(value);
  if (words.includes(text)) return text;
  const { hint } = didYouMean(text, words);
  return { problem: `is none of ${joinWords(words)}${hint === undefined ? '' : `; ${hint}`}` };
}

function numberIn(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && trimWhiteSpace(value) === '');
}

/**
 * Undefined if that is not known: nobody has decided a review, or no outcome is on record. Where a file does not say
 * what people decided, every review counts as let in. A person's word stands above the outcome.
 */
export function wasLetIn({ outcome, disposition, holdout }: DecidedThen): boolean | undefined {
  if (holdout !== undefined || disposition === 'approve') return true;
  if (disposition === 'decline') return false;
  if (outcome === 'review') return disposition === undefined ? true : undefined;
  return outcome === undefined ? undefined : outcome === 'accept';
}

/** For how many applicants one of them stands: somebody of the holdout for those like them who were not let in. */
export function weightOf({ outcome, disposition, holdout }: DecidedThen): number {
  return holdout === undefined || outcome === 'accept' || disposition === 'approve' ? 1 : 1 / holdout;
}
