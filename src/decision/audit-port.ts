/** What a decision is recorded with, and who records it: a port declared here and implemented by the audit log. */

import type { Facts } from '../facts/fact.ts';
import type { Mapping } from '../facts/mapping/mapping.ts';
import type { Policy } from '../policy/language.ts';
import type { IdentityVariable } from '../signals/variables.ts';
import type { Decision } from './decision.ts';

/** The policy and the mapping of a decision. */
export interface DecisionInputs {
  readonly policy: Policy;
  readonly mapping: Mapping;
}

/** Everything needed to make the decision again. */
export interface AuditEntry extends DecisionInputs {
  /** With the warning DECISION_ABORTED, its caller ended it and nobody is given it. */
  readonly decision: Decision;
  /** Every fact that was known or asked for, including those that the policy does not read. */
  readonly facts: Facts;
  /** The applicant's identity variables, as they are sent. */
  readonly variables: ReadonlyMap<IdentityVariable, string>;
}

/**
 * Where decisions are recorded. `required`: a decision is given only once its record is durable. `best-effort`:
 * a decision is given whether or not it can be recorded, and does not wait for the disk.
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
   * the machine. Rejects with AUDIT_FAILED; with `best-effort` it never rejects.
   */
  record(entry: AuditEntry): Promise<void>;
}

/** Whether a value is an open log. An unknown mode is refused, so that it never acts as the lax one. */
export function isAuditLog(value: Partial<AuditLog> | null): boolean {
  const { mode, check, record } = value ?? {};
  const isMode = mode === 'required' || mode === 'best-effort';
  return isMode && typeof check === 'function' && typeof record === 'function';
}
