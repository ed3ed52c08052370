/** Requests about cases and news -> one holder at a time, what a person decided, and what the caller learns of it. */

import * as z from 'zod';
import { ID } from '../../audit/entry/schema.ts';
import type { NewsPosition } from '../../audit/index/log-index.ts';
import { type AuditEvent, addEvent, recordEvent } from '../../audit/query/event.ts';
import { recordNote } from '../../audit/query/note.ts';
import { VerdictError } from '../../errors.ts';
import { INSTANT_EXPECTED, startOf } from '../../facts/instant.ts';
import { inTurn } from '../../platform/turns.ts';
import { type Case, type Cases, placeOf } from '../../stores/state/cases.ts';
import { didYouMean, joinWords, lettersOf } from '../../text.ts';
import { readKeys } from '../auth/keys.ts';
import { type Caller, hasRole } from '../auth/roles.ts';
import { maySeeDecisions, maySeeReviewers } from '../auth/see.ts';
import { displayOf } from '../auth/sessions.ts';
import { type Reasons, reasonsOf } from '../cases/queues.ts';
import type { Queue } from '../config.ts';
import { countNotes } from '../count-note.ts';
import { ProblemError } from '../problem.ts';
import type { Asked } from '../route.ts';
import type {
  ANSWER_REQUEST,
  ASK_REQUEST,
  CASES_QUERY,
  ESCALATE_REQUEST,
  EVENTS_QUERY,
  HOLD_REQUEST,
  OPEN_REQUEST,
  REASSIGN_REQUEST,
  RELEASE_REQUEST,
  RENEW_REQUEST,
  RESOLVE_REQUEST,
  TAKE_REQUEST,
} from '../schemas.ts';
import type { Service } from '../service.ts';
import { newsOf } from '../webhooks/news.ts';
import {
  findOwn,
  findRecord,
  findVisible,
  indexedOf,
  ownRecord,
  readCursor,
  showRecord,
  writeCursor,
} from './records.ts';

/** A holder has a case for this long, and again with each renewal. */
const LEASE_MS = 15 * 60_000;

/** A resolution begins only while more of the lease is left: it ends within it. */
const LEAST_MS = 10_000;

const iso = (ms: number) => new Date(ms).toISOString();
const instant = (ms: number | null) => (ms === null ? undefined : iso(ms));

/** A case as callers see it. */
function shown({ id, decision, kind, queue, state, holder, token, until, due, disposition, ...rest }: Case) {
  const held = holder !== null && until !== null ? { holder, token, until: instant(until) } : {};
  const resolved = disposition !== null && state === 'resolved' ? { disposition } : {};
  const times = { openedAt: instant(rest.openedAt), due: instant(due) };
  const at = rest.resolvedAt === null ? {} : { resolvedAt: instant(rest.resolvedAt) };
  return { id, decision, kind, queue, state, ...times, ...held, ...resolved, ...at, ...keptOf(rest) };
}

/** For whom it is kept, and what it waits for. */
function keptOf({ reservedFor, reservedUntil, sleepsUntil, asked }: Partial<Case>) {
  return {
    ...(reservedFor ? { reservedFor, reservedUntil: instant(reservedUntil ?? null) } : {}),
    ...(sleepsUntil ? { sleepsUntil: instant(sleepsUntil) } : {}),
    ...(asked ? { asked } : {}),
  };
}

/** Cases of a page, the first due first. Who only reads does not see who has one. */
export async function listCases({ query, caller }: Asked<z.ZodType, typeof CASES_QUERY>, service: Service) {
  const { queue, state, code, policy, overdue, limit = 50, after } = query;
  const some = (text: string | undefined) => (text === undefined ? undefined : [text]);
  const filter = { queues: some(queue), codes: some(code), policies: some(policy), states: state && [state] };
  const dueMs = overdue === 'true' ? 0 : undefined;
  const { page, next } = await pageOfCases({ ...filter, dueMs, limit, after }, service);
  const seen = maySeeReviewers(caller) ? withoutToken : withoutHolder;
  return { cases: page.map((each) => seen(shown(each))), ...(next === undefined ? {} : { next }) };
}

/** A place by what cases are sorted by. */
const CASE_PLACE = z.tuple([z.number(), z.string().refine(ID.is)]).transform(([at, id]) => ({ at, id }));

/** Cases of a page, and the cursor of the next page if there may be one. */
export async function pageOfCases(
  { after, ...filter }: Omit<Parameters<Cases['list']>[0], 'after'> & { readonly after: string | undefined },
  service: Service,
): Promise<{ readonly page: readonly Case[]; readonly next: string | undefined }> {
  const from = after === undefined ? undefined : readCursor(after, CASE_PLACE);
  const page = await indexedOf(service).cases.list({ ...filter, after: from });
  const last = page.length === filter.limit ? page.at(-1) : undefined;
  const place = last && placeOf(last, filter.sort);
  return { page, next: place && writeCursor([place.at, place.id]) };
}

type Shown = ReturnType<typeof shown>;

/** The token is its holder's alone. */
const withoutToken = ({ token: _, ...others }: Shown) => others;
const withoutHolder = ({ holder: _, token: __, until: ___, reservedFor: ____, ...others }: Shown) => others;

/** Puts on record what the caller did with a case, once it is done. */
export async function recordAct(
  type: AuditEvent['type'],
  { id, decision: object, kind, due, queue }: Case,
  caller: Caller,
  service: Service,
  { details, ...more }: Partial<Pick<AuditEvent, 'why' | 'details' | 'detail'>> = {},
): Promise<void> {
  const { subjects } = (await findRecord(object, service)).record;
  const said = { by: caller.name, detail: kind, details: { case: id, queue, due: iso(due), ...details }, ...more };
  await addEvent({ log: indexedOf(service).log, type, object, subjects, ...said });
}

/**
 * The next case of the queues, with its decision; undefined if there is none. One at a time for a person, so that
 * nobody takes the connections of others. A case that cannot be recorded as taken is given back.
 */
export async function takeCase({ body: { queue }, caller }: Asked<typeof TAKE_REQUEST>, service: Service) {
  return takenBy(caller, service, { queues: queue === undefined ? undefined : [queueNamed(queue, service).name] });
}

/** One case, chosen from the queue: free, kept for the caller, or held by them. */
export async function takeOne({ id, caller }: Asked, service: Service) {
  const taken = await takenBy(caller, service, { id });
  if (taken) return taken;
  const found = await indexedOf(service).cases.get(id);
  if (found?.state !== 'open' || (found.until ?? 0) > Date.now()) return refuse(id, service);
  const holder = found.reservedFor === null ? {} : { holder: found.reservedFor };
  throw new ProblemError('LEASE_LOST', await refusalOf(found, caller, service), holder);
}

/** Why a person may not take a case that nobody holds; undefined if they may. */
export async function refusalOf(found: Case, { name: person }: Caller, service: Service): Promise<string | undefined> {
  const { cases, actorsOf } = indexedOf(service);
  const freeBy = (actors: readonly string[]) => cases.free({ person, actors, ids: [found.id] });
  const now = Date.now();
  if ((await freeBy(actorsOf(person))).length > 0) return undefined;
  if (found.reservedFor !== null && found.reservedFor !== person && (found.reservedUntil ?? 0) > now) {
    return `it is ${(found.sleepsUntil ?? 0) > now ? 'on hold' : 'kept'} for somebody else`;
  }
  return (await freeBy([])).length > 0 ? 'you opened it' : 'you skipped it, or gave it to another queue';
}

/** The queue of that name. Throws REQUEST_INVALID. */
export function queueNamed(name: string, { config: { queues } }: Service): Queue {
  const queue = queues.find((each) => each.name === name);
  if (queue) return queue;
  const names = queues.map((each) => each.name);
  const { hint = `the queues are ${names.join(', ')}` } = didYouMean(name, names);
  throw new ProblemError('REQUEST_INVALID', `no queue has that name; ${hint}`);
}

async function takenBy(caller: Caller, service: Service, which: Pick<Parameters<Cases['take']>[0], 'id' | 'queues'>) {
  const { cases, actorsOf } = indexedOf(service);
  const person = caller.name;
  return inTurn(`take ${person}`, async () => {
    const held = await cases.held(person);
    const taken = await cases.take({ person, actors: actorsOf(person), leaseMs: LEASE_MS, ...which });
    if (!taken) return undefined;
    const { id, token, decision } = taken;
    const isHeld = held.some((each) => each.id === id && each.token === token);
    try {
      await recordAct(isHeld ? 'case.renewed' : 'case.taken', taken, caller, service);
      const { record } = await findVisible(decision, caller, service);
      return { ...shown(taken), ...showRecord(record) };
    } catch (error) {
      if (!isHeld) await cases.release({ id, token, person, skip: false }).catch(() => {});
      throw error;
    }
  });
}

/** Holds a case for longer. */
export async function renewCase({ id, body: { token }, caller }: Asked<typeof RENEW_REQUEST>, service: Service) {
  const { cases } = indexedOf(service);
  const renewed = await cases.renew({ id, token, person: caller.name, leaseMs: LEASE_MS });
  if (!renewed) return refuse(id, service);
  await recordAct('case.renewed', renewed, caller, service);
  return shown(renewed);
}

/** Gives a case back; with `skip` this caller does not get it again. */
export async function releaseCase({ id, body, caller }: Asked<typeof RELEASE_REQUEST>, service: Service) {
  const { token, skip = false } = body;
  const { cases } = indexedOf(service);
  const released = await cases.release({ id, token, person: caller.name, skip });
  if (!released) return refuse(id, service);
  await recordAct('case.released', released, caller, service, { details: { skip: String(skip) } });
  return withoutToken(shown(released));
}

/** Keeps a case for somebody; then it is on record that it was given to them, and why. */
export async function reassignCase({ id, body, caller }: Asked<typeof REASSIGN_REQUEST>, service: Service) {
  const { to, why } = body;
  const { cases, actorsOf } = indexedOf(service);
  await checkReviewer(to, service);
  const given = await cases.reassign({ id, to, actors: actorsOf(to) });
  if (!given && (await cases.get(id))?.state === 'open') {
    throw new ProblemError('REQUEST_INVALID', 'who opened a case decides nothing in it; expected somebody else');
  }
  if (!given) return refuse(id, service);
  await recordAct('case.reassigned', given, caller, service, { why, details: { to } });
  return withoutToken(shown(given));
}

/** Throws REQUEST_INVALID unless it is somebody who may review, and signed in lately or has a key. */
async function checkReviewer(name: string, service: Service): Promise<void> {
  const names = [...(await peopleOf(service)), ...namesOf(readKeys(service.config.keysFile))];
  if (names.includes(name)) return;
  const written = lettersOf(name);
  const alike = names.filter((each) => lettersOf(displayOf(each)) === written);
  const { hint = 'expected the whole name, as of somebody who signed in during the last 30 days' } =
    alike.length === 1 ? { hint: `did you mean "${alike[0]}"?` } : didYouMean(name, names);
  throw new ProblemError('REQUEST_INVALID', `nobody of that name may review cases; ${hint}`);
}

/** The people who may be given a case: those who signed in lately. */
export async function peopleOf({ access }: Pick<Service, 'access'>): Promise<readonly string[]> {
  return namesOf((await access?.sessions.lately()) ?? []);
}

function namesOf(callers: readonly Caller[]): readonly string[] {
  return callers.filter((each) => hasRole(each, ['review'])).map(({ name }) => name);
}

/** How long a case may be on hold, or wait for an answer. */
const LONGEST_MS = 30 * 86_400_000;

/** When a case wakes, in milliseconds. Throws REQUEST_INVALID. */
function wakingOf(until: string): number {
  const at = Date.parse(startOf(until) ?? '');
  const wrong = (problem: string) => new ProblemError('REQUEST_INVALID', `\`until\` ${problem}`);
  if (Number.isNaN(at)) throw wrong(`has to be ${INSTANT_EXPECTED}`);
  if (at <= Date.now() || at > Date.now() + LONGEST_MS) throw wrong('has to be within the next 30 days');
  return at;
}

/** Puts a case on hold: it comes back to its holder. */
export async function holdCase({ id, body, caller }: Asked<typeof HOLD_REQUEST>, service: Service) {
  const { token, until, why } = body;
  const waking = wakingOf(until);
  const slept = await indexedOf(service).cases.sleep({ id, token, person: caller.name, until: waking });
  if (!slept) return refuse(id, service);
  await recordAct('case.held', slept, caller, service, { why, details: { until: iso(waking) } });
  return withoutToken(shown(slept));
}

/** Asks the caller of the decision for something, by an event; the case waits for the answer, or for the time. */
export async function askCase({ id, body, caller }: Asked<typeof ASK_REQUEST>, service: Service) {
  const { token, code, until } = body;
  const { cases } = indexedOf(service);
  const { queue } = (await cases.get(id)) ?? (await refuse(id, service));
  const { asks = [] } = service.config.queues.find(({ name }) => name === queue) ?? {};
  if (!asks.includes(code)) {
    const known = asks.length === 0 ? 'its queue has no `asks` in serve.yaml' : `expected ${joinWords(asks)}`;
    throw new ProblemError('REQUEST_INVALID', `nobody can be asked for that; ${didYouMean(code, asks).hint ?? known}`);
  }
  const waking = until === undefined ? {} : { until: wakingOf(until) };
  const slept = await cases.sleep({ id, token, person: caller.name, asked: code, ...waking });
  if (!slept) return refuse(id, service);
  await recordAct('case.asked', slept, caller, service, {
    detail: code,
    details: { until: iso(slept.sleepsUntil ?? 0) },
  });
  return withoutToken(shown(slept));
}

/**
 * What the caller of a decision answers: it is on record, and the case wakes. The id is that of the case, or of its
 * decision, which the event had.
 */
export async function answerCase({ id, body: { text }, caller }: Asked<typeof ANSWER_REQUEST>, service: Service) {
  const { cases } = indexedOf(service);
  const found = await cases.get(id);
  await ownRecord(found?.decision ?? id, caller, service);
  const all = [...(found ? [found] : []), ...(await cases.of(id))];
  const asked = all.find((each) => each.asked !== null);
  if (!asked) throw new ProblemError('REQUEST_INVALID', 'no case of the decision waits for an answer');
  await recordAct('case.answered', asked, caller, service, { detail: asked.asked ?? '', why: text });
  const awake = await cases.answer({ id: asked.id });
  return withoutHolder(shown(awake ?? asked));
}

/** To another queue, due earlier if that one is quicker; its holder does not get it again. */
export async function escalateCase({ id, body, caller }: Asked<typeof ESCALATE_REQUEST>, service: Service) {
  const { token, queue, why } = body;
  const { cases } = indexedOf(service);
  const { name, withinMs } = queueNamed(queue, service);
  if ((await cases.get(id))?.queue === name) throw new ProblemError('REQUEST_INVALID', 'the case is in that queue');
  const escalated = await cases.escalate({ id, token, person: caller.name, queue: name, withinMs });
  if (!escalated) return refuse(id, service);
  await recordAct('case.escalated', escalated, caller, service, { why });
  return withoutToken(shown(escalated));
}

/**
 * Notes what the holder of a case decided, in three steps: the row names the note, the note is in the log, the row is
 * resolved. INVARIANT: the id of the note follows from the case and the token, so that a step that is repeated, here or
 * by the follower of the log, writes nothing twice.
 */
export async function resolveCase({ id, body, caller }: Asked<typeof RESOLVE_REQUEST>, service: Service) {
  const { token, disposition } = body;
  const { cases, log, index, follower, seal, actorsOf } = indexedOf(service);
  const { queue } = (await cases.get(id)) ?? (await refuse(id, service));
  const why = whyOf(body, reasonsOf(service.config.queues, queue));
  const actors = actorsOf(caller.name);
  const resolver = actors.at(-1) ?? '';
  const resolves = { case: id, token, actor: resolver };
  const note = seal.note(resolves);
  const held = { id, token, person: caller.name, actors };
  // The holder before may have noted it when the lease ended.
  await follower.catchUp();
  const beganAt = performance.now();
  const begun =
    (await cases.beginResolve({ ...held, note, disposition, leastMs: LEAST_MS })) ??
    (await resolvedBy(id, note, disposition, service)) ??
    (await refuse(id, service));
  const { decision } = begun;
  let at = begun.resolvedAt ?? Date.now();
  const now = () => {
    at = Date.now();
    return at;
  };
  // This process may have been paused for longer than the lease.
  const mayWrite = () => performance.now() - beganAt <= LEAST_MS;
  const said = { id: note, decision, disposition, resolves, by: caller.name, why };
  await recordNote({ log, index, ...said, mayWrite, now }).catch(async (error: unknown) => {
    throw error instanceof VerdictError && error.code === 'ABORTED' ? await refuse(id, service) : error;
  });
  if (begun.state !== 'resolved') await cases.finishResolve({ id, decision, note, disposition, at, resolver });
  await countNotes(decision, service);
  return { note, resolvedAt: new Date(at).toISOString() };
}

/** The words of a resolution. Throws REQUEST_INVALID without any, or with a reason for the other disposition. */
export function whyOf(
  { disposition, reason, why }: Pick<z.infer<typeof RESOLVE_REQUEST>, 'disposition' | 'reason' | 'why'>,
  reasons: Reasons,
): string {
  const [own, other] = [reasons[disposition], reasons[disposition === 'approve' ? 'decline' : 'approve']];
  for (const text of [reason, why?.trim()]) {
    if (text === undefined || own.includes(text) || !other.includes(text)) continue;
    throw new ProblemError('REQUEST_INVALID', `choose a reason to ${disposition}: ${joinWords(own)}`);
  }
  if (reason !== undefined && !own.includes(reason)) {
    const { hint = `expected ${joinWords(own)}` } = didYouMean(reason, own);
    throw new ProblemError('REQUEST_INVALID', `the queue has no such reason; ${hint}`);
  }
  if (reason === undefined && why === undefined) {
    throw new ProblemError('REQUEST_INVALID', 'a resolution needs a reason or own words: `reason`, `why`, or both');
  }
  return [reason, why].filter((each) => each !== undefined).join(': ');
}

/** The case if this very note resolved it: its holder asks again, maybe after it was corrected. */
async function resolvedBy(id: string, note: string, disposition: string, service: Service): Promise<Case | undefined> {
  const found = await indexedOf(service).cases.get(id);
  if (found?.state !== 'resolved') return undefined;
  const { notes } = await findRecord(found.decision, service);
  return notes.some((each) => each.id === note && each.disposition === disposition) ? found : undefined;
}

/** Throws the problem of a case that its caller does not hold. */
async function refuse(id: string, service: Service): Promise<never> {
  const found = await indexedOf(service).cases.get(id);
  if (!found) throw new ProblemError('NOT_FOUND');
  if (found.state === 'resolved') {
    throw new ProblemError('ALREADY_RESOLVED', undefined, { disposition: found.disposition ?? '' });
  }
  const holder = found.holder ?? found.reservedFor;
  throw new ProblemError('LEASE_LOST', undefined, holder === null ? {} : { holder });
}

/**
 * Opens a case on a decision that the caller may read, because the applicant contests it, or facts may have changed.
 * INVARIANT: of each kind a decision has one that is open. Its id follows from those before it, so that several who
 * open it at once, in whichever process, open the same one.
 */
export async function openCase({ body, caller }: Asked<typeof OPEN_REQUEST>, service: Service) {
  const { decision, kind, why } = body;
  const { log, follower, cases, seal } = indexedOf(service);
  const find = maySeeDecisions(caller) ? findRecord(decision, service) : findOwn(decision, caller, service);
  const { subjects } = (await find).record;
  const opened = await inTurn(`open ${decision} ${kind}`, async () => {
    await follower.catchUp();
    const earlier = (await cases.of(decision)).filter((each) => each.kind === kind);
    const waiting = earlier.find(({ state }) => state !== 'resolved');
    if (waiting) return waiting;
    const id = seal.case(decision, kind, earlier.length);
    const about = { object: decision, detail: kind, subjects };
    await recordEvent({ log, id, type: 'case.opened', by: caller.name, why, ...about });
    await follower.catchUp();
    return cases.get(id);
  });
  if (!opened) throw new ProblemError('STATE_UNAVAILABLE');
  return (maySeeReviewers(caller) ? withoutToken : withoutHolder)(shown(opened));
}

/** The places in each chain. Whether one is of this log is found when it is read. */
const NEWS_PLACE = z
  .array(z.tuple([z.string(), z.int().min(0), z.int().min(0)]))
  .transform(
    (places): NewsPosition => Object.fromEntries(places.map(([chain, segment, end]) => [chain, { segment, end }])),
  );

/** More news than this come with the next request. */
const NEWS_AT_A_TIME = 500;

/** What happened after a cursor, in the order of each chain; waits for news if there are none. */
export async function listEvents({ query }: Asked<z.ZodType, typeof EVENTS_QUERY>, service: Service) {
  const { after, wait = 0 } = query;
  const { index, follower } = indexedOf(service);
  const position = after === undefined ? {} : readCursor(after, NEWS_PLACE);
  const endsAt = performance.now() + wait * 1000;
  for (;;) {
    const { entries, next } = await index.readNews(position, NEWS_AT_A_TIME);
    const events = entries.flatMap(({ entry }) => newsOf(entry) ?? []);
    const cursor = writeCursor(Object.entries(next).map(([chain, { segment, end }]) => [chain, segment, end]));
    const leftMs = endsAt - performance.now();
    if (events.length > 0 || leftMs <= 0 || follower.isEnding) return { events, next: cursor };
    await follower.waitForNews(leftMs);
  }
}
