/** One applicant -> the facts of the applicant and of the verification service, asked stage by stage on demand. */

import { foreignCode, VerdictError } from '../../errors.ts';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import type { Fact, Facts, GivenFact, MissingFact } from '../../facts/fact.ts';
import { NOT_GIVEN, newFacts } from '../../facts/fact-reader.ts';
import type { Mapping } from '../../facts/mapping/mapping.ts';
import { type Asked, isBelieved, normaliseBelieved, type ServiceAnswer } from '../../facts/mapping/normalise.ts';
import { addFacts, readFacts } from '../../facts/read.ts';
import type { Tell } from '../../platform/events.ts';
import type { Deadline } from '../../signals/deadline.ts';
import { buildRequest, RISK_SERVICE, type VerifyEnvelope, type VerifyRequest } from '../../signals/request.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../../signals/variables.ts';
import type { CallRecord, DecisionEvent, PlannedCall, Warning } from '../events.ts';
import { identityFacts, type ReadApplicant } from '../request.ts';
import { callService, type Verifier } from './service-call.ts';

const NOT_BELIEVED: Warning = {
  code: 'ANSWER_NOT_BELIEVED',
  text: 'the answer of the verification service is not used: it reports no success, or belongs to another request',
};

/** How the facts of one decision are fetched. */
export interface StagedFactsOptions {
  readonly verify: Verifier;
  readonly mapping: Mapping;
  readonly table: FactTable;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
  readonly deadline: Deadline;
  /** Which identity variables to ask for, call by call; undefined for one call that asks for all. */
  readonly stages: readonly (readonly IdentityVariable[])[] | undefined;
  /** Receives an event for each call that gave no answer. */
  readonly tell: Tell<DecisionEvent>;
  /** Called before each call: whether to skip it and all later ones. `isPending` says which facts they bring. */
  canStop(facts: Facts, isPending: (path: string) => boolean): Promise<boolean>;
}

/** Plans one call for each stage that asks for a new identity variable of this applicant. */
function planCalls(
  stages: StagedFactsOptions['stages'],
  variables: ReadonlyMap<IdentityVariable, string>,
): readonly PlannedCall[] {
  if (!variables.has('phoneNo')) return [];
  const planned: PlannedCall[] = [];
  const seen = new Set<IdentityVariable>();
  for (const [i, stage] of (stages ?? [IDENTITY_VARIABLES]).entries()) {
    const asked = IDENTITY_VARIABLES.filter((variable) => stage.includes(variable) && variables.has(variable));
    if (asked.every((variable) => seen.has(variable))) continue;
    for (const variable of asked) seen.add(variable);
    planned.push({ stage: i + 1, asked });
  }
  return planned;
}

/**
 * The facts of one applicant. A stage is requested when one of its facts is first needed. A fact comes from the
 * first call that requests it, even if a later answer differs. The last call requests the further services too.
 */
export class StagedFacts {
  readonly #options: StagedFactsOptions;
  readonly #applicant: ReadApplicant;
  readonly #envelope: VerifyEnvelope;
  readonly #planned: readonly PlannedCall[];
  /** Those beside the risk service. */
  readonly #services: readonly string[];
  readonly #isComposite: boolean;
  /** Every fact of the table. A call changes only the facts that it brings, and those derived from them. */
  readonly #facts: Map<string, Fact>;
  readonly #warnings: Warning[];
  readonly #calls: CallRecord[] = [];
  /** By planned call, resolves once the call was made or skipped. */
  readonly #ended: Promise<void>[] = [];
  readonly #callByFact: ReadonlyMap<string, number>;
  #spared: readonly PlannedCall[] = [];
  #isCalling = false;

  constructor(options: StagedFactsOptions, applicant: ReadApplicant, envelope: VerifyEnvelope) {
    this.#options = options;
    this.#applicant = applicant;
    this.#envelope = envelope;
    this.#warnings = [...applicant.warnings];
    this.#planned = planCalls(options.stages, applicant.variables);
    this.#services = (envelope.services ?? []).filter((service) => service !== RISK_SERVICE);
    this.#isComposite = this.#services.length > 0;
    this.#facts = factsBefore(options, applicant);
    this.#callByFact = callsByFact(options.table, this.#planned, this.#isComposite);
  }

  /** The calls that were made, in order. */
  get calls(): readonly CallRecord[] {
    return this.#calls;
  }

  /** The calls that were not made: no answer could have changed the outcome, or no rule needed their facts. */
  get spared(): readonly PlannedCall[] {
    const decidedOn = this.#calls.length + this.#spared.length;
    return [...this.#spared, ...this.#planned.slice(decidedOn)];
  }

  /** Whether a call may have been carried out: one is in flight, or one did not certainly fail. */
  get mayBeCarriedOut(): boolean {
    return this.#isCalling || this.#calls.some((call) => call.result !== 'failed');
  }

  /** The variables that could not be sent, and why a call gave no answer. */
  get warnings(): readonly Warning[] {
    return this.#warnings;
  }

  /**
   * A fact of the applicant or of the service, or one derived from them; a promise if a call has to be made first.
   * Never rejects.
   */
  fact(path: string): Fact | Promise<Fact> {
    const call = this.#callOf(path);
    const current = () => this.#facts.get(path) ?? NOT_GIVEN;
    return call < 0 ? current() : this.#after(call).then(current);
  }

  /** Every fact, once the calls that bring these facts have been made or skipped. Never rejects. */
  async facts(paths: Iterable<string>): Promise<Facts> {
    let last = -1;
    for (const path of paths) last = Math.max(last, this.#callOf(path));
    if (last >= 0) await this.#after(last);
    return this.#facts;
  }

  /** Every fact, with the answers of the calls made so far. Makes no call. */
  async known(): Promise<Facts> {
    await this.#ended.at(-1);
    return this.#facts;
  }

  /** The index of the planned call that brings a fact; -1 if no call brings it. */
  #callOf(path: string): number {
    return this.#callByFact.get(path) ?? -1;
  }

  /** Makes or skips the calls up to this one. */
  #after(call: number): Promise<void> {
    this.#ended[call] ??= this.#makeOrSpare(call);
    return this.#ended[call];
  }

  async #makeOrSpare(index: number): Promise<void> {
    if (index > 0) await this.#after(index - 1);
    const call = this.#planned[index];
    if (!call || this.#spared.length > 0) return;
    if (await this.#options.canStop(this.#facts, (path) => this.#callOf(path) >= index)) {
      this.#spared = this.#planned.slice(index);
      return;
    }
    await this.#make(call, index);
  }

  async #make(call: PlannedCall, index: number): Promise<void> {
    const isLast = index === this.#planned.length - 1;
    const { services: _services, variables: _variables, ...withoutServices } = this.#envelope;
    const { mapping, table, day } = this.#options;
    const { clientReference } = this.#envelope;
    const composite = isLast && this.#isComposite;
    const asked: Asked = { variables: call.asked, composite, services: this.#services, clientReference };
    this.#isCalling = true;
    const answer = await this.#verify(call, isLast ? this.#envelope : withoutServices, asked);
    this.#isCalling = false;
    const newFacts = normaliseBelieved(answer, mapping, asked, table, day);
    for (const path of newFacts.keys()) if (this.#callOf(path) !== index) newFacts.delete(path);
    addFacts(this.#facts, newFacts, table, day);
  }

  /** Asks the service and records the call. An answer that cannot be believed is `failed`. */
  async #verify({ stage, asked }: PlannedCall, envelope: VerifyEnvelope, request: Asked): Promise<ServiceAnswer> {
    const { verify, deadline, mapping } = this.#options;
    const identity = Object.fromEntries(asked.map((variable) => [variable, this.#applicant.variables.get(variable)]));
    try {
      // INVARIANT: every planned call sends the phone number.
      const message = buildRequest(envelope, identity as Pick<VerifyRequest, IdentityVariable>);
      const { body, attempts, requestId } = await callService(verify, message, deadline);
      if (isBelieved(body, mapping, request)) {
        this.#calls.push({ stage, asked, result: 'answered', ...definedOnly({ attempts, requestId }) });
        return { body };
      }
      const unused = { stage, asked, result: 'unknown', error: 'ANSWER_UNREADABLE' } as const;
      this.#addFailed({ ...unused, ...definedOnly({ attempts, requestId }) });
      this.#warnings.push(NOT_BELIEVED);
      return 'failed';
    } catch (error) {
      const isOurs = VerdictError.is(error);
      const result = isOurs && error.carriedOut === 'no' ? 'failed' : 'unknown';
      const thrownError = isOurs ? undefined : { thrown: error };
      this.#addFailed({ stage, asked, result, ...(isOurs ? detailsOf(error) : {}) }, thrownError);
      // A verifier of the caller's own may throw anything, so its message is not repeated.
      const text = `the verification service gave no answer: ${isOurs ? error.message : 'its client failed'}`;
      const isLimit = isOurs && error.code === 'DAILY_LIMIT_REACHED';
      this.#warnings.push({ code: isLimit ? error.code : 'NO_ANSWER', text });
      return 'failed';
    }
  }

  #addFailed(call: CallRecord, callerError?: { readonly thrown: unknown }): void {
    this.#calls.push(call);
    this.#options.tell({ type: 'sourceFailed', ...call }, callerError);
  }
}

/** The facts before any call: the identity variables, and what is derived from them. */
function factsBefore({ table, day }: StagedFactsOptions, applicant: ReadApplicant): Map<string, Fact> {
  const facts = newFacts(unrequestedFacts(table, day));
  addFacts(facts, identityFacts(applicant), table, day);
  return facts;
}

const ofNobody = new WeakMap<FactTable, Facts>();

/** Facts with every signal unrequested. Cached by table, since they do not depend on the day. */
function unrequestedFacts(table: FactTable, day: string): Facts {
  let facts = ofNobody.get(table);
  if (!facts) {
    const given = new Map<string, GivenFact>();
    for (const [path, { origin }] of table) if (origin === 'service') given.set(path, NOT_REQUESTED);
    for (const variable of IDENTITY_VARIABLES) given.set(`applicant.${variable}`, NOT_REQUESTED);
    facts = readFacts(given, table, day);
    ofNobody.set(table, facts);
  }
  return facts;
}

const callsByTable = new WeakMap<FactTable, Map<string, ReadonlyMap<string, number>>>();

/** By fact, the index of the planned call that brings it. Applicants with the same plan share it. */
function callsByFact(
  table: FactTable,
  planned: readonly PlannedCall[],
  isComposite: boolean,
): ReadonlyMap<string, number> {
  const plans = callsByTable.get(table) ?? new Map<string, ReadonlyMap<string, number>>();
  callsByTable.set(table, plans);
  const key = `${isComposite} ${planned.map(({ asked }) => asked.join('+'))}`;
  let calls = plans.get(key);
  if (!calls) {
    calls = planCallsByFact(table, planned, isComposite);
    plans.set(key, calls);
  }
  return calls;
}

function planCallsByFact(table: FactTable, planned: readonly PlannedCall[], isComposite: boolean): Map<string, number> {
  const calls = new Map<string, number>();
  const callOf = ({ origin, inputs = [], composite, variable }: FactDefinition): number => {
    // INVARIANT: in a table a derived fact comes after its inputs.
    if (origin === 'derived') return Math.max(-1, ...inputs.map((input) => calls.get(input) ?? -1));
    if (origin !== 'service') return -1;
    if (composite) return isComposite ? planned.length - 1 : -1;
    return planned.findIndex(({ asked }) => variable !== undefined && asked.includes(variable));
  };
  for (const [path, definition] of table) calls.set(path, callOf(definition));
  return calls;
}

const NOT_REQUESTED: MissingFact = { missing: 'notRequested' };

/** The details of a call's error, for its record. */
function detailsOf({ code, cause, attempts, requestId }: VerdictError): Partial<CallRecord> {
  const coded = foreignCode(cause);
  return { error: code, ...(coded === undefined ? {} : { cause: coded }), ...definedOnly({ attempts, requestId }) };
}

/** The details of a call without those that are undefined. */
function definedOnly({ attempts, requestId }: { attempts: number | undefined; requestId: string | undefined }) {
  return { ...(attempts === undefined ? {} : { attempts }), ...(requestId === undefined ? {} : { requestId }) };
}
