/** What a decider tells: sources and code of the caller that failed. No event has personal data or a secret. */

import type { CallRecord } from './fetch/call-record.ts';

/** What happened in one decision. */
export type DecisionEvent =
  /** A call gave no answer that can be used. */
  | ({ readonly type: 'sourceFailed' } & CallRecord & Thrown)
  /** A context function of the caller threw, rejected or took too long; its fact is missing. */
  | ({ readonly type: 'factFailed'; readonly fact: string } & Thrown)
  /** A `required` audit log cannot record the decision: no further call is made, and no decision is given. */
  | ({ readonly type: 'recordRefused' } & LogFailure)
  /** The audit log did not record the decision. */
  | ({ readonly type: 'recordFailed' } & LogFailure);

/** An event of a decider, with the id of the decision. */
export type DeciderEvent = DecisionEvent & { readonly decision: string };

interface LogFailure extends Thrown {
  /** The code of what the log threw, such as `ECONNREFUSED`, if it has one. */
  readonly cause?: string;
}

interface Thrown {
  /**
   * What code of the caller threw: `onEvent` alone gets it, and it is not enumerable, since it may quote personal data.
   */
  readonly thrown?: unknown;
}
