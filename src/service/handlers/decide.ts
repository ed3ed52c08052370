/** A request for a decision -> the decision: made once for its reference, and given again after that. */

import type * as z from 'zod';
import { readRecord } from '../../audit/query/decision-record.ts';
import { decideNamed } from '../../decision/decide.ts';
import { noticesOf } from '../../decision/notices.ts';
import {
  checkApplicant,
  createDecisionId,
  type DecisionName,
  questionOf,
  readApplicant,
} from '../../decision/request.ts';
import { VerdictError } from '../../errors.ts';
import { canonicalJson } from '../../platform/digest.ts';
import { pause } from '../../signals/deadline.ts';
import { didYouMean } from '../../text.ts';
import type { Caller } from '../auth/roles.ts';
import { ProblemError, resultOf } from '../problem.ts';
import type { Asked } from '../route.ts';
import type { BATCH_REQUEST, CHECK_REQUEST, DECISION_REQUEST } from '../schemas.ts';
import type { ServedPolicy, Service } from '../service.ts';
import { type Kept, keep, readKept } from './kept.ts';

type DecisionRequest = z.infer<typeof DECISION_REQUEST>;

/** Who asks, and in which language the applicant reads. */
type Asking = Pick<Asked, 'caller' | 'language'>;

/** How often a decision that another process makes is looked for. */
const POLL_MS = 50;

/** The key under which the state has a caller's reference. */
export function keyOfReference(
  reference: string,
  { name }: Pick<Caller, 'name'>,
  { hash }: Pick<Service, 'hash'>,
): string {
  return hash(`${name}\0${reference}`);
}

/** The keyed hash of what is asked: one question, however the applicant is spelt. */
export function keyOfQuestion(request: Omit<DecisionRequest, 'reference'>, { hash }: Service): string {
  const { policy, applicant, context = {}, variables = {} } = request;
  return hash(textOf([policy, questionOf(readApplicant(applicant), Object.entries(context)), variables]));
}

/** Decides an applicant. Each caller has its own references, whatever key of its name it uses. */
export async function decideOne(request: DecisionRequest, asking: Asking, service: Service) {
  const { reference } = request;
  const policy = policyNamed(request.policy, service);
  const { flights } = service;
  const key = keyOfReference(reference, asking.caller, service);
  const question = keyOfQuestion(request, service);
  const deadlineMs = Math.min(request.deadlineMs ?? Number.POSITIVE_INFINITY, service.config.limits.deadlineMs);
  const flying = flights.get(key);
  if (flying) {
    if (flying.question !== question) throw new ProblemError('REFERENCE_REUSED', REUSED);
    const landed = new AbortController();
    const kept = await Promise.race([flying.kept, pause(deadlineMs, landed.signal)]).finally(() => landed.abort());
    if (!kept) throw new ProblemError('REFERENCE_RUNNING');
    return tellAgain(kept, request, asking, service);
  }
  const claiming = { service, policy, request, caller: asking.caller, key, question, deadlineMs };
  const making = decideClaimed(claiming);
  const flight = { question, kept: making.then(({ kept }) => kept) };
  flights.set(key, flight);
  const land = () => flights.delete(key);
  flight.kept.then(land, land);
  const { kept, repeated } = await making;
  return repeated ? tellAgain(kept, request, asking, service) : { decision: tell(kept, request, asking), repeated };
}

function tellAgain(kept: Kept, request: DecisionRequest, asking: Asking, { metrics }: Service) {
  metrics.count('verdict_repeated_total');
  return { decision: tell(kept, request, asking), repeated: true };
}

function tell({ decision, noticed }: Kept, { reference }: DecisionRequest, { language }: Asking) {
  return { ...decision, reference, notices: noticesOf({ reasons: noticed }, language) };
}

const REUSED = 'another applicant, context or policy was sent under this reference; each question needs its own';

/** The policy of a request. */
export function policyNamed(name: string, { policies }: Service): ServedPolicy {
  const policy = policies.get(name);
  if (policy) return policy;
  const detail = describeUnknown(name, policies);
  throw new ProblemError('REQUEST_INVALID', detail, { errors: [{ pointer: '/policy', detail }] });
}

/** What to say of a policy that there is not. */
export function describeUnknown(name: string, policies: Service['policies']): string {
  const { hint = `the policies are ${[...policies.keys()].join(', ')}` } = didYouMean(name, policies.keys());
  return `no policy has that name; ${hint}`;
}

function textOf(question: unknown): string {
  try {
    return canonicalJson(question);
  } catch {
    throw new ProblemError('REQUEST_INVALID', 'a text is not well-formed Unicode');
  }
}

interface Claiming {
  readonly service: Service;
  readonly policy: ServedPolicy;
  readonly request: DecisionRequest;
  readonly caller: Caller;
  readonly key: string;
  readonly question: string;
  readonly deadlineMs: number;
}

/** INVARIANT: nothing is sent before the claim of the reference is durable. */
async function decideClaimed(claiming: Claiming) {
  const { service, request, key, question, deadlineMs } = claiming;
  const { references, metrics } = service;
  const beganAt = performance.now();
  const decidedAtMs = Date.now();
  const id = createDecisionId(decidedAtMs);
  let earlier: Kept | undefined;
  for (let resend = false; ; ) {
    const instead = earlier && (earlier.holder ?? earlier.decision.id);
    const claim = await references.claim({ key, question, decision: id, resend, instead });
    if (claim.state === 'granted') {
      return { kept: await makeDecision(claiming, { id, decidedAtMs }, earlier), repeated: false };
    }
    if (claim.state === 'done') {
      const kept = readKept(claim.answer);
      // Another request may have made it again meanwhile.
      if (earlier || !isMadeAgain(kept, request)) return { kept, repeated: true };
      earlier = kept;
      continue;
    }
    if (claim.state === 'reused') throw new ProblemError('REFERENCE_REUSED', REUSED);
    if (claim.state === 'inDoubt') {
      const kept = await findKept(claim.decision, service);
      if (kept && !isMadeAgain(kept, request)) {
        await settle(references.finish(key, claim.decision, JSON.stringify(kept)));
        return { kept, repeated: true };
      }
      earlier = kept;
      if (!kept) metrics.count('verdict_references_in_doubt_total');
      if (!kept && !request.resend) throw new ProblemError('REFERENCE_IN_DOUBT', IN_DOUBT, { carriedOut: 'unknown' });
      resend = true;
    } else {
      if (performance.now() - beganAt > deadlineMs) throw new ProblemError('REFERENCE_RUNNING');
      await pause(POLL_MS, service.closed);
    }
  }
}

/**
 * Whether a decision is made again under its reference: if all of its calls were certainly not carried out, or if its
 * caller accepts a second bill for one that gave no answer.
 */
export function isMadeAgain(
  { decision: { signals } }: Kept,
  { resend = false }: Pick<DecisionRequest, 'resend'>,
): boolean {
  const { calls } = signals;
  if (resend && calls.some(({ result }) => result !== 'answered')) return true;
  return calls.length > 0 && calls.every(({ result }) => result === 'failed');
}

const IN_DOUBT =
  'the process that was deciding this reference ended; send it again with "resend": true to accept a second bill';

/** The decision that a process recorded before it ended. */
async function findKept(id: string, { audit, records }: Service): Promise<Kept | undefined> {
  // While the index is made, the log is read for one decision.
  const by = records?.follower.isReady ? { index: records.index } : {};
  const record = audit && (await readRecord(audit.place, id, { ...by, checkSegment: false }));
  return record && 'decision' in record.body ? keep(record.body.decision) : undefined;
}

/** `earlier`: the decision that it replaces. */
async function makeDecision(
  claiming: Claiming,
  name: Pick<DecisionName, 'id' | 'decidedAtMs'>,
  earlier: Kept | undefined,
) {
  const { service, policy, request, caller, key, question, deadlineMs } = claiming;
  const { references, metrics, audit } = service;
  const { reference, applicant, context, variables } = request;
  const { id } = name;
  let kept: Kept;
  try {
    const optional = { ...(context ? { context } : {}), ...(variables ? { variables } : {}) };
    const options = { clientReference: reference, deadlineMs, ...optional };
    const named = { ...name, caller: caller.name, question, replaces: earlier?.decision.id };
    const decision = await decideNamed(policy.decider, named, applicant, options);
    kept = keep(decision);
  } catch (error) {
    const isUnsent = VerdictError.is(error) && error.carriedOut === 'no';
    const letGo = () =>
      earlier ? references.finish(key, id, JSON.stringify({ ...earlier, holder: id })) : references.release(key, id);
    await settle(isUnsent ? letGo() : references.doubt(key, id));
    throw error;
  }
  const { outcome, policy: decidedBy, signals } = kept.decision;
  metrics.count('verdict_decisions_total', { policy: policy.name, version: decidedBy.version, outcome });
  for (const { result } of signals.calls) metrics.count('verdict_vendor_calls_total', { result });
  // A record leads back to the decision after a crash; without one, the answer of the claim has to.
  await settle(references.finish(key, id, JSON.stringify(kept), audit?.mode === 'required'));
  return kept;
}

/** The end of a claim that cannot be written now goes along with a later claim. */
async function settle(write: Promise<void>): Promise<void> {
  await write.catch(() => {});
}

/** How many of a batch are decided at a time. */
const BATCH_AT_A_TIME = 10;

/** Decides a batch; each request succeeds or fails for itself. */
export async function decideBatch({ body, ...asking }: Asked<typeof BATCH_REQUEST>, service: Service) {
  const results: object[] = [];
  const waiting = body.requests.entries();
  const work = async () => {
    for (const [i, request] of waiting) {
      const decided = decideOne(request, asking, service).then(({ decision }) => ({ decision }));
      results[i] = await resultOf(decided, service.config.publicUrl);
    }
  };
  await Promise.all(Array.from({ length: BATCH_AT_A_TIME }, work));
  return { results };
}

/** The warnings that a decision on an applicant would have. */
export function warningsOf({ body }: Asked<typeof CHECK_REQUEST>) {
  return { warnings: checkApplicant(body.applicant) };
}
