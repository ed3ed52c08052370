/** What a decision is recorded with, and who records it: declared here for the decider, implemented by the audit log. */

import type { Facts } from '../facts/fact.ts';
import type { Mapping } from '../facts/mapping.ts';
import type { Policy } from '../policy/language.ts';
import type { IdentityVariable } from '../signals/variables.ts';
import type { Decision } from './decide.ts';

/** All that is needed to decide again. */
export interface AuditEntry {
  readonly decision: Decision;
  /** Every fact that was known or asked for, those among them that the policy did not read. */
  readonly facts: Facts;
  /** The applicant's identity variables, as they are sent. */
  readonly variables: ReadonlyMap<IdentityVariable, string>;
  readonly policy: Policy;
  readonly mapping: Mapping;
}

/**
 * Where decisions are recorded. `required`: no record, no decision. `best-effort`: a decision is given whether it could be
 * recorded or not.
 */
export interface AuditLog {
  readonly mode: 'required' | 'best-effort';
  /** Throws AUDIT_FAILED where nothing can be recorded: asked before anything is sent that may be billed. */
  check(): void;
  /** Resolves when the record would survive the machine's end; rejects with AUDIT_FAILED. With `best-effort` it never rejects. */
  record(entry: AuditEntry): Promise<void>;
}
