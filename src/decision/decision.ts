/** A decision as data: the verdict, its inputs and its calls; and the interface of the log that records it. */

import type { Cause, Facts } from '../facts/fact.ts';
import type { Mapping } from '../facts/mapping/mapping.ts';
import type { Policy } from '../policy/language.ts';
import type { IdentityVariable } from '../signals/variables.ts';
import type { CallRecord, PlannedCall, Warning } from './events.ts';
import type { Context } from './fetch/context-facts.ts';
import type { Reason, Verdict } from './meaning/verdict.ts';

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
  /**
   * ISO 8601, UTC, read from the clock once, before the first call. Its UTC day is the day of the decision where no
   * other is said.
   */
  readonly decidedAt: string;
  /** The day of the decision where the policy has a time zone. */
  readonly day?: string;
  readonly policy: {
    readonly name: string;
    readonly version: string;
    readonly digest: string;
    readonly language: number;
    /** The number of its release, where rules are released. */
    readonly release?: number;
  };
  /** The digest of the mapping. */
  readonly mapping: string;
  /** The version of this engine. */
  readonly engine: string;
  readonly signals: SignalsRecord;
}

/** What was requested from the service, and which facts are missing. */
export interface SignalsRecord {
  /** The identity variables that were sent. */
  readonly requested: readonly IdentityVariable[];
  readonly calls: readonly CallRecord[];
  /** Calls that were not made: no answer could have changed the outcome, or no rule needed their facts. */
  readonly spared: readonly PlannedCall[];
  /** The missing facts that the policy reads, with their causes. */
  readonly missing: Readonly<Record<string, Cause>>;
  /** The variables that could not be sent, and why a call gave no answer; without personal data. */
  readonly warnings: readonly Warning[];
}

/** The policy and the mapping of a decision. */
export interface DecisionInputs {
  readonly policy: Policy;
  readonly mapping: Mapping;
}

/** Everything needed to make the decision again. */
export interface AuditEntry extends DecisionInputs {
  /** If it has the warning DECISION_ABORTED, its caller ended it, and it was not returned. */
  readonly decision: Decision;
  /** Every fact that was known or requested, including those that the policy does not read. */
  readonly facts: Facts;
  /** The applicant's identity variables, as they are sent. */
  readonly variables: ReadonlyMap<IdentityVariable, string>;
  /** The id of the decision that it replaces, if it was made again under its reference. */
  readonly replaces?: string | undefined;
  /** Whose reference it is; absent for the caller of the library, who is alone. */
  readonly caller?: string;
  /** The id of the application: that of its first decision, as far as a store of velocity knows it. */
  readonly application: string;
  /** The keyed hash of what was asked, as a service keeps it with the reference; absent for the library. */
  readonly question?: string;
}

/**
 * Where decisions are recorded. `required`: a decision is returned only once its record is durable. `best-effort`:
 * a decision is returned whether or not it can be recorded, and does not wait for the disk.
 */
export interface AuditLog {
  readonly mode: 'required' | 'best-effort';
  /**
   * Called before anything is sent that may be billed. Rejects with AUDIT_FAILED if a decision made with these
   * could not be recorded, as far as that can be known.
   */
  check(used: DecisionInputs): Promise<void>;
  /**
   * Records the entry as it is at the call. Resolves when the record is durable: it would survive a crash of
   * the machine. Rejects with AUDIT_FAILED, with `best-effort` too: the decider then says so, and gives the decision.
   */
  record(entry: AuditEntry): Promise<void>;
  /**
   * Whether the log has a decision, which a new store of velocity has not seen. Without this function, it is taken to
   * have some.
   */
  hasDecisions?(): Promise<boolean>;
}

/** Whether a value is an open log. An unknown mode is refused, so that it is never taken for `best-effort`. */
export function isAuditLog(value: Partial<AuditLog> | null): boolean {
  const { mode, check, record } = value ?? {};
  const isMode = mode === 'required' || mode === 'best-effort';
  return isMode && typeof check === 'function' && typeof record === 'function';
}

/** The day of a decision: that of the policy's time zone, or of UTC. */
export function dayOf({ day, decidedAt }: Pick<Decision, 'day' | 'decidedAt'>): string {
  return day ?? decidedAt.slice(0, 'yyyy-MM-dd'.length);
}
