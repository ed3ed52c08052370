/** What a decision is recorded with, and who records it: declared here for the decider, implemented by the audit log. */

import type { Facts } from '../facts/fact.ts';
import type { Mapping } from '../facts/mapping/mapping.ts';
import type { Policy } from '../policy/language.ts';
import type { IdentityVariable } from '../signals/variables.ts';
import type { Decision } from './decision.ts';

/** What a decision is made with. */
export interface DecisionInputs {
  readonly policy: Policy;
  readonly mapping: Mapping;
}

/** All that is needed to decide again. */
export interface AuditEntry extends DecisionInputs {
  readonly decision: Decision;
  /** Every fact that was known or asked for, those among them that the policy did not read. */
  readonly facts: Facts;
  /** The applicant's identity variables, as they are sent. */
  readonly variables: ReadonlyMap<IdentityVariable, string>;
}

/**
 * Where decisions are recorded. `required`: no record, no decision. `best-effort`: a decision is given whether it can be
 * recorded or not, and waits for no disk.
 */
export interface AuditLog {
  readonly mode: 'required' | 'best-effort';
  /**
   * Asked before anything is sent that may be billed. Rejects with AUDIT_FAILED where a decision that is made with these could not be
   * recorded, as far as can be known.
   */
  check(used: DecisionInputs): Promise<void>;
  /**
   * Resolves when the record would survive the machine's end; rejects with AUDIT_FAILED. With `best-effort` it never rejects. What is recorded is
   * the entry as it was at the call.
   */
  record(entry: AuditEntry): Promise<void>;
}
