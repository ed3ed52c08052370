/** An applicant -> a decision: reads the facts, runs the policy and hands the decision to the audit log. */

import { setComputed } from '../facts/compute.ts';
import { dayOfInstant } from '../facts/day.ts';
import { type Cause, type Facts, isMissing } from '../facts/fact.ts';
import { readClock, readGiven } from '../given/read-given.ts';
import { createTell, type Tell } from '../platform/events.ts';
import { type Observation, observe } from '../platform/telemetry.ts';
import { isActive, LANGUAGE_VERSION, policyFacts } from '../policy/language.ts';
import { type Deadline, type StopReason, startDeadline } from '../signals/deadline.ts';
import { IDENTITY_VARIABLES } from '../signals/variables.ts';
import { ENGINE_VERSION } from '../version.ts';
import { untilAborted } from './abort.ts';
import { type Applicant, readApplicant } from './applicant.ts';
import { AuditGate, knownFacts } from './audit-gate.ts';
import type { DecisionEvent } from './decider-event.ts';
import {
  type DecideOptions,
  type DeciderOptions,
  inForce,
  readDecideOptions,
  readDeciderOptions,
} from './decider-options.ts';
import type { Decision, PolicyTypes } from './decision.ts';
import { createDecisionId } from './decision-id.ts';
import { buildEnvelope } from './envelope.ts';
import { ContextFacts, readContext } from './fetch/context-facts.ts';
import { isOutcomeDecided } from './fetch/early-stop.ts';
import { defaultDeadlineMs } from './fetch/service-call.ts';
import { StagedFacts } from './fetch/staged-facts.ts';
import { runLive } from './live/live.ts';
import { runMatcher } from './matcher/run-matcher.ts';
import { type Flight, REMEMBER_MS, References } from './references.ts';
import type { Warning } from './warning.ts';

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
  const deciderOptions = readDeciderOptions(given);
  const { verify, audit, now = Date.now, runner = 'live', rememberMs = REMEMBER_MS, onEvent } = deciderOptions;
  const references = new References(rememberMs);
  const tellAll = createTell(onEvent);

  /** Everything that can be invalid is read before anything is fetched. */
  function readInputs(applicant: Applicant, options: DecideOptions) {
    const ownOptions = readDecideOptions(options);
    const { signal: callersSignal } = ownOptions;
    // A decision with a reference may have several callers. It ends when all of them have ended theirs, so never if the
    // first has no signal.
    const isShared = ownOptions.clientReference !== undefined;
    const ending = isShared && callersSignal ? new AbortController() : undefined;
    const signal = ending?.signal ?? callersSignal;
    const { policy, mapping } = inForce(deciderOptions);
    const decidedAtMs = readClock(now);
    const day = dayOfInstant(decidedAtMs);
    const id = createDecisionId(decidedAtMs);
    const envelope = buildEnvelope(id, deciderOptions, ownOptions);
    const context = readContext(ownOptions.context ?? {}, policy.facts);
    const deadlineMs = ownOptions.deadlineMs ?? defaultDeadlineMs(verify);
    const identity = readApplicant(applicant);
    const tell: Tell<DecisionEvent> = (event, own) => tellAll({ ...event, decision: id }, own);
    const gate = new AuditGate(audit, { policy, mapping }, tell);
    const { clientReference: reference, ...sent } = envelope;
    const asked = { reference, identity, context, sent, decidedBy: `${policy.digest} ${mapping.digest}` };
    return {
      tell,
      asked,
      isShared,
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
    const { asked, isShared, ending, callersSignal } = inputs;
    // A reference that is the decision's own id is no other caller's.
    if (!isShared) return decideOnce(inputs, { isFinal: false });
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
    const canStop = async (before: Facts, isToCome: (path: string) => boolean) => {
      // A decision that cannot be recorded is not given: make no further call for it.
      if (!(await gate.isOpen())) return true;
      // Without stages the policy wants everything the service knows, for the reviewer to read.
      if (!policy.stages) return false;
      const rules = policy.rules.filter((rule) => isActive(rule, day));
      const own = await contextFacts.fetchAll(policyFacts(policy));
      const facts = new Map([...before, ...own]);
      setComputed(facts, policy.facts);
      return isOutcomeDecided(policy, rules, { facts, isToCome, day });
    };
    const { facts: table, stages } = policy;
    const stagedFacts = new StagedFacts(
      { verify, mapping, table, day, deadline, stages, tell, canStop },
      identity,
      envelope,
    );
    flight.calls = stagedFacts;
    const orAborted = <Result>(work: Promise<Result>) => untilAborted(work, signal, stagedFacts);

    if (audit) await orAborted(gate.isOpen());
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
      const known = await knownFacts(stagedFacts, contextFacts, facts, policy.facts);
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
