/** The state of a service -> health and metrics over HTTP, for those who run it. */

import { createServer, type RequestListener, type Server } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { foreignCode } from '../errors.ts';
import { toJson } from '../text.ts';
import { ENGINE_VERSION } from '../version.ts';
import { oneByOne } from './auth/door.ts';
import type { KeyRing } from './auth/keys.ts';
import { shownDigest } from './auth/see.ts';
import { type Gauge, gauge, gaugesOfProcess } from './metrics.ts';
import { problemOf } from './problem.ts';
import type { Released } from './released.ts';
import type { Service } from './service.ts';
import { gaugesOfWebhooks } from './webhooks/undelivered.ts';

/** What the server does now. */
export interface State {
  isDraining: boolean;
  /** No connection is accepted any more, and each answer ends its own. */
  isClosing: boolean;
  /** Requests that are being answered. */
  inFlight: number;
  readonly delay: () => LoopDelay;
}

/** The delay of the event loop, in milliseconds. */
interface LoopDelay {
  /** The mean of the last second or of the one before, whichever is less: a single long turn is no overload. */
  readonly lasting: number;
  /** The longest in the last second. */
  readonly max: number;
}

/** Measures each second how long the event loop makes others wait. */
export function watchDelay(closed: AbortSignal): () => LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  let last: LoopDelay = { lasting: 0, max: 0 };
  let [before, at] = [0, performance.now()];
  const timer = setInterval(() => {
    const elapsed = performance.now() - at;
    // It has no value until its timer has fired twice, and then the turns are as long as that.
    const isEmpty = histogram.count === 0;
    const mean = isEmpty ? elapsed : histogram.mean / 1e6 - RESOLUTION_MS;
    const max = isEmpty ? elapsed : histogram.max / 1e6 - RESOLUTION_MS;
    last = { lasting: Math.min(mean, before), max: Math.max(0, max) };
    [before, at] = [mean, at + elapsed];
    histogram.reset();
  }, SECOND_MS).unref();
  closed.addEventListener('abort', () => {
    clearInterval(timer);
    histogram.disable();
  });
  return () => last;
}

const RESOLUTION_MS = 10;

const SECOND_MS = 1000;

const NO_STORE = { 'cache-control': 'no-store' };

/** A server of `/livez`, `/readyz` and `/metrics`. */
export function createAdmin(service: Service, keys: KeyRing, state: State): Server {
  let countedAt = Number.NEGATIVE_INFINITY;
  let counted: ReturnType<typeof gaugesOfCases> = Promise.resolve([]);
  const countCases = () => {
    if (performance.now() - countedAt > COUNTED_MS) [countedAt, counted] = [performance.now(), gaugesOfCases(service)];
    return counted;
  };
  const answer: RequestListener = async (request, response) => {
    const send = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'content-type': type, ...NO_STORE }).end(body);
    if (request.method !== 'GET') return send(405, 'text/plain', 'GET\n');
    if (request.url === '/livez') return send(200, 'application/json', toJson({ ok: true }));
    if (request.url === '/metrics') {
      const asked = await Promise.all([countCases(), gaugesOfVersions(service)]);
      const gauges = [...gaugesOfProcess(), ...gaugesOf(service, state), ...asked.flat()];
      return send(200, 'text/plain; version=0.0.4; charset=utf-8', service.metrics.render(gauges));
    }
    if (request.url !== '/readyz') return send(404, 'text/plain', 'not found\n');
    const parts = await readiness(service, keys, state);
    const isReady = parts.every(({ ok }) => ok);
    return send(isReady ? 200 : 503, 'application/json', toJson({ ok: isReady, parts }));
  };
  return createServer(oneByOne(answer));
}

/**
 * A broken edit leaves the service ready: what was in force before it stays. So does a store of velocity that is away:
 * who needs a count is reviewed.
 */
async function readiness(service: Service, keys: KeyRing, state: State) {
  const { policies, audit, references, velocity, released } = service;
  const check = async (part: string, run: () => Promise<unknown> | undefined, isNeeded = true) => {
    try {
      await run();
      return { part, ok: true };
    } catch (error) {
      const code = (isNeeded ? undefined : foreignCode(error)) ?? problemOf(error).problem.code;
      return { part, ok: !isNeeded, code };
    }
  };
  const askStore = () => velocity?.coverage({ policy: velocity.hash(''), kinds: [] });
  return [
    { part: 'running', ok: !state.isDraining },
    ...(released ? [await ofRelease(released)] : []),
    ...[...policies.values()].map(({ name, watched }) => edited(`policy ${name}`, watched.brokenSince)),
    edited('keys', keys.brokenSince),
    await check('audit', () => (audit?.mode === 'required' ? audit.check() : undefined)),
    await check('references', () => references.check()),
    ...(velocity ? [await check('velocity', askStore, false)] : []),
    ...incomplete(service),
    ...(await differing(service)),
  ];
}

/** From which day on counts are complete. Before that the service is ready: where they matter, it asks for review. */
function incomplete({ lacking }: Service) {
  return lacking().map(({ policy, completeOn }) => ({ part: `counts of ${policy}`, ok: true, completeOn }));
}

/**
 * What is in force here, and what in how many processes. Forms of one policy or mapping leave the service ready: which
 * of them is the right one, people have to say.
 */
async function differing({ divided }: Service) {
  const found = await divided().catch(() => []);
  return found.map(({ name, digest, words }) => ({ part: `forms of ${name}`, ok: true, digest, differs: words }));
}

/** The release in force; why a later one is not, and that nobody has confirmed one that somebody put in force alone. */
async function ofRelease({ inForce, unconfirmedSince }: Released) {
  const { number, refused } = inForce();
  const unconfirmed = await unconfirmedSince().catch(() => undefined);
  return {
    ...{ part: `release ${number}`, ok: true, ...(refused === undefined ? {} : { problem: refused }) },
    ...(unconfirmed === undefined ? {} : { unconfirmedSince: unconfirmed }),
  };
}

function edited(part: string, brokenSince: string | undefined) {
  return { part, ok: true, ...(brokenSince === undefined ? {} : { brokenSince }) };
}

/** What is in force here: an edit that did not reach one of several pods shows. */
async function gaugesOfVersions(service: Service): Promise<readonly Gauge[]> {
  const policies = [...service.policies.values()].map(async ({ name, watched: { policy, mapping } }) => {
    const digest = await shownDigest({ policy, mapping }, service);
    const labels = { policy: name, version: policy.version, digest, mapping: mapping.digest };
    return gauge('verdict_policy_info', 'The policy and the mapping in force.', 1, labels);
  });
  const build = { version: ENGINE_VERSION, node: process.version };
  return [gauge('verdict_build_info', 'The version of the engine.', 1, build), ...(await Promise.all(policies))];
}

/** There may be many cases: they are counted once in so long, however many ask. */
const COUNTED_MS = 15_000;

/** Of the queue and of what follows the log; none while they cannot be read, which `/readyz` and the log tell. */
async function gaugesOfCases(service: Service): Promise<readonly Gauge[]> {
  const { records } = service;
  if (!records) return [];
  try {
    const [counts, behind] = [await records.cases.counts(), await records.index.behind()];
    const overdueMs = Math.max(0, ...counts.map(({ oldestDue }) => Date.now() - oldestDue));
    return [
      ...counts.map(({ queue, state, count }) =>
        gauge('verdict_cases', 'Cases that are not resolved, by queue and state.', count, { queue, state }),
      ),
      ...(await gaugesOfWebhooks(service)),
      gauge('verdict_case_overdue_seconds', 'How long the oldest open case has been overdue.', overdueMs / 1000),
      gauge('verdict_index_behind_bytes', 'How much of the log is not indexed yet.', behind),
    ];
  } catch {
    return [];
  }
}

function gaugesOf({ client, policies, waiting }: Service, state: State): readonly Gauge[] {
  const broken = [...policies.values()].map(({ name, watched }) => {
    const isBroken = Number(watched.brokenSince !== undefined);
    const help = 'Whether an edit of the files of a policy is broken.';
    return gauge('verdict_policy_broken', help, isBroken, { policy: name });
  });
  const { circuit, inFlight, queued } = client.state();
  const waitForState = 'Calls that wait for a connection to the state in PostgreSQL.';
  return [
    gauge('verdict_in_flight', 'Requests that are being answered.', state.inFlight),
    gauge('verdict_event_loop_delay_seconds', 'The longest delay of late.', state.delay().max / 1000),
    gauge('verdict_vendor_in_flight', 'Calls that are being made.', inFlight),
    gauge('verdict_vendor_queued', 'Calls that wait.', queued),
    gauge('verdict_vendor_circuit_open', 'Whether calls are held back.', Number(circuit !== 'closed')),
    gauge('verdict_state_pool_waiting', waitForState, waiting()),
    gauge('verdict_draining', 'Whether the service is ending.', Number(state.isDraining)),
    ...broken,
  ];
}
