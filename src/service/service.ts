/** A configuration and a client of the verification service -> what the routes work with: policies, log, references. */

import { homeOf } from '../audit/home.ts';
import type { LogIndex } from '../audit/index/log-index.ts';
import { openLogIndex } from '../audit/index/open-index.ts';
import { readFirstIndexKey, readIndexKeys } from '../audit/keys/key-folder.ts';
import { actorHash } from '../audit/keys/subject.ts';
import { homeOfLog, keepPolicy, type OpenAuditLog, openAuditLog } from '../audit/log.ts';
import { type LogPlace, readLog } from '../audit/place.ts';
import { addEvent } from '../audit/query/event.ts';
import { readReferences } from '../audit/query/read-references.ts';
import { createDecider, type Decider } from '../decision/decide.ts';
import type { DeciderEvent } from '../decision/events.ts';
import type { VelocityStore } from '../decision/velocity-store.ts';
import type { DiagnosticsError } from '../diagnostics.ts';
import { VerdictError } from '../errors.ts';
import type { Mapping } from '../facts/mapping/mapping.ts';
import { createProver } from '../lab/prove/kept-proofs.ts';
import type { Policy } from '../policy/language.ts';
import { mappingOf } from '../policy/source-map.ts';
import { type InForce, type PolicyWatcher, type ProvingOptions, watchPolicy } from '../policy/watch/watch.ts';
import type { VerifyClient } from '../signals/client.ts';
import type { Cases } from '../stores/state/cases.ts';
import { type Divided, watchInForce } from '../stores/state/in-force.ts';
import { LOG } from '../stores/state/sql.ts';
import { openState, type State } from '../stores/state/state.ts';
import { Filling, type Lacking } from '../stores/velocity/filling.ts';
import { createVelocityStore, openFilledStore } from '../stores/velocity/velocity.ts';
import { createInvitations } from './auth/invitations.ts';
import { shownDigest } from './auth/see.ts';
import { createSessions, type Person, type Sessions, TRIAL_LIMITS } from './auth/sessions.ts';
import { createSignIn, type SignIn } from './auth/sign-in.ts';
import { casesAlongside } from './cases/cases-of-log.ts';
import { startDescribing } from './cases/describe.ts';
import { refusePersonal, unknownEntries } from './cases/queues.ts';
import {
  type Environment,
  findClientSecret,
  findLogPlace,
  findStatePlace,
  findVelocityPlace,
} from './config/places.ts';
import { readTrust } from './config/trust.ts';
import type { ServeConfig } from './config.ts';
import { type Followed, Follower } from './follower.ts';
import { type Kept, rewriteAnswers } from './handlers/kept.ts';
import { Metrics, timed } from './metrics.ts';
import { type Seal, sealOf } from './note-id.ts';
import { openReleased, type Released, type ReleasedMeans } from './released.ts';
import { findReceivers } from './webhooks/receiver.ts';
import { startWebhook } from './webhooks/webhook.ts';

/** A policy by its name in the API. */
export interface ServedPolicy {
  readonly name: string;
  readonly file: string;
  readonly watched: PolicyWatcher & { readonly mapping: Mapping };
  readonly decider: Decider;
}

/** A decision that is being made in this process. */
export interface Flight {
  readonly question: string;
  readonly kept: Promise<Kept>;
}

/** The log of a service that others may see: with its index, and the cases that wait for a person. */
export interface Records {
  readonly log: OpenAuditLog;
  readonly place: LogPlace;
  readonly index: LogIndex;
  readonly follower: Follower;
  readonly cases: Cases;
  readonly seal: Seal;
  /** The hashes that the log has of a person or a key, by its name: one with each index key. */
  actorsOf(name: string): readonly string[];
  /** The ids that decisions in doubt would have had, the earliest first: they may be billed and not on record. */
  inDoubt(most: number): Promise<readonly string[]>;
}

/** How people sign in. */
export interface Access {
  readonly sessions: Sessions;
  /** Undefined without an issuer: all people are invited. */
  readonly signIn: SignIn | undefined;
  /** Who comes in by the secret of a link, with the value of the cookie; undefined for nobody. */
  enter(secret: string): Promise<string | undefined>;
  /** Whether it is a trial, whose links work as often as they are opened, and whose sessions end with it. */
  readonly isTrial: boolean;
}

/** What the routes work with. */
export interface Service extends Pick<State, 'references' | 'outbox' | 'hash' | 'waiting'> {
  readonly config: ServeConfig;
  readonly client: VerifyClient;
  readonly policies: ReadonlyMap<string, ServedPolicy>;
  /** Undefined where the files of a folder are in force. */
  readonly released: Released | undefined;
  readonly audit: OpenAuditLog | undefined;
  /** Where applications are counted. */
  readonly velocity: VelocityStore | undefined;
  readonly report: Report;
  /** Undefined without a log. */
  readonly records: Records | undefined;
  /** Undefined if the configuration has no `people`: the service then has no pages. */
  readonly access: Access | undefined;
  /** The decisions that this process is making, by the key of their reference. */
  readonly flights: Map<string, Flight>;
  readonly metrics: Metrics;
  /** Aborted once the service has drained. */
  readonly closed: AbortSignal;
  /** The policies whose counts of earlier applications are not complete yet, as of some minute ago. */
  lacking(): readonly Lacking[];
  /** The policies and mappings by which the processes of this state differ. */
  divided(): Promise<readonly Divided[]>;
  /** Ends the calls, then the references, and the log last. */
  close(): Promise<void>;
}

/** What a service says of itself to those who run it: one line each, without personal data. */
export type Report = (line: Readonly<Record<string, unknown>>) => void;

/**
 * Opens the policies, the log and the references, and proves the guarantees of each policy. Rejects with
 * CONFIGURATION_INVALID, AUDIT_FAILED, or POLICY_INVALID and MAPPING_INVALID with their diagnostics.
 *
 * @param env the variables that the configuration may name
 * @param invited the people of a trial, by the secret of their link
 */
export async function openService(
  config: ServeConfig,
  client: VerifyClient,
  report: Report,
  env: Environment = process.env,
  invited: ReadonlyMap<string, Person> = new Map(),
): Promise<Service> {
  const metrics = new Metrics();
  const closing: (() => unknown)[] = [];
  const closed = new AbortController();
  const flights = new Map<string, Flight>();
  const close = async () => {
    // Also those whose callers have hung up: they may ask again.
    await Promise.allSettled([...flights.values()].map(({ kept }) => kept));
    closed.abort();
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    const receivers = findReceivers(config, env);
    const place = findLogPlace(config, env);
    const audit = place && (await openAudit(place, config, report));
    closing.push(() => audit?.close());
    const velocityPlace = findVelocityPlace(config, env);
    const openVelocity = audit ? openFilledStore : createVelocityStore;
    const velocity = velocityPlace && (await openVelocity(velocityPlace));
    closing.push(() => velocity?.close());
    const { rememberMs } = config.limits;
    const state = await openState({ ...findStatePlace(config.state, env), rememberMs });
    closing.push(() => state.close());
    closing.push(rewriteAnswers(state));
    const log = audit && (await readLog(homeOfLog(audit).log)).log;
    if (log !== undefined) await claimLog(state, log);
    closing.push(() => client.close({ drainMs: config.limits.deadlineMs }));
    const policies = new Map<string, ServedPolicy>();
    const inForce = () => new Map(Array.from(policies, ([name, { watched }]) => [name, watched.policy]));
    const ofLog = { place: audit?.place, log, recordedWithinMs: RECORDED_WITHIN * config.limits.deadlineMs };
    const filling = velocity && new Filling({ store: velocity, policies: inForce, ...ofLog, report });
    const prove = createProver(state);
    const decided = () => Promise.allSettled(Array.from(flights.values(), ({ kept }) => kept));
    const released = config.releases && (await openReleased(releasedMeans(config, audit, { prove, report })));
    closing.push(() => released?.close());
    for (const [name, file] of config.policies) {
      const of = { config, client, audit, velocity, metrics, report, filling, decided, prove, released };
      const means = { ...of, hash: state.hash };
      const policy = await servePolicy(name, file, means);
      closing.push(() => policy.watched.close());
      policies.set(name, policy);
    }
    await filling?.start();
    for (const each of filling?.lacking ?? []) report({ event: 'velocity.incomplete', ...each });
    const healing = setInterval(() => void filling?.heal(), HEAL_MS).unref();
    closing.push(() => clearInterval(healing));
    const read = [...policies.values()].map(({ watched }) => watched.policy);
    refusePersonal(config.queues, read);
    for (const problem of unknownEntries(config.queues, read)) report({ event: 'queue.unknown', problem });
    const digests = async () => {
      const shown = Array.from(policies.values(), async ({ name, watched }) => {
        const digest = await shownDigest(watched, { audit, hash: state.hash });
        return [[`policy ${name}`, digest] as const, [`mapping of ${name}`, watched.mapping.digest] as const];
      });
      return new Map((await Promise.all(shown)).flat());
    };
    const { divided, close: endShowing } = watchInForce(state.run, digests);
    closing.push(endShowing);
    // A service that writes a log in a database makes the cases in the same transaction.
    const makesAllCases = place?.postgres === undefined;
    const records = audit && (await openRecords(audit, state, config, { report, closing, makesAllCases }));
    if (records) {
      closing.push(startDescribing(records, config.queues));
      const { place, index } = records;
      const referenceOf = async (id: string) => (await readReferences(place, [id], index)).get(id);
      const means = { ...records, outbox: state.outbox, metrics, referenceOf, report: throttle(report) };
      for (const receiver of receivers) closing.push(startWebhook(receiver, means));
    }
    return {
      ...state,
      references: timed(state.references, 'claim', 'state', metrics),
      ...{
        config,
        client,
        policies,
        released,
        audit,
        velocity,
        report,
        records,
        flights,
        metrics,
        closed: closed.signal,
        close,
      },
      access: openAccess(config, state, audit, env, invited),
      lacking: () => filling?.lacking ?? [],
      divided,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function openAccess(
  { people }: ServeConfig,
  { run, hash }: State,
  log: OpenAuditLog | undefined,
  env: Environment,
  invited: ReadonlyMap<string, Person>,
): Access | undefined {
  if (!people && invited.size === 0) return undefined;
  const isOfIssuer = people && 'issuer' in people;
  const signIn = isOfIssuer ? createSignIn({ people, clientSecret: findClientSecret(people, env), hash }) : undefined;
  const told = async ({ name, roles }: Person) =>
    log && addEvent({ log, type: 'session.begun', by: name, details: { roles: roles.join(', ') } });
  const isTrial = invited.size > 0;
  const sessions = createSessions({ run, hash }, told, isTrial ? TRIAL_LIMITS : undefined);
  const { redeem, stands } = createInvitations({ run, hash });
  const enter = async (secret: string) => {
    if (isOfIssuer && !isTrial) return undefined;
    const person = isTrial ? invited.get(secret) : await redeem(secret);
    const value = person && (await sessions.begin(person));
    if (value === undefined || isTrial || (await stands(secret))) return value;
    // Revoked meanwhile, perhaps before the session began.
    await sessions.end(value);
    return undefined;
  };
  return { sessions, signIn, enter, isTrial };
}

export async function openRecords(
  log: OpenAuditLog,
  { cases, run }: State,
  { queues, limits: { rememberMs } }: ServeConfig,
  { closing, ...following }: Pick<Followed, 'report' | 'makesAllCases'> & { readonly closing: (() => unknown)[] },
): Promise<Records> {
  const index = await openLogIndex(log.place);
  const inDoubt = async (most: number) => {
    const found = await run('inDoubt', [rememberMs, most]);
    const ids = found.map(({ decision }) => String(decision));
    // A decision that is on record is given to the next caller, so its reference is not in doubt.
    const recorded = await Promise.all(ids.map(async (id) => (await index.find(id)).length > 0));
    return ids.filter((_, i) => !recorded[i]);
  };
  closing.push(() => index.close());
  const home = homeOfLog(log);
  const seal = sealOf(await readFirstIndexKey(home.keys));
  const begin = () => addEvent({ log, type: 'cases.sealed', by: 'verdict serve', subjects: {} });
  const follower = new Follower({ index, cases, queues, seal, begin, ...following });
  closing.push(() => follower.close());
  const indexKeys = await readIndexKeys(home.keys, (await readLog(home.log)).log);
  const actorsOf = (name: string) => indexKeys.map((key) => actorHash(name, key));
  return { log, place: log.place, index, follower, cases, seal, actorsOf, inDoubt };
}

/** A log in a database opens, resolves and closes cases in the transaction that writes a record. */
async function openAudit(place: LogPlace, { audit, queues }: ServeConfig, report: Report): Promise<OpenAuditLog> {
  const sealed = async () => sealOf(await readFirstIndexKey((await homeOf(place)).keys));
  const alongside = place.postgres === undefined ? undefined : casesAlongside({ queues, seal: await sealed() });
  const options = {
    mode: audit?.mode ?? 'required',
    reopen: true,
    onReopened: () => report({ event: 'audit.reopened' }),
    onLost: ({ code }: VerdictError, decision: string) => report({ event: 'audit.lost', code, decision }),
  };
  return openAuditLog({ ...place, ...options }, { alongside });
}

/** How often the store of velocity is asked whether it was away. */
const HEAL_MS = 60_000;

/** In how many deadlines a decision is on record: it is decided within one, and then written. */
const RECORDED_WITHIN = 2;

/** Two services that share a state and not the log would each not see half of the decisions. */
export async function claimLog({ run }: State, log: string): Promise<void> {
  await run('setPosition', [LOG, log, log]);
  const [claimed] = await run('position', [LOG]);
  if (claimed?.['position'] === log) return;
  const how = 'give this service the log of the others, or a state of its own';
  throw new VerdictError('CONFIGURATION_INVALID', `the state is that of a service with another audit log: ${how}`);
}

/** Rules that are released are kept with the log, so that there is one. */
function releasedMeans(
  { releases, policies }: ServeConfig,
  log: OpenAuditLog | undefined,
  rest: Pick<ReleasedMeans, 'prove' | 'report'>,
): ReleasedMeans {
  const { trust = '', seen = '' } = releases ?? {};
  return { log: log as OpenAuditLog, trust: readTrust(trust), files: policies, seen, ...rest };
}

type OfService = 'config' | 'client' | 'audit' | 'velocity' | 'metrics' | 'report' | 'hash' | 'released';

interface Means extends Pick<Service, OfService> {
  readonly filling: Filling | undefined;
  readonly prove: ProvingOptions['prove'];
  /** Resolves once the decisions that are being made now have ended. */
  decided(): Promise<unknown>;
}

async function servePolicy(name: string, file: string, means: Means): Promise<ServedPolicy> {
  const { config, client, audit, velocity, metrics, report, filling, decided, prove, hash, released } = means;
  const throttled = throttle(report);
  const { services, countryCode, mapping: mappingFile } = config;
  const calls = {
    // The first decision by a policy would wait for the log to keep it: seconds, for a list of 100,000 people.
    prepare: async (policy: Policy) => {
      const kept = audit && keepPolicy(audit, { policy, mapping: mappingOf(policy) as Mapping });
      await Promise.allSettled([filling?.fill(name, policy, false), kept]);
    },
    onChange: ({ policy, mapping }: InForce) => {
      metrics.count('verdict_reloads_total', { policy: name, result: 'changed' });
      void shownDigest({ policy, mapping: mapping ?? watched.mapping }, { audit, hash }).then((digest) =>
        report({ event: 'policy.changed', policy: name, version: policy.version, digest, mapping: mapping?.digest }),
      );
      void decided().then(() => filling?.fill(name, policy, true));
    },
  };
  const ofFile = {
    mapping: mappingFile,
    prove,
    ...calls,
    onError: ({ code, message }: DiagnosticsError) => {
      metrics.count('verdict_reloads_total', { policy: name, result: 'broken' });
      report({ event: 'policy.broken', policy: name, code, message });
    },
  };
  const watched = released ? released.watch(name, calls) : await watchPolicy(file, ofFile);
  const decider = createDecider({
    policy: () => watched.policy,
    verify: client,
    ...(services ? { services } : {}),
    ...(countryCode === undefined ? {} : { countryCode }),
    ...(audit ? { audit: timed(audit, 'record', 'log', metrics) } : {}),
    ...(velocity ? { velocity: timed(velocity, 'count', 'velocity', metrics) } : {}),
    rememberMs: 0,
    deadlineMs: config.limits.deadlineMs,
    // Each decision that may be billed and is not on record is told.
    onEvent: (event) => tell(event, metrics, event.type === 'recordFailed' ? report : throttled),
  });
  for (const { text } of await decider.ready()) report({ event: 'velocity.notConfigured', policy: name, text });
  return {
    name,
    get file() {
      return released ? released.fileOf(file) : file;
    },
    ...{ watched, decider },
  };
}

const MINUTE_MS = 60_000;

/** Writes one line a minute for each cause, with the number of events since the last one. */
function throttle(report: Report): Report {
  const told = new Map<string, { readonly at: number; readonly more: number }>();
  return (line) => {
    const cause = ['event', 'code', 'cause', 'webhook'].map((key) => line[key]).join(' ');
    const now = performance.now();
    const { at, more } = told.get(cause) ?? { at: Number.NEGATIVE_INFINITY, more: 0 };
    const isDue = now - at >= MINUTE_MS;
    told.set(cause, isDue ? { at: now, more: 0 } : { at, more: more + 1 });
    if (isDue) report({ ...line, count: more + 1 });
  };
}

/** The error that one of these events may carry may quote a person; it is left out. */
function tell(event: DeciderEvent, metrics: Metrics, report: Report): void {
  const { type, decision } = event;
  if (type === 'recordFailed' || type === 'recordRefused') metrics.count('verdict_audit_failures_total');
  if (type === 'velocityFailed') metrics.count('verdict_velocity_failures_total', { step: event.step });
  const code = 'error' in event && typeof event.error === 'string' ? event.error : undefined;
  const cause = 'cause' in event ? event.cause : undefined;
  report({ event: `decision.${type}`, decision, code, cause });
}
