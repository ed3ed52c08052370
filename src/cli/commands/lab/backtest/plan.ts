/** What `verdict backtest` is asked, what is compared with what, and who says what was decided then. */

import type { CountingOf } from '../../../../lab/backtest/add-log.ts';
import type { ApplicantTally } from '../../../../lab/backtest/applicant-rows.ts';
import type { BacktestOptions, ComparesRows, Sides } from '../../../../lab/backtest/backtest.ts';
import type { JointFacts } from '../../../../lab/backtest/joint-facts.ts';
import type { Costs } from '../../../../lab/backtest/label-counts.ts';
import type { EditCount } from '../../../../lab/impact/edit-effects.ts';
import type { SourceName } from '../../../../lab/space/source-facts.ts';
import type { Policy } from '../../../../policy/language.ts';
import type { PolicyFiles } from '../../../input/load-policy.ts';
import type { ImpactOptions } from '../../../options/impact.ts';
import type { Values } from './sweep.ts';

/** Which applicants, and what is counted. */
export interface CountOptions extends Pick<ImpactOptions, 'log' | 'keys' | 'columns' | 'from' | 'to' | 'worst'> {
  readonly mapping?: string | undefined;
  readonly facts?: readonly string[] | undefined;
  /** The database with the table, in place of files and a log. */
  readonly engine?: 'clickhouse';
  readonly url?: string;
  readonly table?: string;
  readonly timeout?: number;
  readonly at?: string;
  readonly by?: readonly string[];
  readonly labels?: string;
  readonly label?: string;
  readonly mature?: number;
  readonly holdout?: string;
  readonly cost?: Costs;
}

/** What is compared with the policy. */
export interface PlanOptions extends PolicyFiles, CountOptions {
  readonly against?: string;
  readonly drop?: readonly string[];
  readonly only?: readonly string[];
  readonly drill?: SourceName;
  readonly sweep?: Values;
  readonly asOf?: string;
}

/** Two policies to compare. */
export interface Comparison extends Pick<BacktestOptions, 'compares' | 'down' | 'onChanged'> {
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
