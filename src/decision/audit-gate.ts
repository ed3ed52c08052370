/** A decision and the log it is recorded in -> that it is on record; or why no decision is given. */

import { VerdictError } from '../errors.ts';
import type { Facts } from '../facts/fact.ts';
import type { AuditEntry, AuditLog, DecisionInputs } from './audit-port.ts';
import type { ContextFacts } from './context-facts.ts';
import type { StagedFacts } from './staged-facts.ts';

/** A mode of no known name must not become the lax one. */
export function isAuditLog(given: Partial<AuditLog> | null): boolean {
  const { mode, check, record } = given ?? {};
  const isMode = mode === 'required' || mode === 'best-effort';
  return isMode && typeof check === 'function' && typeof record === 'function';
}

/** Every fact that is known: what a function of the caller's was not asked for is not among them. */
export async function knownFacts(inquiry: StagedFacts, callerFacts: ContextFacts, read: Facts): Promise<Facts> {
  const facts = new Map(await inquiry.known());
  for (const [path, fact] of await callerFacts.known()) {
    if (fact) facts.set(path, fact);
    else facts.delete(path);
  }
  for (const [path, fact] of read) facts.set(path, fact);
  return facts;
}

/** Whether a decision with these can be recorded, where it has to be; adds why not. */
export async function canRecord(
  audit: AuditLog | undefined,
  used: DecisionInputs,
  refusals: unknown[],
): Promise<boolean> {
  if (audit?.mode !== 'required') return true;
  try {
    await audit.check(used);
    return true;
  } catch (error) {
    refusals.push(error);
    return false;
  }
}

/** With `best-effort` it never rejects, whoever wrote the log. */
export async function recordBy(audit: AuditLog, entry: AuditEntry, inquiry: StagedFacts): Promise<void> {
  try {
    await audit.record(entry);
  } catch (error) {
    if (audit.mode === 'required') throw auditFailed(error, inquiry);
  }
}

/** As the failure of a decision. What a log of somebody else's throws may hold anything, so that it is not repeated. */
export function auditFailed(error: unknown, { mayBeCarriedOut }: Pick<StagedFacts, 'mayBeCarriedOut'>): VerdictError {
  const isOurs = error instanceof VerdictError;
  const said = isOurs ? error.message : 'the decision could not be recorded';
  const billed = mayBeCarriedOut ? '; the service was asked, which may have been billed' : '';
  return new VerdictError('AUDIT_FAILED', `${said}: no decision is given${billed}`, {
    ...(isOurs ? { cause: error } : {}),
    carriedOut: mayBeCarriedOut ? 'unknown' : 'no',
  });
}
