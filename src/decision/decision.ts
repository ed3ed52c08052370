/** A decision as data: the verdict, what it was made with, and what was asked of the service. */

import type { Cause } from '../facts/fact.ts';
import type { LANGUAGE_VERSION } from '../policy/language.ts';
import type { IdentityVariable } from '../signals/variables.ts';
import type { CallRecord, PlannedCall } from './fetch/call-record.ts';
import type { Context } from './fetch/context-facts.ts';
import type { Reason, Verdict } from './meaning/verdict.ts';
import type { Warning } from './warning.ts';

/** A policy's context facts and reason codes for the compiler: see `verdict generate types`. The default allows any. */
export interface PolicyTypes {
  readonly context: Context;
  readonly reasonCode: string;
}

/** A verdict with its identifiers, versions and calls: JSON data, some of it personal. `redact` leaves that out. */
export interface Decision<Types extends PolicyTypes = PolicyTypes> extends Verdict {
  readonly reasons: readonly (Reason & { readonly code: Types['reasonCode'] })[];
  /** A UUID, version 7. */
  readonly id: string;
  readonly clientReference: string;
  /** ISO 8601, UTC, read from the clock once, before the first call. Its day is the day of the decision. */
  readonly decidedAt: string;
  readonly policy: {
    readonly name: string;
    readonly version: string;
    readonly digest: string;
    readonly language: typeof LANGUAGE_VERSION;
  };
  /** The digest of the mapping. */
  readonly mapping: string;
  /** The version of this engine. */
  readonly engine: string;
  readonly signals: SignalsRecord;
}

/** What was asked of the service, and which facts are missing. */
export interface SignalsRecord {
  /** The identity variables that were sent. */
  readonly requested: readonly IdentityVariable[];
  readonly calls: readonly CallRecord[];
  /** Calls that were not made: nothing they could bring would have counted, or no rule needed their facts. */
  readonly spared: readonly PlannedCall[];
  /** The missing facts that the policy reads, with their causes. */
  readonly missing: Readonly<Record<string, Cause>>;
  /** The variables that could not be sent, and why a call gave no answer; without personal data. */
  readonly warnings: readonly Warning[];
}
