/** The audit log and one decision -> whether the decision can be recorded, and its record; or AUDIT_FAILED. */

import { CodedCause, foreignCode, VerdictError } from '../errors.ts';
import type { FactTable } from '../facts/catalog.ts';
import { computedIn, factsAmong, setComputed } from '../facts/compute.ts';
import type { Facts } from '../facts/fact.ts';
import type { Tell } from '../platform/events.ts';
import { observe } from '../platform/telemetry.ts';
import type { AuditEntry, AuditLog, DecisionInputs } from './decision.ts';
import type { DecisionEvent } from './events.ts';
import type { ContextFacts } from './fetch/context-facts.ts';
import type { StagedFacts } from './fetch/staged-facts.ts';
import type { VelocityFacts } from './fetch/velocity-facts.ts';

const RECORDED = () => ({ outcome: 'recorded' });

type Calls = Pick<StagedFacts, 'mayBeCarriedOut'>;

/** One decision's view of the log: with `required`, no record means no decision. */
export class AuditGate {
  readonly #audit: AuditLog | undefined;
  readonly #isRequired: boolean;
  readonly #inputs: DecisionInputs;
  readonly #tell: Tell<DecisionEvent>;
  #refusal: { readonly error: unknown } | undefined;

  constructor(audit: AuditLog | undefined, inputs: DecisionInputs, tell: Tell<DecisionEvent> = () => {}) {
    this.#tell = tell;
    this.#audit = audit;
    this.#isRequired = audit?.mode === 'required';
    this.#inputs = inputs;
  }

  /** Asks the log whether a decision could be recorded now. A refusal is kept for `throwRefusal`. */
  async isOpen(): Promise<boolean> {
    if (!this.#isRequired) return true;
    try {
      await this.#audit?.check(this.#inputs);
      return true;
    } catch (error) {
      if (!this.#refusal) this.#tellFailed('recordRefused', error);
      this.#refusal ??= { error };
      return false;
    }
  }

  /** Throws AUDIT_FAILED if the log has refused. */
  throwRefusal(calls: Calls): void {
    if (this.#refusal) throw auditFailed(this.#refusal.error, calls);
  }

  /** Resolves when the record is durable, else throws AUDIT_FAILED; with `best-effort` it resolves at once. */
  async record(entry: AuditEntry, calls: Calls): Promise<void> {
    const recorded = this.#record(entry, calls);
    if (this.#isRequired) await recorded;
  }

  /** With `best-effort` it never rejects, whatever the caller's own log does. */
  async #record(entry: AuditEntry, calls: Calls): Promise<void> {
    try {
      const audit = this.#audit;
      if (audit) await observe('record', () => audit.record(entry), RECORDED);
    } catch (error) {
      this.#tellFailed('recordFailed', error);
      if (this.#isRequired) throw auditFailed(error, calls);
    }
  }

  #tellFailed(type: 'recordRefused' | 'recordFailed', error: unknown): void {
    const cause = foreignCode(VerdictError.is(error) ? error.cause : error);
    this.#tell({ type, ...(cause === undefined ? {} : { cause }) }, { thrown: error });
  }
}

/** Where the facts of one decision come from: the caller's own, the service's, and what verdict counted. */
export interface Sources {
  readonly context: ContextFacts;
  readonly service: StagedFacts;
  readonly velocity: VelocityFacts;
}

/** Every fact known without another call, for the record. A context function that was never called is left out. */
export async function knownFacts(
  { service, context, velocity }: Sources,
  read: Facts,
  table: FactTable,
): Promise<Facts> {
  const facts = new Map(await service.known());
  for (const [path, fact] of await context.known()) {
    if (fact) facts.set(path, fact);
    else facts.delete(path);
  }
  for (const [path, fact] of await velocity.known()) facts.set(path, fact);
  for (const [path, fact] of read) facts.set(path, fact);
  setComputed(facts, table);
  for (const [path, { compute }] of computedIn(table)) {
    if (factsAmong(compute.operands).some((operand) => !facts.has(operand))) facts.delete(path);
  }
  return facts;
}

/**
 * The failure of a decision. A log of the caller's own may throw anything, so only our own messages are repeated, and
 * only the code of another error.
 */
function auditFailed(error: unknown, { mayBeCarriedOut }: Calls): VerdictError {
  const isOurs = VerdictError.is(error);
  const problem = isOurs ? error.message : 'the decision could not be recorded';
  const billed = mayBeCarriedOut ? '; the service was asked, which may have been billed' : '';
  const code = foreignCode(error);
  const cause = isOurs ? error : code === undefined ? undefined : new CodedCause(code);
  return new VerdictError('AUDIT_FAILED', `${problem}: no decision is given${billed}`, {
    ...(cause === undefined ? {} : { cause }),
    carriedOut: mayBeCarriedOut ? 'unknown' : 'no',
  });
}
