/** Applicants of the past as they are counted, and the ways in which two policies decide them differently. */

import type { OpenDecisions } from '../../audit/query/replay/open-decisions.ts';
import { decisiveCodes, type Verdict } from '../../decision/meaning/verdict.ts';
import type { Facts } from '../../facts/fact.ts';
import type { Outcome } from '../../policy/language.ts';
import type { DecidedThen } from './decided-then.ts';

/** How an applicant is found again: the decision on record, or the place in a file. */
export type ApplicantName =
  | { readonly decision: string }
  | { readonly line: number; readonly clientReference?: string }
  | { readonly row: number; readonly clientReference?: string };

/** An applicant whom both policies decide. */
export interface Applicant {
  readonly name: ApplicantName;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
  /** The time of the decision in milliseconds since 1970, if it is known. */
  readonly timeMs?: number | undefined;
  /** Read by the joint table. */
  readonly facts: Facts;
  /** Whether it is unknown what a fact is, even if it is missing. Default: everything that is not given is missing. */
  readonly isUnknown?: ((path: string) => boolean) | undefined;
  /** The caller's reference. */
  readonly reference?: string | undefined;
  /** What the log or the file says of how they were decided. */
  readonly decided?: DecidedThen;
}

/** The outcomes of an applicant by the old policy and by the new one, which may be the same. */
export interface OutcomeChange {
  readonly from: Outcome;
  readonly to: Outcome;
}

/** Applicants with one outcome by the old policy and one by the new one. */
export interface Flow extends OutcomeChange {
  readonly applicants: number;
  /** Of all applicants, 0 to 1. */
  readonly share: number;
}

/** Applicants whose outcome changes in one way. */
export type ChangeCount = Omit<Flow, 'share'>;

/** How many applicants several counts have. */
export function applicantsIn(counts: readonly { readonly applicants?: number }[]): number {
  return counts.reduce((sum, { applicants = 0 }) => sum + applicants, 0);
}

/** Why two policies decided. */
export interface DecidingReasons {
  /** The codes of the reasons that decided, as `decisiveCodes` gives them. */
  readonly reasons: { readonly old: readonly string[]; readonly new: readonly string[] };
  /** The rules that added points where the score decided; absent if it did for neither policy. */
  readonly scoredBy?: { readonly old: readonly string[]; readonly new: readonly string[] };
}

export function decidingReasons(old: Verdict, now: Verdict): DecidingReasons {
  const scoredBy = { old: rulesOfScore(old), new: rulesOfScore(now) };
  const reasons = { old: decisiveCodes(old), new: decisiveCodes(now) };
  return scoredBy.old.length + scoredBy.new.length > 0 ? { reasons, scoredBy } : { reasons };
}

function rulesOfScore({ reasons }: Verdict): readonly string[] {
  if (!reasons.some(({ because, decisive }) => because === 'score' && decisive)) return [];
  return reasons.flatMap((reason) => (reason.because === 'fired' && (reason.points ?? 0) > 0 ? reason.rule : []));
}

/** An applicant whose outcome changes. */
export interface ChangedApplicant extends DecidingReasons, OutcomeChange {
  readonly name: ApplicantName;
  readonly day: string;
}

/** Applicants who are not counted, because it is unknown what both policies decide. */
export interface Unjudged extends OpenDecisions {
  /** Rows or records that cannot be read. */
  readonly unreadable: number;
  /** Decisions whose facts were erased. */
  readonly erased: number;
  /** Decisions that were not returned to anyone. */
  readonly aborted: number;
}

/** The changes, the worst first: a risk that is let in, then a customer who is turned away. */
export const BY_SEVERITY: readonly (readonly [from: Outcome, to: Outcome])[] = [
  ['reject', 'accept'],
  ['review', 'accept'],
  ['reject', 'review'],
  ['accept', 'reject'],
  ['review', 'reject'],
  ['accept', 'review'],
];

/** The changes that occur, the worst first. */
export function changesOf(countOf: (change: OutcomeChange) => number | undefined): readonly ChangeCount[] {
  return BY_SEVERITY.flatMap(([from, to]) => {
    const applicants = countOf({ from, to }) ?? 0;
    return applicants > 0 ? [{ from, to, applicants }] : [];
  });
}
