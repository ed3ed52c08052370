/** An applicant -> a decision: reads the facts, runs the policy and hands the decision to the audit log. */

import { setImmediate } from 'node:timers/promises';
import { VerdictError } from '../errors.ts';
import type { CatalogPath } from '../facts/catalog.ts';
import { setComputed, withOperands } from '../facts/compute.ts';
import { UTC } from '../facts/day.ts';
import { type Cause, type Facts, isMissing } from '../facts/fact.ts';
import { markRead, NOT_GIVEN, newFacts } from '../facts/fact-reader.ts';
import { namesCounted, velocitiesIn } from '../facts/velocity.ts';
import { createTell, type Tell } from '../platform/events.ts';
import { loadWorld } from '../platform/formats/geo/world.ts';
import { readGiven } from '../platform/given/read-given.ts';
import { type Observation, observe } from '../platform/telemetry.ts';
import {
  conditionFacts,
  isActive,
  LANGUAGE_VERSION,
  messageFacts,
  type Policy,
  policyFacts,
} from '../policy/language.ts';
import { releaseOf } from '../policy/source-map.ts';
import { type Deadline, type StopReason, startDeadline } from '../signals/deadline.ts';
import { IDENTITY_VARIABLES } from '../signals/variables.ts';
import { count } from '../text.ts';
import { ENGINE_VERSION } from '../version.ts';
import { type DecideOptions, type DeciderOptions, readDeciderOptions } from './decider-options.ts';
import type { AuditLog, Decision, PolicyTypes } from './decision.ts';
import type { DecisionEvent, Warning } from './events.ts';
import { ContextFacts } from './fetch/context-facts.ts';
import type { Verifier } from './fetch/service-call.ts';
import { StagedFacts } from './fetch/staged-facts.ts';
import { VelocityFacts } from './fetch/velocity-facts.ts';
import { type LiveRun, loadRulesEngine, runOnRead } from './live/live.ts';
import { matcherOf } from './matcher/matcher.ts';
import { isOutcomeDecided } from './meaning/outcome-range.ts';
import { AuditGate, knownFacts, type Sources } from './record.ts';
import { type Flight, REMEMBER_MS, References, untilAborted } from './references.ts';
import { type Applicant, type DecisionName, type DecisionRequest, readRequest } from './request.ts';

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
   * With a `required` log the decision is returned as soon as its record is durable. A signal that aborts while
   * the record is being written has no effect: otherwise a decision would be on record that was never returned.
   */
  decide(applicant: Applicant, options?: DecideOptions<Types>): Promise<Decision<Types>>;
  /**
   * Compiles the policy in force by deciding on nobody, so that the first decision does not: some 20 ms at 30 rules, in
   * which nothing else runs. Calls no service and records nothing. Resolves with what sends applicants to review
   * without a fault of theirs. Rejects with CONFIGURATION_INVALID if the clock, or a function that gives the policy or
   * the mapping, fails.
   */
  ready(): Promise<readonly ReadyWarning[]>;
}

/** What a decider lacks. */
export interface ReadyWarning {
  readonly code: 'VELOCITY_NOT_CONFIGURED';
  /** A sentence for people. Its wording may change. */
  readonly text: string;
}

/**
 * Creates a decider, and loads the packages that decisions need: a tenth of a second for the first one. Throws
 * REQUEST_INVALID for services, variables or a country code that cannot be sent, and CONFIGURATION_INVALID for a policy
 * and a mapping whose declarations of a fact differ, or a package that cannot be loaded. `Types` describes the policy
 * to the compiler; nothing checks it at run time.
 */
export function createDecider<Types extends PolicyTypes = PolicyTypes>(options: DeciderOptions): Decider<Types> {
  const settings = readDeciderOptions(options);
  const references = new References(settings.rememberMs ?? REMEMBER_MS);
  const tellAll = createTell(settings.onEvent);
  // In a decision, a package that cannot be loaded would look like a source that failed: a review for everybody.
  loadWorld();
  if (settings.runner === 'live') loadRulesEngine();

  async function decide(applicant: Applicant, decideOptions: DecideOptions = {}): Promise<Decision> {
    // A decision that waits for nothing ends in the next turn of the event loop. A caller who decides in a loop would
    // otherwise stop all timers, signals and answers.
    const nextTurn = setImmediate();
    try {
      return await decideShared(applicant, decideOptions);
    } finally {
      await nextTurn;
    }
  }

  /** Decides one applicant, or joins the decision under the same reference. */
  async function decideShared(applicant: Applicant, decideOptions: DecideOptions): Promise<Decision> {
    const what = 'the applicant or an option';
    const request = readGiven('REQUEST_INVALID', what, () => readRequest(applicant, decideOptions, settings));
    const tell: Tell<DecisionEvent> = (event, error) => tellAll({ ...event, decision: request.id }, error);
    const make = (flight: Flight) => decideOnce(request, { ...settings, tell }, flight);
    // Without a reference of the caller, the reference is the decision's own id, which no other caller has.
    if (!request.isShared) return make({ isFinal: false });
    const { policy, mapping, identity, context, ending, callersSignal } = request;
    const { clientReference: reference, ...sent } = request.envelope;
    const decidedBy = `${policy.digest} ${mapping.digest}`;
    const callAgain = (paths: readonly string[]) => callFunctions(request, paths, tell);
    const content = { reference, identity, context, sent, decidedBy, callAgain };
    return references.share(content, { signal: callersSignal, ending }, make);
  }

  async function ready(): Promise<readonly ReadyWarning[]> {
    const request = readGiven('CONFIGURATION_INVALID', 'an option', () => readRequest(NOBODY, {}, settings));
    const { audit: _, velocity, ...means } = settings;
    await decideOnce(request, { ...means, verify: NO_SERVICE, tell: () => {} }, { isFinal: false });
    const counts = velocitiesIn(request.policy.facts).size;
    if (velocity || counts === 0) return [];
    const what = `the policy counts earlier applications in ${count(counts, 'fact')}`;
    const text = `${what}, and the decider has no \`velocity\`: where rules read them, it asks for review`;
    return [{ code: 'VELOCITY_NOT_CONFIGURED', text }];
  }

  /** Decides under a name that its caller keeps, so that nothing is shared, and nothing remembered. */
  async function decideAs(name: DecisionName, applicant: Applicant, decideOptions: DecideOptions): Promise<Decision> {
    const what = 'the applicant or an option';
    const request = readGiven('REQUEST_INVALID', what, () => readRequest(applicant, decideOptions, settings, name));
    const tell: Tell<DecisionEvent> = (event, error) => tellAll({ ...event, decision: request.id }, error);
    return observe('decide', () => decideOnce(request, { ...settings, tell }, { isFinal: false }), observationOf);
  }

  const observed: typeof decide = (...args) => observe('decide', () => decide(...args), observationOf);

  // `Types` exists for the compiler alone.
  const decider: Decider<Types> = { decide: observed as Decider<Types>['decide'], ready };
  naming.set(decider, decideAs);
  return decider;
}

type DecideAs = (name: DecisionName, applicant: Applicant, options: DecideOptions) => Promise<Decision>;

const naming = new WeakMap<object, DecideAs>();

/**
 * `decide` for a caller that keeps the references of its own callers, across processes: it names the decision, and no
 * other call shares it. A caller that decides in a loop has to let the event loop turn itself.
 */
export function decideNamed(decider: Decider, ...args: Parameters<DecideAs>): Promise<Decision> {
  return (naming.get(decider) as DecideAs)(...args);
}

/** In the ranges that no person has (RFC 2606 and 5737, numbers for fiction). */
const NOBODY: Applicant = { phoneNo: '+12025550100', email: 'nobody@example.com', ip: '192.0.2.1' };

const NO_SERVICE: Verifier = {
  verify: () => Promise.reject(new VerdictError('ABORTED', 'nothing is asked', { carriedOut: 'no' })),
};

/** What decisions are made with. */
interface Means extends Pick<DeciderOptions, 'verify' | 'audit' | 'velocity' | 'runner'> {
  readonly tell: Tell<DecisionEvent>;
}

/** Decides one request: opens its record, gathers facts for the runner until the outcome is certain, and records it. */
async function decideOnce(request: DecisionRequest, means: Means, flight: Flight): Promise<Decision> {
  const deadline = startDeadline(request.deadlineMs, { aborted: request.signal, isFull: request.isFullTime });
  try {
    const { policy, mapping, identity, caller, question, replaces } = request;
    const gate = new AuditGate(means.audit, { policy, mapping }, means.tell);
    const sources = openSources(request, means, deadline, gate);
    flight.calls = sources.service;
    flight.context = sources.context;
    if (means.audit) await untilAborted(gate.isOpen(), request.signal, sources.service);
    gate.throwRefusal(sources.service);
    // Counted before the service answers, so that applications at the same time find this one. The decision waits for
    // it where a rule reads a count.
    void sources.velocity.known();

    const { verdict, facts, aborted } = await runPolicy(request, means, sources);
    gate.throwRefusal(sources.service);
    if (aborted && !sources.service.mayBeCarriedOut) throw aborted.error;

    const stopReason = aborted ? 'aborted' : deadline.stopReason();
    const decision = describeDecision(request, sources.service, { verdict, facts, stopReason });
    if (means.audit) {
      const recorded = await knownFacts(sources, facts, policy.facts);
      // INVARIANT: the signal does not end this wait, or a decision would be on record that was never returned.
      flight.isFinal = true;
      const { variables } = identity;
      const application = (await sources.velocity.application()) ?? request.id;
      const asked = question === undefined ? {} : { question };
      const whose = { ...(caller === undefined ? {} : { caller }), application, ...asked };
      const entry = { decision, facts: recorded, variables, policy, mapping, replaces, ...whose };
      await gate.record(entry, sources.service);
    }
    if (aborted) throw aborted.error;
    await sources.velocity.setOutcome(decision.outcome);
    return decision;
  } finally {
    deadline.end();
  }
}

function openSources(request: DecisionRequest, means: Means, deadline: Deadline, gate: AuditGate): Sources {
  const { policy, mapping, identity, context, envelope, caller, day } = request;
  const { verify, tell } = means;
  const { facts: table, stages } = policy;
  const contextFacts = new ContextFacts(context, table, day, deadline, tell);
  const canStop = async (serviceFacts: Facts, isPending: (path: string) => boolean) => {
    // A decision that cannot be recorded is not returned: make no further call for it.
    if (!(await gate.isOpen())) return true;
    // Without stages the policy wants everything the service knows, for the reviewer to read.
    if (!stages) return false;
    const rules = policy.rules.filter((rule) => isActive(rule, day));
    const read = policyFacts(policy);
    const others = await Promise.all([contextFacts.fetchAll(read), velocity.fetchAll(read)]);
    const facts = new Map([...serviceFacts, ...others.flat()]);
    setComputed(facts, table);
    return isOutcomeDecided(policy, rules, { facts, isPending, day });
  };
  const service = new StagedFacts({ verify, mapping, table, day, deadline, stages, tell, canStop }, identity, envelope);
  const velocities = velocitiesIn(table);
  const seen = async () => {
    const facts = new Map(await contextFacts.fetchAll([...velocities.values()].flatMap(namesCounted)));
    for (const path of OF_APPLICANT) facts.set(path, await service.fact(path));
    return { decision: request.id, caller, reference: envelope.clientReference, facts };
  };
  const counted = { policy: policy.name, velocities, store: means.velocity, seen, hasPast: () => hasPast(means.audit) };
  const velocity: VelocityFacts = new VelocityFacts({ ...counted, deadline, tell });
  return { context: contextFacts, service, velocity };
}

/** Whether a log has decisions that a new store has not seen; a log that cannot tell may have some. */
async function hasPast(audit: AuditLog | undefined): Promise<boolean> {
  if (!audit) return false;
  try {
    return (await audit.hasDecisions?.()) ?? true;
  } catch {
    return true;
  }
}

/** What of the applicant is counted. No call brings these facts. */
const OF_APPLICANT: readonly CatalogPath[] = [
  ...IDENTITY_VARIABLES.map((variable) => `applicant.${variable}` as const),
  'applicant.emailDomain',
  'applicant.mailbox',
];

/** What the functions of these context facts give, as a text. */
async function callFunctions(
  { context, policy, day, deadlineMs, signal }: DecisionRequest,
  paths: readonly string[],
  tell: Tell<DecisionEvent>,
): Promise<string> {
  const deadline = startDeadline(deadlineMs, { aborted: signal });
  try {
    const contextFacts = new ContextFacts(context, policy.facts, day, deadline, tell);
    await contextFacts.fetchAll(paths);
    return (await contextFacts.called())?.given ?? '';
  } finally {
    deadline.end();
  }
}

/** What the policy says, and the error of a caller who ended the decision after a call that may be billed. */
interface PolicyRun extends LiveRun {
  readonly aborted?: { readonly error: unknown };
}

/** Runs the policy on facts that are fetched when it needs them. */
async function runPolicy(request: DecisionRequest, means: Means, sources: Sources): Promise<PolicyRun> {
  const { policy, day, signal } = request;
  const { context, service, velocity } = sources;
  const source = (path: string) => context.fetch(path) ?? velocity.fetch(path) ?? service.fact(path);
  const making = means.runner === 'live' ? runOnRead(policy, source, day) : runMatcher(policy, sources, day);
  try {
    return await untilAborted(making, signal, service);
  } catch (error) {
    // A call that may be billed has to be on record, so the decision is made without the pending facts.
    if (!means.audit || !service.mayBeCarriedOut) throw error;
    return { ...(await making), aborted: { error } };
  }
}

/** Fetches the facts that active rules read and decides; then fetches those in the messages of fired rules. */
async function runMatcher(policy: Policy, { context, service, velocity }: Sources, day: string): Promise<LiveRun> {
  const matcher = matcherOf(policy);
  const facts = newFacts();
  const fetchAll = async (paths: ReadonlySet<string>) => {
    const [serviceFacts, ...others] = await Promise.all([
      service.facts(paths),
      context.fetchAll(paths),
      velocity.fetchAll(paths),
    ]);
    for (const path of paths) facts.set(path, serviceFacts.get(path) ?? NOT_GIVEN);
    for (const [path, fact] of others.flat()) facts.set(path, fact);
    setComputed(facts, policy.facts, paths);
    markRead(facts, policy.facts, day);
  };
  await fetchAll(factsReadOn(policy, day));
  const verdict = matcher.verdict(facts, day);
  const fired = new Set(verdict.reasons.flatMap((reason) => (reason.because === 'fired' ? reason.rule : [])));
  const shownFacts = messageFacts(policy.rules.filter(({ id }) => fired.has(id)));
  const unfetched = new Set([...shownFacts].filter((path) => !facts.has(path)));
  if (unfetched.size === 0) return { verdict, facts };
  await fetchAll(withOperands(unfetched, policy.facts));
  return { verdict: matcher.verdict(facts, day), facts };
}

const lastRead = new WeakMap<Policy, { readonly day: string; readonly paths: ReadonlySet<string> }>();

/** The facts that the rules active on a day read, with their operands. Those of the last day are cached. */
function factsReadOn(policy: Policy, day: string): ReadonlySet<string> {
  let read = lastRead.get(policy);
  if (read?.day !== day) {
    const active = policy.rules.filter((rule) => isActive(rule, day));
    read = { day, paths: withOperands(conditionFacts(active), policy.facts) };
    lastRead.set(policy, read);
  }
  return read.paths;
}

/** What is known of a decision when it is made. */
interface Made extends LiveRun {
  readonly stopReason: StopReason | undefined;
}

function describeDecision(request: DecisionRequest, service: StagedFacts, made: Made): Decision {
  const { id, envelope, decidedAtMs, policy, mapping } = request;
  const { verdict, facts, stopReason } = made;
  const release = releaseOf(policy);
  return {
    id,
    clientReference: envelope.clientReference,
    decidedAt: new Date(decidedAtMs).toISOString(),
    ...(policy.timeZone === UTC ? {} : { day: request.day }),
    ...verdict,
    policy: {
      ...{ name: policy.name, version: policy.version, digest: policy.digest, language: LANGUAGE_VERSION },
      ...(release === undefined ? {} : { release }),
    },
    mapping: mapping.digest,
    engine: ENGINE_VERSION,
    signals: {
      requested: IDENTITY_VARIABLES.filter((each) => service.calls.some(({ asked }) => asked.includes(each))),
      calls: service.calls,
      spared: service.spared,
      missing: missingOf(policyFacts(policy), facts),
      warnings: [...service.warnings, ...(stopReason === undefined ? [] : STOP_WARNINGS[stopReason])],
    },
  };
}

/** The warnings of a decision that was made before all its facts had arrived. */
const STOP_WARNINGS: Readonly<Record<StopReason, readonly Warning[]>> = {
  timedOut: [
    {
      code: 'DEADLINE_PASSED',
      text: 'the deadline of the decision passed; facts that were still pending are missing',
    },
  ],
  aborted: [
    {
      code: 'DECISION_ABORTED',
      text: 'the caller ended the decision after the service was called; it was not returned to anyone',
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
