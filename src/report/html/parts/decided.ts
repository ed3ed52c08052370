/** What the page of a decision is made of. */

import type { Decision } from '../../../decision/decision.ts';
import type { Explanation } from '../../../decision/explain/explanation.ts';
import type { Verdict } from '../../../decision/meaning/verdict.ts';
import type { Facts } from '../../../facts/fact.ts';
import type { Policy } from '../../../policy/language.ts';

/** A verdict, with as much of what surrounds it as there is: facts in hand have neither id nor signals. */
export type DecisionPageData = Verdict & Partial<Omit<Decision, keyof Verdict>>;

/** A decision's record in the log. */
export interface RecordState {
  readonly chain: string;
  /** Its number in the chain, from 1. */
  readonly seq: number;
  /** When it was written: ISO 8601, UTC. */
  readonly at: string;
  /** `sound`: it is as it was written, as far as `words` say. */
  readonly verification: { readonly state: 'sound' | 'broken' | 'unchecked'; readonly words: string };
}

/** What a person did after a decision. */
export interface NotedReview {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly disposition: 'approve' | 'decline';
  /** Absent where they cannot be read: their key was erased, or is missing. */
  readonly by?: string;
  readonly why?: string;
}

/** The data of the page. */
export interface DecisionPage {
  readonly decision: DecisionPageData;
  /** Of the same policy, facts and day. Without it, the page tells neither what stopped a rule nor what would change the outcome. */
  readonly explanation?: Explanation;
  readonly policy: Policy;
  readonly facts: Facts;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
  readonly record?: RecordState;
  /** In the order of time. */
  readonly notes?: readonly NotedReview[];
}
