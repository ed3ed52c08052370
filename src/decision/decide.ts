/** An applicant -> a decision: reads the facts, runs the policy and hands the decision to the audit log. */

import { v7 as uuidV7 } from 'uuid';
import { VerdictError } from '../errors.ts';
import { dayOfInstant } from '../facts/day.ts';
import { declaredIn, isSameFact } from '../facts/declare.ts';
import { type Cause, type Facts, isMissing } from '../facts/fact.ts';
import { loadMapping, type Mapping } from '../facts/mapping/mapping.ts';
import { createTell, type Tell } from '../platform/events.ts';
import { MAX_TIMER_MS, ownCopy, readClock, readGiven, readSignal } from '../platform/given/read-given.ts';
import { type Observation, observe } from '../platform/telemetry.ts';
import { isActive, LANGUAGE_VERSION, type Policy, policyFacts } from '../policy/language.ts';
import { type Deadline, type StopReason, startDeadline } from '../signals/deadline.ts';
import { IDENTITY_VARIABLES } from '../signals/variables.ts';
import { ENGINE_VERSION } from '../version.ts';
import { untilAborted } from './abort.ts';
import { type Applicant, readApplicant } from './applicant.ts';
import { AuditGate, isAuditLog, knownFacts } from './audit-gate.ts';
import type { AuditLog } from './audit-port.ts';
import type { DeciderEvent, DecisionEvent } from './decider-event.ts';
import type { Decision, PolicyTypes } from './decision.ts';
import { buildEnvelope } from './envelope.ts';
import { ContextFacts, readContext } from './fetch/context-facts.ts';
import { isOutcomeDecided } from './fetch/early-stop.ts';
import { readDeadlineMs, type Verifier } from './fetch/service-call.ts';
import { StagedFacts } from './fetch/staged-facts.ts';
import { runLive } from './live/live.ts';
import { runMatcher } from './matcher/run-matcher.ts';
import { type Flight, REMEMBER_MS, References } from './references.ts';
import type { Warning } from './warning.ts';

/** What a decider is made of. */
export interface DeciderOptions {
  /** The policy, or a function such as `() => watched.policy`, called once at the start of each decision. */
  readonly policy: Policy | (() => Policy);
  /** The service: `createVerifyClient(…)`, or anything with its `verify`. */
  readonly verify: Verifier;
  /** Where the signals are in the service's answers. Default: the shipped `rules/signals.yaml`. */
  readonly mapping?: Mapping | (() => Mapping);
  /**
   * What decides: `live` fetches a fact when a rule first needs it; `matcher` fetches all facts that the policy
   * reads and then decides about twenty times as fast. The decisions are the same. Default: `live`.
   */
  readonly runner?: 'live' | 'matcher';
  /** Services to ask in addition to the Core Intelligence Service. */
  readonly services?: readonly string[];
  /** Identity variables for those services, the same for every applicant. A decision's own variables override them. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Default: `Global`. */
  readonly countryCode?: string;
  /** The log that records decisions: `await createAuditLog(…)`. Default: none. */
  readonly audit?: AuditLog;
  /**
   * How long the decision of a `clientReference` is remembered, in milliseconds: asked again with the same applicant
   * and context, `decide` gives that decision instead of a second call that is billed. 0 for not at all.
   * Default: 600,000 (10 minutes).
   */
  readonly rememberMs?: number;
  /**
   * Called when a source, a context function or the audit log fails, with what a function of yours threw. What it
   * throws itself is ignored. Default: none.
   */
  readonly onEvent?: (event: DeciderEvent) => void;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** The options of one decision. */
export interface DecideOptions<Types extends PolicyTypes = PolicyTypes> {
  /**
   * Your own name for this decision; the service repeats it. Concurrent calls with the same name, applicant and context
   * share one decision, and later ones get it again (`rememberMs`). Default: the decision's id, which nothing shares.
   */
  readonly clientReference?: string;
  /** Values of the facts that the policy declares as `context.…`. */
  readonly context?: Types['context'];
  /** Identity variables of this applicant for further services. */
  readonly variables?: Readonly<Record<string, string>>;
  /**
   * Ends the decision early: `decide` rejects with `ABORTED`. If a call may have been billed, the log records what can
   * be decided without its answer, as `aborted` (warning DECISION_ABORTED); else nothing. Once the decision is handed
   * to the audit log the signal has no effect: the decision is given as soon as its record is durable.
   */
  readonly signal?: AbortSignal;
  /**
   * How long the facts may take, in milliseconds. Facts that are still to come then are missing (`sourceFailed`), and
   * the decision is given without them; `signals` says so. The audit log is awaited however long it takes.
   * Default: the client's `timeoutMs` plus 1,000.
   */
  readonly deadlineMs?: number;
}

/** Decides applicants by one policy. */
export interface Decider<Types extends PolicyTypes = PolicyTypes> {
  /**
   * Decides one applicant, with at most one call to the service for each of the policy's stages. An identity
   * variable that is absent or cannot be sent leads to missing facts, not to an error; so does a service that
   * does not answer.
   *
   * Rejects with a `VerdictError`: REQUEST_INVALID for options that cannot be used, REFERENCE_IN_USE while another
   * applicant is decided under the same reference, CONFIGURATION_INVALID if the clock, or a function that gives the
   * policy or the mapping, fails, ABORTED by the caller's signal, and AUDIT_FAILED if the log is `required` and cannot
   * record the decision. If the log can tell beforehand, nothing is sent.
   *
   * With a `required` log the decision is given as soon as its record is durable. A signal that aborts while
   * the record is being written has no effect: otherwise a decision would be on record that nobody was given.
   */
  decide(applicant: Applicant, options?: DecideOptions<Types>): Promise<Decision<Types>>;
}

/**
 * Creates a decider. Throws REQUEST_INVALID for services, variables or a country code that cannot be sent, and
 * CONFIGURATION_INVALID for a policy and a mapping whose declarations of a fact differ. `Types` describes the
 * policy to the compiler; nothing checks it at run time.
 */
export function createDecider<Types extends PolicyTypes = PolicyTypes>(given: DeciderOptions): Decider<Types> {
  const deciderOptions = readOptions(given);
  const { policy: policies, mapping: mappings = loadMapping() } = deciderOptions;
  const { verify, audit, now = Date.now, runner = 'live', rememberMs = REMEMBER_MS, onEvent } = deciderOptions;
  const references = new References(rememberMs);
  const tellAll = createTell(onEvent);
  // Options that cannot be sent fail here, not at the first decision.
  const what = 'an option of the decider';
  readGiven('CONFIGURATION_INVALID', what, () => buildEnvelope('configuration', deciderOptions, Object.create(null)));
  // A policy or mapping from a function may change; a fact that it declares differently is invalid in that decision.
  if (typeof policies === 'object' && typeof mappings === 'object') compareDeclarations(policies, mappings);

  /** Everything that can be invalid is read before anything is fetched. */
  function readInputs(applicant: Applicant, options: DecideOptions) {
    const ownOptions = ownCopy(options) as DecideOptions;
    const callersSignal = readSignal(ownOptions);
    // A decision with a reference may have several callers; it ends when all of them have ended theirs.
    const ending = ownOptions.clientReference === undefined ? undefined : new AbortController();
    const signal = ending?.signal ?? callersSignal;
    const policy = inForce('policy', policies, isPolicy);
    const mapping = inForce('mapping', mappings, isMapping);
    const decidedAtMs = readClock(now);
    const day = dayOfInstant(decidedAtMs);
    const id = uuidV7({ msecs: decidedAtMs });
    const envelope = buildEnvelope(id, deciderOptions, ownOptions);
    const context = readContext(ownOptions.context ?? {}, policy.facts);
    const deadlineMs = readDeadlineMs(ownOptions, verify);
    const identity = readApplicant(applicant);
    const tell: Tell<DecisionEvent> = (event, own) => tellAll({ ...event, decision: id }, own);
    const gate = new AuditGate(audit, { policy, mapping }, tell);
    const { clientReference: reference, ...sent } = envelope;
    const asked = { reference, identity, context, sent, decidedBy: `${policy.digest} ${mapping.digest}` };
    return {
      tell,
      asked,
      ending,
      callersSignal,
      signal,
      deadlineMs,
      policy,
      mapping,
      decidedAtMs,
      day,
      id,
      envelope,
      gate,
    };
  }

  async function decide(applicant: Applicant, options: DecideOptions = {}): Promise<Decision> {
    const inputs = readGiven('REQUEST_INVALID', 'the applicant or an option', () => readInputs(applicant, options));
    const { asked, ending, callersSignal } = inputs;
    // A reference that is the decision's own id is no other caller's.
    if (!ending) return decideOnce(inputs, { isFinal: false });
    return references.share(asked, { signal: callersSignal, ending }, (flight) => decideOnce(inputs, flight));
  }

  async function decideOnce(inputs: ReturnType<typeof readInputs>, flight: Flight): Promise<Decision> {
    const deadline = startDeadline(inputs.deadlineMs, { aborted: inputs.signal });
    try {
      return await decideUntil(deadline, inputs, flight);
    } finally {
      deadline.end();
    }
  }

  async function decideUntil(
    deadline: Deadline,
    inputs: ReturnType<typeof readInputs>,
    flight: Flight,
  ): Promise<Decision> {
    const { tell, asked, signal, policy, mapping, decidedAtMs, day, id, envelope, gate } = inputs;
    const { identity, context } = asked;
    const contextFacts = new ContextFacts(context, policy.facts, day, deadline, tell);
    const rules = policy.rules.filter((rule) => isActive(rule, day));
    const canStop = async (before: Facts, isToCome: (path: string) => boolean) => {
      // A decision that cannot be recorded is not given: make no further call for it.
      if (!(await gate.isOpen())) return true;
      // Without stages the policy wants everything the service knows, for the reviewer to read.
      if (!policy.stages) return false;
      const own = await contextFacts.fetchAll(policyFacts(policy));
      return isOutcomeDecided(policy, rules, { facts: new Map([...before, ...own]), isToCome, day });
    };
    const { facts: table, stages } = policy;
    const stagedFacts = new StagedFacts(
      { verify, mapping, table, day, deadline, stages, tell, canStop },
      identity,
      envelope,
    );
    flight.calls = stagedFacts;
    const orAborted = <Result>(work: Promise<Result>) => untilAborted(work, signal, stagedFacts);

    await orAborted(gate.isOpen());
    gate.throwRefusal(stagedFacts);
    const sources = { own: contextFacts, service: stagedFacts };
    const source = (path: string) => contextFacts.fetch(path) ?? stagedFacts.fact(path);
    const making = runner === 'matcher' ? runMatcher(policy, sources, day) : runLive(policy, source, day);
    let aborted: unknown;
    const { verdict, facts } = await orAborted(making).catch((error: unknown) => {
      // A call that may be billed has to be on record, so the decision is made without the facts still to come.
      if (!audit || !stagedFacts.mayBeCarriedOut) throw error;
      aborted = error;
      return making;
    });
    gate.throwRefusal(stagedFacts);
    if (aborted !== undefined && !stagedFacts.mayBeCarriedOut) throw aborted;
    const stopReason = aborted === undefined ? deadline.stopReason() : 'aborted';
    const warnings = stopReason === undefined ? [] : STOP_WARNINGS[stopReason];

    const decision: Decision = {
      id,
      clientReference: envelope.clientReference,
      decidedAt: new Date(decidedAtMs).toISOString(),
      ...verdict,
      policy: { name: policy.name, version: policy.version, digest: policy.digest, language: LANGUAGE_VERSION },
      mapping: mapping.digest,
      engine: ENGINE_VERSION,
      signals: {
        requested: IDENTITY_VARIABLES.filter((each) => stagedFacts.calls.some(({ asked }) => asked.includes(each))),
        calls: stagedFacts.calls,
        spared: stagedFacts.spared,
        missing: missingOf(policyFacts(policy), facts),
        warnings: [...stagedFacts.warnings, ...warnings],
      },
    };
    if (audit) {
      const known = await knownFacts(stagedFacts, contextFacts, facts);
      // INVARIANT: the signal does not end this wait, or a decision would be on record that nobody was given.
      flight.isFinal = true;
      await gate.record({ decision, facts: known, variables: identity.variables, policy, mapping }, stagedFacts);
    }
    if (aborted !== undefined) throw aborted;
    return decision;
  }

  const observed: typeof decide = (applicant, options) =>
    observe('decide', () => decide(applicant, options), observationOf);

  // `Types` exists for the compiler alone.
  return { decide: observed as Decider<Types>['decide'] };
}

/** Reads the options; throws CONFIGURATION_INVALID for what would otherwise fail obscurely at the first decision. */
function readOptions(given: DeciderOptions): DeciderOptions {
  return readGiven('CONFIGURATION_INVALID', 'an option of the decider', () => {
    const options = ownCopy(given) as Partial<DeciderOptions> | null | undefined;
    const { policy, mapping, verify, audit, now, onEvent, rememberMs = 0 } = options ?? {};
    const problems = [
      typeof policy === 'function' || isPolicy(policy) ? [] : POLICY_PROBLEM,
      mapping === undefined || typeof mapping === 'function' || isMapping(mapping) ? [] : MAPPING_PROBLEM,
      typeof verify?.verify === 'function' ? [] : 'verify has to be a client of the service',
      audit === undefined || isAuditLog(audit) ? [] : 'audit has to be a log that is open: `await createAuditLog(…)`',
      now === undefined || typeof now === 'function' ? [] : 'now has to be a function',
      isRememberMs(rememberMs) ? [] : `rememberMs has to be a whole number from 0 to ${MAX_TIMER_MS}`,
      onEvent === undefined || typeof onEvent === 'function' ? [] : 'onEvent has to be a function',
    ].flat();
    if (problems.length === 0) return options as DeciderOptions;
    throw new VerdictError(
      'CONFIGURATION_INVALID',
      `the options of the decider cannot be used: ${problems.join('; ')}`,
    );
  });
}

/** What a decision warns of that was ended before all its facts were there. */
const STOP_WARNINGS: Readonly<Record<StopReason, readonly Warning[]>> = {
  timedOut: [
    {
      code: 'DEADLINE_PASSED',
      text: 'the deadline of the decision passed; facts that were still to come are missing',
    },
  ],
  aborted: [
    {
      code: 'DECISION_ABORTED',
      text: 'the caller ended the decision after the service was asked; nobody was given it',
    },
  ],
  closed: [],
};

function isRememberMs(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TIMER_MS;
}

const POLICY_PROBLEM = 'policy has to be a policy, or a function that returns one';
const MAPPING_PROBLEM = 'mapping has to be a mapping, or a function that returns one';

function isPolicy(value: Partial<Policy> | null | undefined): value is Policy {
  return Array.isArray(value?.rules);
}

function isMapping(value: Partial<Mapping> | null | undefined): value is Mapping {
  return value?.signals instanceof Map;
}

/** A fact that both the mapping and the policy declare must be declared alike. */
function compareDeclarations(policy: Policy, mapping: Mapping): void {
  for (const [path, definition] of declaredIn(mapping.facts)) {
    const other = policy.facts.get(path);
    if (!other || isSameFact(definition, other)) continue;
    throw new VerdictError('CONFIGURATION_INVALID', `the policy and the mapping declare ${path} differently`);
  }
}

/** One decision uses one policy and one mapping from beginning to end. */
function inForce<Value extends object>(
  name: 'policy' | 'mapping',
  value: Value | (() => Value),
  isValid: (value: Value) => boolean,
): Value {
  if (typeof value !== 'function') return value;
  const found = readGiven('CONFIGURATION_INVALID', `the ${name} in force`, value);
  if (isValid(found)) return found;
  throw new VerdictError('CONFIGURATION_INVALID', name === 'policy' ? POLICY_PROBLEM : MAPPING_PROBLEM, {
    carriedOut: 'no',
  });
}

function missingOf(paths: ReadonlySet<string>, facts: Facts): Record<string, Cause> {
  const missing = [...paths].flatMap((path) => {
    const fact = facts.get(path);
    return fact && isMissing(fact) ? [[path, fact.missing] as const] : [];
  });
  return Object.fromEntries(missing);
}

/** What telemetry shows of a decision: no reference, value or message, since these may identify the applicant. */
function observationOf({ outcome, policy, signals, undetermined }: Decision): Observation {
  return {
    outcome,
    dimensions: { 'verdict.policy.name': policy.name, 'verdict.policy.version': policy.version },
    attributes: {
      'verdict.calls': signals.calls.length,
      'verdict.undetermined': undetermined.length,
    },
  };
}
