/** An applicant -> a decision: asks the service, reads the facts, runs the policy. */

import { v7 as uuidV7 } from 'uuid';
import { VerdictError } from '../errors.ts';
import { dayOfInstant } from '../facts/day.ts';
import { declaredIn, isSameFact } from '../facts/declare.ts';
import { type Cause, type Facts, isMissing } from '../facts/fact.ts';
import { loadMapping, type Mapping } from '../facts/mapping/mapping.ts';
import { type Observation, observe } from '../platform/telemetry.ts';
import { isActive, LANGUAGE_VERSION, type Policy, policyFacts } from '../policy/language.ts';
import { ownCopy } from '../signals/own-properties.ts';
import { checkEnvelope } from '../signals/request.ts';
import { IDENTITY_VARIABLES } from '../signals/variables.ts';
import { ENGINE_VERSION } from '../version.ts';
import { auditFailed, canRecord, isAuditLog, knownFacts, recordBy } from './audit-gate.ts';
import type { AuditLog } from './audit-port.ts';
import { ContextFacts } from './context-facts.ts';
import type { Decision, PolicyTypes } from './decision.ts';
import { isOutcomeDecided } from './early-stop.ts';
import { runLive } from './live/live.ts';
import { runMatcher } from './matcher/run-matcher.ts';
import { type Applicant, type Envelope, readApplicant, StagedFacts, type Verifier } from './staged-facts.ts';

/** What a decider is made of. */
export interface DeciderOptions {
  /** The policy; or what gives the one in force, such as `() => watched.policy`, asked once at the start of a decision. */
  readonly policy: Policy | (() => Policy);
  /** The service: `createVerifyClient(…)`, or anything with its `verify`. */
  readonly verify: Verifier;
  /** Where the signals stand in the service's answers. Default: the shipped `rules/signals.yaml`. */
  readonly mapping?: Mapping | (() => Mapping);
  /**
   * What decides: `live` asks for a fact when a rule first needs it; `matcher` asks for all that the policy reads, and is
   * some twenty times as fast from then on. The decisions are the same. Default: `live`.
   */
  readonly runner?: 'live' | 'matcher';
  /** Services to ask beside the Core Intelligence Service. */
  readonly services?: readonly string[];
  /** Identity variables for those services, the same for every applicant; a decision's own stand above them. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Default: `Global`. */
  readonly countryCode?: string;
  /** Where decisions are recorded, before they are given or beside it: `await createAuditLog(…)`. Default: nowhere. */
  readonly audit?: AuditLog;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** What goes with one applicant. */
export interface DecideOptions<Types extends PolicyTypes = PolicyTypes> {
  /** Your own name of this decision; the service repeats it. Default: the decision's id. */
  readonly clientReference?: string;
  /** Values of the facts that the policy declares as `context.…`. */
  readonly context?: Types['context'];
  /** Identity variables of this applicant for further services. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Ends the decision early: `decide` rejects with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/** Decides applicants by one policy. */
export interface Decider<Types extends PolicyTypes = PolicyTypes> {
  /**
   * Decides one applicant, with one call to the service at most for each of the policy's stages. An identity variable that is not given or cannot be
   * sent, and a service that does not answer, lead to missing facts, not to an error.
   * Rejects with a `VerdictError`: REQUEST_INVALID for options that cannot be used, ABORTED by the caller's own signal,
   * AUDIT_FAILED where the decision has to be recorded and could not be; if that can be known beforehand, nothing is sent.
   */
  decide(applicant: Applicant, options?: DecideOptions<Types>): Promise<Decision<Types>>;
}

/**
 * Creates a decider. Throws REQUEST_INVALID for services, variables or a country code that cannot be sent,
 * and CONFIGURATION_INVALID for a policy and a mapping that declare one fact otherwise. That `Types`
 * are those of the policy is the caller's word: nothing checks it while it runs.
 */
export function createDecider<Types extends PolicyTypes = PolicyTypes>(given: DeciderOptions): Decider<Types> {
  const options = readOptions(given);
  const { verify, audit, now = Date.now, runner = 'live', services, countryCode } = options;
  const { mapping: mappings = loadMapping() } = options;
  const seal = (id: string, decide: DecideOptions): Envelope => {
    const variables = { ...options.variables, ...decide.variables };
    const envelope = {
      clientReference: decide.clientReference ?? id,
      ...(services ? { services } : {}),
      ...(countryCode === undefined ? {} : { countryCode }),
      ...(Object.keys(variables).length > 0 ? { variables } : {}),
    };
    checkEnvelope(envelope);
    // Half a character has no UTF-8: neither the service nor a record could repeat it.
    if (!envelope.clientReference.isWellFormed()) {
      throw new VerdictError('REQUEST_INVALID', 'clientReference is not well-formed Unicode', { carriedOut: 'no' });
    }
    return ownCopy(envelope) as Envelope;
  };
  seal('configuration', ownCopy({}) as DecideOptions);
  // Of what is asked for anew at each decision, a fact that is declared otherwise is invalid there.
  if (typeof options.policy === 'object' && typeof mappings === 'object') compareFacts(options.policy, mappings);

  async function decide(applicant: Applicant, given: DecideOptions = {}): Promise<Decision> {
    const decideOptions = ownCopy(given) as DecideOptions;
    const policy = inForce(options.policy);
    const mapping = inForce(mappings);
    const readPaths = policyFacts(policy);
    const decidedAtMs = now();
    const day = dayOfInstant(decidedAtMs);
    const id = uuidV7({ msecs: decidedAtMs });
    const envelope = seal(id, decideOptions);
    const callerFacts = new ContextFacts(decideOptions.context ?? {}, policy.facts, day, decideOptions.signal);
    const { signal } = decideOptions;
    const rules = policy.rules.filter((rule) => isActive(rule, day));
    const readFrom = readApplicant(applicant);
    const refusals: unknown[] = [];
    const inquiry = new StagedFacts(
      {
        verify,
        mapping,
        table: policy.facts,
        day,
        signal,
        stages: policy.stages,
        isSettled: async (before, isToCome) => {
          // What can no longer be recorded is not given: nothing more is asked for it.
          if (!(await canRecord(audit, { policy, mapping }, refusals))) return true;
          // Who writes no stages is not after sparing calls: a reviewer sees all that the service knows.
          if (!policy.stages) return false;
          const own = await callerFacts.fetchAll(readPaths);
          return isOutcomeDecided(policy, rules, { facts: new Map([...before, ...own]), isToCome, day });
        },
      },
      readFrom,
      envelope,
    );
    const isToBeTaken = await untilAborted(canRecord(audit, { policy, mapping }, refusals), inquiry, signal);
    if (!isToBeTaken) throw auditFailed(refusals[0], inquiry);
    const source = (path: string) => callerFacts.fetch(path) ?? inquiry.fact(path);
    const run = runner === 'matcher' ? runMatcher(policy, source, day) : runLive(policy, source, day);
    const { verdict, facts } = await untilAborted(run, inquiry, signal);
    if (refusals.length > 0) throw auditFailed(refusals[0], inquiry);
    const decision: Decision = {
      id,
      clientReference: envelope.clientReference,
      decidedAt: new Date(decidedAtMs).toISOString(),
      ...verdict,
      policy: { name: policy.name, version: policy.version, digest: policy.digest, language: LANGUAGE_VERSION },
      mapping: mapping.digest,
      engine: ENGINE_VERSION,
      signals: {
        requested: IDENTITY_VARIABLES.filter((variable) => inquiry.calls.some(({ asked }) => asked.includes(variable))),
        calls: inquiry.calls,
        spared: inquiry.spared,
        missing: missingOf(readPaths, facts),
        warnings: inquiry.warnings,
      },
    };
    if (audit) {
      const known = await knownFacts(inquiry, callerFacts, facts);
      const entry = { decision, facts: known, variables: readFrom.variables, policy, mapping };
      const recording = recordBy(audit, entry, inquiry);
      if (audit.mode === 'required') await untilAborted(recording, inquiry, signal);
    }
    return decision;
  }

  const observed: typeof decide = (applicant, decideOptions) =>
    observe('decide', () => decide(applicant, decideOptions), observationOf);

  // The compiler alone knows of `Types`.
  return { decide: observed as Decider<Types>['decide'] };
}

/** What would else fail at the first decision, in words that tell nobody why. */
function readOptions(given: DeciderOptions): DeciderOptions {
  const options = ownCopy(given) as Partial<DeciderOptions> | null | undefined;
  const { policy, verify, audit } = options ?? {};
  const isPolicy = typeof policy === 'function' || Array.isArray(policy?.rules);
  const isVerifier = typeof verify?.verify === 'function';
  if (options && isPolicy && isVerifier && (audit === undefined || isAuditLog(audit))) return options as DeciderOptions;
  const what = !isPolicy
    ? 'policy has to be a policy, or what gives one'
    : !isVerifier
      ? 'verify has to be a client of the service'
      : 'audit has to be a log that is open: `await createAuditLog(…)`';
  throw new VerdictError('CONFIGURATION_INVALID', `the options of the decider cannot be used: ${what}`);
}

/** What a mapping reads has to be what the policy asks about. */
function compareFacts(policy: Policy, mapping: Mapping): void {
  for (const [path, definition] of declaredIn(mapping.facts)) {
    const other = policy.facts.get(path);
    if (!other || isSameFact(definition, other)) continue;
    throw new VerdictError('CONFIGURATION_INVALID', `the policy and the mapping declare ${path}, and not as the same`);
  }
}

/** Nothing of the applicant: neither reference nor values, nor the messages that may hold some. */
function observationOf({ outcome, policy, signals, undetermined }: Decision): Observation {
  return {
    outcome,
    attributes: {
      'verdict.policy.name': policy.name,
      'verdict.policy.version': policy.version,
      'verdict.calls': signals.calls.length,
      'verdict.undetermined': undetermined.length,
    },
  };
}

/** A decision uses one policy and one mapping from beginning to end. */
function inForce<Value extends object>(value: Value | (() => Value)): Value {
  return typeof value === 'function' ? value() : value;
}

function missingOf(paths: ReadonlySet<string>, facts: Facts): Record<string, Cause> {
  const missing: [string, Cause][] = [];
  for (const path of paths) {
    const fact = facts.get(path);
    if (fact && isMissing(fact)) missing.push([path, fact.missing]);
  }
  return Object.fromEntries(missing);
}

/** The result; or `ABORTED` as soon as the caller's signal says so, whatever a caller's own functions are still doing. */
async function untilAborted<Result>(
  work: Promise<Result>,
  inquiry: StagedFacts,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!signal) return work;
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      const carriedOut = inquiry.mayBeCarriedOut ? 'unknown' : 'no';
      reject(new VerdictError('ABORTED', "the decision was ended by the caller's signal", { carriedOut }));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
