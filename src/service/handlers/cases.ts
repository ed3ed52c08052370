/** Requests about cases and news -> one holder at a time, what a person decided, and what the caller learns of it. */

import * as z from 'zod';
import type { NewsPosition } from '../../audit/index/log-index.ts';
import { type AuditEvent, addEvent, recordEvent } from '../../audit/query/event.ts';
import { recordNote } from '../../audit/query/note.ts';
import { VerdictError } from '../../errors.ts';
import { inTurn } from '../../platform/turns.ts';
import type { Case, Cases } from '../../stores/state/cases.ts';
import type { Caller } from '../auth/roles.ts';
import { maySeeDecisions, maySeeReviewers } from '../auth/see.ts';
import { countNotes } from '../count-note.ts';
import { ProblemError } from '../problem.ts';
import type { Asked } from '../route.ts';
import type {
  CASES_QUERY,
  EVENTS_QUERY,
  OPEN_REQUEST,
  REASSIGN_REQUEST,
  RELEASE_REQUEST,
  RENEW_REQUEST,
  RESOLVE_REQUEST,
  TAKE_REQUEST,
} from '../schemas.ts';
import type { Service } from '../service.ts';
import { newsOf } from '../webhooks/news.ts';
import { findOwn, findRecord, findVisible, indexedOf, PLACE, readCursor, showRecord, writeCursor } from './records.ts';

/** A holder has a case for this long, and again with each renewal. */
const LEASE_MS = 15 * 60_000;

/** A resolution begins only while more of the lease is left: it ends within it. */
const LEAST_MS = 10_000;

const instant = (ms: number | null) => (ms === null ? undefined : new Date(ms).toISOString());

/** A case as callers see it. */
function shown({ id, decision, kind, queue, state, holder, token, until, due, disposition, ...rest }: Case) {
  const held = holder !== null && until !== null ? { holder, token, until: instant(until) } : {};
  const resolved = disposition !== null && state === 'resolved' ? { disposition } : {};
  const times = { openedAt: instant(rest.openedAt), due: instant(due) };
  const at = rest.resolvedAt === null ? {} : { resolvedAt: instant(rest.resolvedAt) };
  return { id, decision, kind, queue, state, ...times, ...held, ...resolved, ...at };
}

/** Cases of a page, the first due first. Who only reads does not see who has one. */
export async function listCases({ query, caller }: Asked<z.ZodType, typeof CASES_QUERY>, service: Service) {
  const { queue, state, limit = 50, after } = query;
  const [queues, states] = [queue === undefined ? undefined : [queue], state && [state]];
  const { page, next } = await pageOfCases({ queues, states, limit, after }, service);
  const seen = maySeeReviewers(caller) ? withoutToken : withoutHolder;
  return { cases: page.map((each) => seen(shown(each))), ...(next === undefined ? {} : { next }) };
}

/** Cases of a page, and the cursor of the next page if there may be one. */
export async function pageOfCases(
  { after, ...filter }: Omit<Parameters<Cases['list']>[0], 'after'> & { readonly after: string | undefined },
  service: Service,
): Promise<{ readonly page: readonly Case[]; readonly next: string | undefined }> {
  const from = after === undefined ? undefined : readCursor(after, PLACE);
  const place = from && { due: from.at, id: from.id };
  const page = await indexedOf(service).cases.list({ ...filter, after: place });
  const last = page.length === filter.limit ? page.at(-1) : undefined;
  return { page, next: last && writeCursor([last.due, last.id]) };
}

type Shown = ReturnType<typeof shown>;

/** The token is its holder's alone. */
const withoutToken = ({ token: _, ...others }: Shown) => others;
const withoutHolder = ({ holder: _, token: __, until: ___, ...others }: Shown) => others;

/** Puts on record what the caller did with a case, once it is done. */
async function recordAct(
  type: AuditEvent['type'],
  { id, decision: object, kind: detail }: Case,
  caller: Caller,
  service: Service,
  { details, ...more }: Partial<Pick<AuditEvent, 'why' | 'details'>> = {},
): Promise<void> {
  const { subjects } = (await findRecord(object, service)).record;
  const { log } = indexedOf(service);
  await addEvent({ log, type, by: caller.name, object, detail, subjects, details: { case: id, ...details }, ...more });
}

/**
 * The next case of the queues, with its decision; undefined if there is none. One at a time for a person, so that
 * nobody takes the connections of others. A case that cannot be recorded as taken is given back.
 */
export async function takeCase({ body: { queue }, caller }: Asked<typeof TAKE_REQUEST>, service: Service) {
  const { cases, actorsOf } = indexedOf(service);
  if (queue !== undefined && !service.config.queues.some(({ name }) => name === queue)) {
    const known = service.config.queues.map(({ name }) => name).join(', ');
    throw new ProblemError('REQUEST_INVALID', `no queue has that name; the queues are ${known}`);
  }
  const queues = queue === undefined ? undefined : [queue];
  const person = caller.name;
  return inTurn(`take ${person}`, async () => {
    const held = await cases.held(person);
    const taken = await cases.take({ person, actors: actorsOf(person), leaseMs: LEASE_MS, queues });
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

/** Gives a case to somebody; then it is on record that it was, and why. */
export async function reassignCase({ id, body, caller }: Asked<typeof REASSIGN_REQUEST>, service: Service) {
  const { to, why } = body;
  const { cases, actorsOf } = indexedOf(service);
  const given = await cases.reassign({ id, to, actors: actorsOf(to), leaseMs: LEASE_MS });
  if (!given && (await cases.get(id))?.state === 'open') {
    throw new ProblemError('REQUEST_INVALID', 'who opened a case decides nothing in it; expected somebody else');
  }
  if (!given) return refuse(id, service);
  await recordAct('case.reassigned', given, caller, service, { why, details: { to } });
  return withoutToken(shown(given));
}

/**
 * Notes what the holder of a case decided, in three steps: the row names the note, the note is in the log, the row is
 * resolved. INVARIANT: the id of the note follows from the case and the token, so that a step that is repeated, here or
 * by the follower of the log, writes nothing twice.
 */
export async function resolveCase({ id, body, caller }: Asked<typeof RESOLVE_REQUEST>, service: Service) {
  const { token, disposition, why } = body;
  const { cases, log, index, follower, seal, actorsOf } = indexedOf(service);
  const actors = actorsOf(caller.name);
  const resolves = { case: id, token, actor: actors.at(-1) ?? '' };
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
  if (begun.state !== 'resolved') await cases.finishResolve({ id, decision, note, disposition, at });
  await countNotes(decision, service);
  return { note, resolvedAt: new Date(at).toISOString() };
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
  throw new ProblemError('LEASE_LOST', undefined, found.holder === null ? {} : { holder: found.holder });
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
