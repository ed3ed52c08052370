/** Counts of the rows of a run, and their words. */

import type { Outcome } from '../../policy/language.ts';

export interface BulkTally {
  /** Decisions of this run by outcome. */
  readonly decided: Record<Outcome, number>;
  /** Decided by an earlier run on the same `--out`. */
  recorded: number;
  /** Rows that cannot be decided. */
  wrong: number;
  /** Rows that an earlier run began and did not record; not sent again. */
  doubtful: number;
  /** Rows that were certainly not carried out; a later run sends them. */
  unsent: number;
  /** Decisions without an answer of the service, which may have billed the call. Counted in `decided` too. */
  unanswered: number;
}

export function newTally(): BulkTally {
  return { decided: { accept: 0, review: 0, reject: 0 }, recorded: 0, wrong: 0, doubtful: 0, unsent: 0, unanswered: 0 };
}

export function decidedIn({ decided }: BulkTally): number {
  return decided.accept + decided.review + decided.reject;
}

/** `4 accept, 6 review, 2 reject`. */
export function showOutcomes({ decided }: BulkTally): string {
  return `${decided.accept} accept, ${decided.review} review, ${decided.reject} reject`;
}

const FURTHER: readonly (readonly [keyof Omit<BulkTally, 'decided'>, string])[] = [
  ['unanswered', 'of them without an answer; the calls may have been billed'],
  ['recorded', 'recorded by an earlier run'],
  ['wrong', 'wrong'],
  ['doubtful', 'begun by an earlier run and not recorded; they may have been billed; --resend sends them again'],
  ['unsent', 'not carried out, and not billed'],
];

/** The counts that are not 0, a line each. */
export function showTally(tally: BulkTally): string {
  const lines = FURTHER.flatMap(([name, words]) => (tally[name] > 0 ? [`${tally[name]} ${words}`] : []));
  return `${[`${decidedIn(tally)} decided: ${showOutcomes(tally)}`, ...lines].join('\n')}\n`;
}
