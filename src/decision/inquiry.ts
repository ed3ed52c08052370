/** One applicant -> one call to the verification service at most, and the facts that it and the applicant give. */

import { type ErrorCode, VerdictError } from '../errors.ts';
import type { FactTable } from '../facts/catalog.ts';
import type { Facts, GivenFact } from '../facts/fact.ts';
import type { Mapping } from '../facts/mapping.ts';
import { type Asked, normalise, type ServiceAnswer } from '../facts/normalise.ts';
import { readFacts } from '../facts/read.ts';
import type { VerifyClient } from '../signals/client.ts';
import { normaliseVariable, RISK_SERVICE, type VerifyRequest } from '../signals/request.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../signals/variables.ts';

/** An applicant's identity variables as the caller has them; what is not known is left out. */
export type Applicant = { readonly [Variable in IdentityVariable]?: string | null | undefined };

/** A call to the service, as it stands in a decision. */
export interface CallRecord {
  readonly stage: number;
  readonly asked: readonly IdentityVariable[];
  /** `unknown`: it may have been carried out, and billed, though no answer came. */
  readonly result: 'answered' | 'failed' | 'unknown';
  /** Why there was no answer. */
  readonly error?: ErrorCode;
}

/** What is sent beside the identity variables. */
export type Envelope = Omit<VerifyRequest, IdentityVariable>;

/** What an inquiry works with. */
export interface InquirySetting {
  readonly verify: Pick<VerifyClient, 'verify'>;
  readonly mapping: Mapping;
  readonly table: FactTable;
  readonly day: string;
  readonly signal: AbortSignal | undefined;
}

/** The identity variables that can be sent, and a warning for each that is not. */
export interface ReadApplicant {
  readonly variables: ReadonlyMap<IdentityVariable, string>;
  readonly warnings: readonly string[];
}

/** Normalises an applicant. What is not given or cannot be sent is left out with a warning, which never repeats it. */
export function readApplicant(applicant: Applicant): ReadApplicant {
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

/** The facts of one applicant. The service is asked when one of its facts is first needed, and once. */
export class Inquiry {
  readonly #setting: InquirySetting;
  readonly #applicant: ReadApplicant;
  readonly #envelope: Envelope;
  readonly #warnings: string[];
  /** The identity variables that a call asks about: none without a phone number. */
  readonly askable: readonly IdentityVariable[];
  #answered: Promise<Facts> | undefined;
  #call: CallRecord | undefined;

  constructor(setting: InquirySetting, applicant: ReadApplicant, envelope: Envelope) {
    this.#setting = setting;
    this.#applicant = applicant;
    this.#envelope = envelope;
    this.#warnings = [...applicant.warnings];
    this.askable = applicant.variables.has('phoneNo') ? [...applicant.variables.keys()] : [];
  }

  /** The call that was made, once it has ended. */
  get call(): CallRecord | undefined {
    return this.#call;
  }

  /** Whether a call was begun that was not certainly left undone. */
  get mayBeCarriedOut(): boolean {
    return this.#answered !== undefined && this.askable.length > 0 && this.#call?.result !== 'failed';
  }

  /** What could not be asked, and why a call gave no answer. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** The facts of the applicant and of the service, derived ones included. Never rejects. */
  facts(): Promise<Facts> {
    this.#answered ??= this.#ask();
    return this.#answered;
  }

  /** The facts that need no call: those of the applicant, and what is derived from them alone. */
  applicantFacts(): Facts {
    return this.#read('failed', { variables: [], composite: false });
  }

  async #ask(): Promise<Facts> {
    if (this.askable.length === 0) return this.applicantFacts();
    const { services = [], clientReference } = this.#envelope;
    const composite = services.some((service) => service !== RISK_SERVICE);
    return this.#read(await this.#verify(), { variables: this.askable, composite, clientReference });
  }

  async #verify(): Promise<ServiceAnswer> {
    const { verify, signal } = this.#setting;
    const { phoneNo = '', email, ip } = Object.fromEntries(this.#applicant.variables);
    const request = {
      ...this.#envelope,
      phoneNo,
      ...(email === undefined ? {} : { email }),
      ...(ip === undefined ? {} : { ip }),
    };
    try {
      const { body } = await verify.verify(request, signal ? { signal } : {});
      this.#call = { stage: 1, asked: this.askable, result: 'answered' };
      return { body };
    } catch (error) {
      this.#recordFailure(error);
      return 'failed';
    }
  }

  #recordFailure(error: unknown): void {
    const isOurs = error instanceof VerdictError;
    const result = isOurs && error.carriedOut === 'no' ? 'failed' : 'unknown';
    this.#call = { stage: 1, asked: this.askable, result, ...(isOurs ? { error: error.code } : {}) };
    // What a verify of somebody else's throws may hold anything, so that it is not repeated.
    this.#warnings.push(`the verification service gave no answer: ${isOurs ? error.message : 'its client failed'}`);
  }

  #read(answer: ServiceAnswer, asked: Asked): Facts {
    const { mapping, table, day } = this.#setting;
    const given: Map<string, GivenFact> = normalise(answer, mapping, asked, table);
    for (const variable of IDENTITY_VARIABLES) {
      const value = this.#applicant.variables.get(variable);
      given.set(`applicant.${variable}`, value === undefined ? { missing: 'notRequested' } : { value });
    }
    return readFacts(given, table, day);
  }
}
