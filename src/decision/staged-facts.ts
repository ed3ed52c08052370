/** One applicant -> one call to the verification service at most, and the facts that it and the applicant give. */

import { type ErrorCode, VerdictError } from '../errors.ts';
import type { FactTable } from '../facts/catalog.ts';
import type { Fact, Facts, GivenFact } from '../facts/fact.ts';
import type { Mapping } from '../facts/mapping/mapping.ts';
import { type Asked, isBelieved, normalise, type ServiceAnswer } from '../facts/mapping/normalise.ts';
import { readFacts } from '../facts/read.ts';
import type { VerifyAnswer } from '../signals/client.ts';
import { normaliseVariable, RISK_SERVICE, type VerifyRequest } from '../signals/request.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../signals/variables.ts';

/** An applicant's identity variables as the caller has them; what is not known is left out. */
export type Applicant = { readonly [Variable in IdentityVariable]?: string | null | undefined };

/** A call to the service, as it stands in a decision. */
export interface CallRecord {
  readonly stage: number;
  readonly asked: readonly IdentityVariable[];
  /** `unknown`: it may have been carried out, and billed, though no answer came, or none that can be believed. */
  readonly result: 'answered' | 'failed' | 'unknown';
  /** Why there was no answer. */
  readonly error?: ErrorCode;
  /** How many times the request was sent: once more where it was declined, or where `resendAmbiguous` allows it. */
  readonly attempts?: number;
}

/** What asks the service: a `VerifyClient`, or anything that can stand for it. */
export interface Verifier {
  verify(
    request: VerifyRequest,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Pick<VerifyAnswer, 'body'> & Partial<VerifyAnswer>>;
}

/** What is sent beside the identity variables. */
export type Envelope = Omit<VerifyRequest, IdentityVariable>;

/** What an inquiry works with. */
export interface StagedFactsSetting {
  readonly verify: Verifier;
  readonly mapping: Mapping;
  readonly table: FactTable;
  readonly day: string;
  readonly signal: AbortSignal | undefined;
  /** Which identity variables to ask for, call by call; undefined for one call that asks for all. */
  readonly stages: readonly (readonly IdentityVariable[])[] | undefined;
  /** Asked before each call: whether nothing that is still to come could count. */
  isSettled(facts: Facts, isToCome: (path: string) => boolean): Promise<boolean>;
}

/** The identity variables that can be sent, and a warning for each that is not. */
export interface ReadApplicant {
  readonly variables: ReadonlyMap<IdentityVariable, string>;
  readonly warnings: readonly string[];
}

/** Normalises an applicant. What is not given or cannot be sent is left out with a warning, which never repeats it. */
export function readApplicant(applicant: Applicant): ReadApplicant {
  if (typeof applicant !== 'object' || applicant === null) {
    throw new VerdictError('REQUEST_INVALID', 'the applicant has to be an object with phoneNo, email and ip');
  }
  const variables = new Map<IdentityVariable, string>();
  const warnings: string[] = [];
  for (const variable of IDENTITY_VARIABLES) {
    const given = Object.hasOwn(applicant, variable) ? applicant[variable] : undefined;
    if (given === undefined || given === null) {
      warnings.push(`${variable} was not given; its facts are missing`);
      continue;
    }
    const read = normaliseVariable(variable, given);
    if (!('problem' in read)) variables.set(variable, read.value);
    else warnings.push(`${variable} ${read.problem}; it was left out, and its facts are missing`);
  }
  if (!variables.has('phoneNo')) warnings.push('without a phone number no call can be made');
  return { variables, warnings };
}

/** A call that may be made. */
export interface PlannedCall {
  /** Its stage in the policy, from 1. */
  readonly stage: number;
  readonly asked: readonly IdentityVariable[];
}

/** The calls that a policy's stages come to for the identity variables at hand: each asks for something new. */
export function planCalls(
  stages: StagedFactsSetting['stages'],
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
 * The facts of one applicant. The service is asked, stage by stage, when a fact of that stage is first needed; a fact is
 * that of the first call that asks for it, whatever a later one says. Further services are asked in the last call.
 */
export class StagedFacts {
  readonly #setting: StagedFactsSetting;
  readonly #applicant: ReadApplicant;
  readonly #envelope: Envelope;
  readonly #planned: readonly PlannedCall[];
  readonly #isComposite: boolean;
  readonly #given = new Map<string, GivenFact>();
  readonly #warnings: string[];
  readonly #calls: CallRecord[] = [];
  /** For each planned call, the facts after it, once it was begun or spared. */
  readonly #after: Promise<Facts>[] = [];
  /** The facts before any call. */
  #before: Promise<Facts> | undefined;
  #spared: readonly PlannedCall[] = [];
  #isCalling = false;

  constructor(setting: StagedFactsSetting, applicant: ReadApplicant, envelope: Envelope) {
    this.#setting = setting;
    this.#applicant = applicant;
    this.#envelope = envelope;
    this.#warnings = [...applicant.warnings];
    this.#planned = planCalls(setting.stages, applicant.variables);
    this.#isComposite = (envelope.services ?? []).some((service) => service !== RISK_SERVICE);
    for (const variable of IDENTITY_VARIABLES) {
      const value = applicant.variables.get(variable);
      this.#given.set(`applicant.${variable}`, value === undefined ? { missing: 'notRequested' } : { value });
    }
    for (const [path, { origin }] of setting.table) {
      if (origin === 'service') this.#given.set(path, { missing: 'notRequested' });
    }
  }

  /** The calls that were made, in order. */
  get calls(): readonly CallRecord[] {
    return this.#calls;
  }

  /** The calls that were not made, since nothing they could bring would have counted, or nothing asked for it. */
  get spared(): readonly PlannedCall[] {
    const made = this.#calls.length + this.#spared.length;
    return [...this.#spared, ...this.#planned.slice(made)];
  }

  /** Whether a call was begun that was not certainly left undone. */
  get mayBeCarriedOut(): boolean {
    return this.#isCalling || this.#calls.some((call) => call.result !== 'failed');
  }

  /** What could not be asked, and why a call gave no answer. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** A fact of the applicant or of the service, or one derived from them. Makes the calls that it needs. Never rejects. */
  async fact(path: string): Promise<Fact> {
    const facts = await this.#factsAfter(this.#callOf(path));
    return facts.get(path) ?? { missing: 'notGiven' };
  }

  /** Every fact, as far as the calls that were made tell it. Makes none. */
  async known(): Promise<Facts> {
    return (await this.#after.at(-1)) ?? this.#factsAfter(-1);
  }

  /** The call that brings a fact, by its place among the planned ones; -1 where none is needed, or none asks for it. */
  #callOf(path: string): number {
    const definition = this.#setting.table.get(path);
    if (definition?.origin === 'derived')
      return Math.max(-1, ...(definition.inputs ?? []).map((input) => this.#callOf(input)));
    if (definition?.origin !== 'service') return -1;
    if (definition.composite) return this.#isComposite ? this.#planned.length - 1 : -1;
    return this.#planned.findIndex(
      ({ asked }) => definition.variable !== undefined && asked.includes(definition.variable),
    );
  }

  /** The facts once the calls up to this one have been made or spared. */
  #factsAfter(call: number): Promise<Facts> {
    if (call < 0) {
      this.#before ??= Promise.resolve(this.#read());
      return this.#before;
    }
    this.#after[call] ??= this.#make(call);
    return this.#after[call];
  }

  async #make(index: number): Promise<Facts> {
    const before = await this.#factsAfter(index - 1);
    const call = this.#planned[index];
    if (!call || this.#spared.length > 0) return before;
    if (await this.#setting.isSettled(before, (path) => this.#callOf(path) >= index)) {
      this.#spared = this.#planned.slice(index);
      return before;
    }
    await this.#ask(call, index);
    return this.#read();
  }

  async #ask(call: PlannedCall, index: number): Promise<void> {
    const isLast = index === this.#planned.length - 1;
    const { services, variables, ...rest } = this.#envelope;
    const further = isLast ? { ...(services ? { services } : {}), ...(variables ? { variables } : {}) } : {};
    const { mapping, table, day } = this.#setting;
    const { clientReference } = this.#envelope;
    const asked: Asked = { variables: call.asked, composite: isLast && this.#isComposite, clientReference };
    this.#isCalling = true;
    const answer = await this.#verify(call, { ...rest, ...further }, asked);
    this.#isCalling = false;
    for (const [path, given] of normalise(answer, mapping, asked, table, day)) {
      if (this.#callOf(path) === index) this.#given.set(path, given);
    }
  }

  async #verify({ stage, asked }: PlannedCall, envelope: Envelope, what: Asked): Promise<ServiceAnswer> {
    const { verify, signal, mapping } = this.#setting;
    const identity = Object.fromEntries(asked.map((variable) => [variable, this.#applicant.variables.get(variable)]));
    // INVARIANT: a planned call asks for the phone number.
    const request = { ...envelope, ...identity } as VerifyRequest;
    try {
      const { body, attempts } = await verify.verify(request, signal ? { signal } : {});
      if (isBelieved(body, mapping, what)) {
        this.#calls.push({ stage, asked, result: 'answered', ...counted(attempts) });
        return { body };
      }
      this.#calls.push({ stage, asked, result: 'unknown', error: 'ANSWER_UNREADABLE', ...counted(attempts) });
      this.#warnings.push(
        'the verification service gave no answer that can be believed: it tells of no success, or is not to this request',
      );
      return 'failed';
    } catch (error) {
      const isOurs = error instanceof VerdictError;
      const result = isOurs && error.carriedOut === 'no' ? 'failed' : 'unknown';
      this.#calls.push({ stage, asked, result, ...(isOurs ? { error: error.code, ...counted(error.attempts) } : {}) });
      // What a verify of somebody else's throws may hold anything, so that it is not repeated.
      this.#warnings.push(`the verification service gave no answer: ${isOurs ? error.message : 'its client failed'}`);
      return 'failed';
    }
  }

  #read(): Facts {
    return readFacts(this.#given, this.#setting.table, this.#setting.day);
  }
}

function counted(attempts: number | undefined): Pick<CallRecord, 'attempts'> {
  return attempts === undefined ? {} : { attempts };
}
