/** A caller's applicant and options -> one request: everything that can be invalid, read before anything is fetched. */

import { randomUUID } from 'node:crypto';
import { dayOfInstant } from '../facts/day.ts';
import { type GivenFact, invalidFact } from '../facts/fact.ts';
import type { Mapping } from '../facts/mapping/mapping.ts';
import { readFormat } from '../platform/formats/format.ts';
import { readIpv6 } from '../platform/formats/ip.ts';
import { ANYTHING, optionsReader } from '../platform/given/options.ts';
import { readClock, readGiven } from '../platform/given/read-given.ts';
import type { Policy } from '../policy/language.ts';
import { normaliseVariable, VARIABLE_FORMATS, type VerifyEnvelope } from '../signals/request.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../signals/variables.ts';
import {
  buildEnvelope,
  type DecideOptions,
  inForce,
  readDecideOptions,
  type readDeciderOptions,
} from './decider-options.ts';
import type { Warning } from './events.ts';
import { type ContextFact, readContext } from './fetch/context-facts.ts';
import { defaultDeadlineMs } from './fetch/service-call.ts';

/** An applicant's identity variables as the caller has them; null or undefined for an unknown one. */
export type Applicant = { readonly [Variable in IdentityVariable]?: string | null | undefined };

/** The identity variables that can be sent, and a warning for each that cannot. */
export interface ReadApplicant {
  readonly variables: ReadonlyMap<IdentityVariable, string>;
  readonly warnings: readonly Warning[];
  /** An IPv6 address, which is not sent, in its shortest form; undefined for any other address. */
  readonly ipv6: string | undefined;
}

/** Refuses unknown names: a misspelt variable would otherwise silently be missing from every decision. */
const readVariables = optionsReader<Applicant>(
  'the applicant',
  { 'phoneNo?': ANYTHING, 'email?': ANYTHING, 'ip?': ANYTHING },
  'REQUEST_INVALID',
);

/** Normalises an applicant. A variable that is absent or cannot be sent leads to a warning, without its value. */
export function readApplicant(applicant: Applicant): ReadApplicant {
  const values = readVariables(applicant);
  const variables = new Map<IdentityVariable, string>();
  const warnings: Warning[] = [];
  for (const variable of IDENTITY_VARIABLES) {
    const value = values[variable];
    if (value === undefined || value === null) {
      warnings.push({ code: 'VARIABLE_NOT_GIVEN', variable, text: `${variable} was not given; its facts are missing` });
      continue;
    }
    const read = normaliseVariable(variable, value);
    if ('problem' in read) {
      const text = `${variable} ${read.problem}; it was left out, and its facts are missing`;
      warnings.push({ code: 'VARIABLE_INVALID', variable, text });
    } else variables.set(variable, read.value);
  }
  if (!variables.has('phoneNo')) {
    warnings.push({ code: 'NO_PHONE_NUMBER', text: 'without a phone number no call can be made' });
  }
  const ipv6 = typeof values.ip === 'string' && !variables.has('ip') ? readIpv6(values.ip) : undefined;
  return { variables, warnings, ipv6 };
}

/** What is asked about an applicant, the same in every spelling. A function of the context is there by its name. */
export function questionOf(
  { variables, warnings, ipv6 }: ReadApplicant,
  context: Iterable<readonly [string, ContextFact]>,
): readonly unknown[] {
  const ownValues = [...context]
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => (typeof value === 'function' ? [name] : [name, value]))
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  // An email is sent as it is written.
  const forms = [...variables].map(([variable, value]) => [variable, readFormat(VARIABLE_FORMATS[variable], value)]);
  return [forms, warnings, ipv6 ?? null, ownValues];
}

/** The facts of the identity variables. An IPv6 address is invalid; its text is kept so that velocities count by it. */
export function identityFacts({ variables, ipv6 }: ReadApplicant): Map<string, GivenFact> {
  const facts = new Map<string, GivenFact>();
  for (const [variable, value] of variables) facts.set(`applicant.${variable}`, { value });
  if (ipv6 !== undefined) facts.set('applicant.ip', invalidFact(ipv6));
  return facts;
}

/**
 * The warnings that a decision on an applicant would have about variables that cannot be sent. Sends nothing; an empty
 * list means that every identity variable is there and has its format. Throws REQUEST_INVALID as `decide` does.
 */
export function checkApplicant(applicant: Applicant): readonly Warning[] {
  return readGiven('REQUEST_INVALID', 'the applicant', () => readApplicant(applicant)).warnings;
}

/** A request for one decision. */
export interface DecisionRequest {
  readonly id: string;
  readonly decidedAtMs: number;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
  readonly policy: Policy;
  readonly mapping: Mapping;
  readonly identity: ReadApplicant;
  readonly context: ReadonlyMap<string, ContextFact>;
  readonly envelope: VerifyEnvelope;
  readonly replaces: string | undefined;
  /** Whose reference it is; undefined for the caller of the library, who is alone. */
  readonly caller: string | undefined;
  readonly question: string | undefined;
  readonly deadlineMs: number;
  /** Whether that is all the time that the decider gives, and not less because a caller is in a hurry. */
  readonly isFullTime: boolean;
  /**
   * Whether other callers may share the decision, because the caller named it. A shared decision ends early only when
   * the signals of all callers have aborted, so never if the first has no signal.
   */
  readonly isShared: boolean;
  /** Ends a shared decision; undefined if it has one caller, or the first one has no signal. */
  readonly ending: AbortController | undefined;
  readonly callersSignal: AbortSignal | undefined;
  /** Ends the decision. */
  readonly signal: AbortSignal | undefined;
}

/** The id of a decision and its instant, in milliseconds since 1970, from a caller that keeps the references itself. */
export interface DecisionName {
  readonly id: string;
  readonly decidedAtMs: number;
  /** The decision that it replaces, whose calls brought nothing. */
  readonly replaces?: string | undefined;
  /** Whose reference it is: those of two callers may be alike. */
  readonly caller: string;
  /** The keyed hash of what is asked, as the caller keeps it with the reference. */
  readonly question?: string | undefined;
}

/**
 * Reads a request. A decision that its caller names is not shared. Throws REQUEST_INVALID, and CONFIGURATION_INVALID
 * for a policy, mapping or clock that fails.
 */
export function readRequest(
  applicant: Applicant,
  decideOptions: DecideOptions,
  decider: ReturnType<typeof readDeciderOptions>,
  name?: DecisionName,
): DecisionRequest {
  const options = readDecideOptions(decideOptions);
  const { signal: callersSignal } = options;
  const isShared = !name && options.clientReference !== undefined;
  const ending = isShared && callersSignal ? new AbortController() : undefined;
  const { policy, mapping } = inForce(decider);
  const decidedAtMs = name?.decidedAtMs ?? readClock(decider.now ?? Date.now);
  const id = name?.id ?? createDecisionId(decidedAtMs);
  const envelope = buildEnvelope(id, decider, options);
  const ownMs = decider.deadlineMs ?? defaultDeadlineMs(decider.verify);
  const { deadlineMs = ownMs } = options;
  return {
    id,
    decidedAtMs,
    day: dayOfInstant(decidedAtMs, policy.timeZone),
    policy,
    mapping,
    envelope,
    replaces: name?.replaces,
    caller: name?.caller,
    question: name?.question,
    context: readContext(options.context ?? {}, policy.facts),
    deadlineMs,
    isFullTime: deadlineMs >= ownMs,
    identity: readApplicant(applicant),
    isShared,
    ending,
    callersSignal,
    signal: ending?.signal ?? callersSignal,
  };
}

/**
 * The id of a decision: a UUID of version 7 (RFC 9562, section 5.7), which sorts by time, in milliseconds since 1970.
 * It uses `randomUUID`, for which Node gets random numbers from the system many at a time: getting them one by one
 * takes longer than deciding an applicant.
 */
export function createDecisionId(epochMs: number): string {
  const time = Math.floor(epochMs).toString(16).padStart(12, '0');
  // Version 4 has its version in the same place, and the same variant.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
