/** What `verdict backtest` is asked, what is compared with what, and who says what was decided then. */

import type { CountingOf } from '../../../../lab/backtest/add-log.ts';
import type { ApplicantTally } from '../../../../lab/backtest/applicant-rows.ts';
import type { ComparesRows, BacktestOptions as Counting, Sides } from '../../../../lab/backtest/backtest.ts';
import type { JointFacts } from '../../../../lab/backtest/joint-facts.ts';
import type { EditCount } from '../../../../lab/impact/edit-effects.ts';
import type { Policy } from '../../../../policy/language.ts';
import type { BacktestOptions } from './options.ts';
import type { Values } from './sweep.ts';

/** Which applicants, and what is counted. */
export type CountOptions = Partial<BacktestOptions> & Pick<BacktestOptions, 'worst'>;

/** With what the policy is compared. `then`: the policy that decided then, if one is named. */
export type Compared =
  | { readonly kind: 'against'; readonly then: string | undefined }
  /** Itself with other rules, or without a source. */
  | ({ readonly kind: 'changed'; readonly then: string | undefined } & Pick<BacktestOptions, 'drop' | 'only' | 'drill'>)
  /** Itself with other values. */
  | { readonly kind: 'sweep'; readonly then: string | undefined; readonly sweep: Values }
  /** What decided then: the folder of policies, or `log` for those that a log names. */
  | { readonly kind: 'asOf'; readonly policies: string };

/** Two policies to compare. */
export interface Comparison extends Pick<Counting, 'compares' | 'down' | 'onChanged'> {
  readonly policies: readonly [old: Policy, now: Policy];
  readonly joint: JointFacts;
  /** What counts the edits between them, where they are two versions of one policy. */
  readonly edits?: EditCount | undefined;
}

/** What is counted in one pass. */
export interface Plan {
  readonly shape: Shape;
  readonly then: DecidedBy;
}

/** What is compared. The joint facts of all comparisons are the same but for the policies. */
export type Shape = { readonly comparison: Comparison } & (
  | { readonly is: 'plain' | 'changed' }
  /** `countingOf`: what stands between the applicants and the tally, where each has a policy before of their own. */
  | { readonly is: 'as of'; countingOf(tally: ComparesRows): ApplicantTally | CountingOf }
  /** `runs`: those of the values, beside the policy by itself. */
  | { readonly is: 'sweep'; readonly runs: readonly Comparison[] }
);

/** Who says what was decided then: each record, each row, or for rows that do not the policy before of two sides. */
export type DecidedBy =
  | { readonly is: 'log' | 'column' }
  | { readonly is: 'policy'; readonly name: string; readonly sides?: Sides };
