/** The data of a decision page. */

import type { Decision } from '../../../decision/decision.ts';
import type { Explanation } from '../../../decision/explain/explanation.ts';
import type { Verdict } from '../../../decision/meaning/verdict.ts';
import type { Facts } from '../../../facts/fact.ts';
import type { Policy } from '../../../policy/language.ts';

/** A verdict, and what is known of its decision: one on facts in hand has neither id nor signals. */
export type DecisionPageData = Verdict & Partial<Omit<Decision, keyof Verdict>>;

export interface RecordState {
  readonly chain: string;
  /** Its number in the chain, from 1. */
  readonly seq: number;
  /** When the record was written: ISO 8601, UTC. */
  readonly at: string;
  /** `sound`: the record is as it was written; `words` say how far that was checked. */
  readonly verification: { readonly state: 'sound' | 'broken' | 'unchecked'; readonly words: string };
}

export interface NotedReview {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly disposition: 'approve' | 'decline';
  /** Absent if they cannot be read, because their key was erased or is missing. */
  readonly by?: string;
  readonly why?: string;
}

export interface DecisionPage {
  readonly decision: DecisionPageData;
  /** Of the same data. Without it, the page says neither what stopped a rule nor what would change the outcome. */
  readonly explanation?: Explanation;
  readonly policy: Policy;
  readonly facts: Facts;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
  readonly record?: RecordState;
  /** In chronological order. */
  readonly notes?: readonly NotedReview[];
}
