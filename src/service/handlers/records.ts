/** The log and its index -> decisions on record for those who may see them, and what people note about them. */

import * as z from 'zod';
import { ID } from '../../audit/entry/schema.ts';
import { homeOf } from '../../audit/home.ts';
import { type DecisionRecord, type RecordedDecision, readRecord } from '../../audit/query/decision-record.ts';
import { addEvent } from '../../audit/query/event.ts';
import { addNote, recordNote } from '../../audit/query/note.ts';
import { searchIndex } from '../../audit/query/search-index.ts';
import { ASKED_ROWS } from '../../audit/read/criteria.ts';
import { readQuery, seekPerson } from '../../audit/read/filter.ts';
import { explain } from '../../decision/explain/explain.ts';
import { redact, redactReason } from '../../decision/redact.ts';
import { isDay } from '../../facts/day.ts';
import { lineFacts } from '../../facts/facts-line.ts';
import { endOf, INSTANT_EXPECTED, startOf } from '../../facts/instant.ts';
import { parseJson } from '../../platform/json.ts';
import { isPersonal } from '../../policy/identities.ts';
import { questionOf } from '../../policy/language.ts';
import { isReproduced } from '../../report/record.ts';
import type { Cases } from '../../stores/state/cases.ts';
import { toJson } from '../../text.ts';
import type { Caller } from '../auth/roles.ts';
import { explainTo, mayReveal, maySearchPeople, type Viewer, visibleRecord } from '../auth/see.ts';
import { countNotes } from '../count-note.ts';
import { derivedId } from '../note-id.ts';
import { ProblemError, resultOf } from '../problem.ts';
import type { Asked } from '../route.ts';
import type { EXPLANATION_QUERY, LABELS_REQUEST, NOTE_REQUEST, REVEAL_REQUEST, SEARCH_REQUEST } from '../schemas.ts';
import type { Records, Service } from '../service.ts';

/** The log of the service. Throws NOT_FOUND if it has none. */
export function recordsOf({ records }: Service): Records {
  if (records) return records;
  throw new ProblemError('NOT_FOUND', 'this needs `audit` in serve.yaml');
}

/** The same once its index is made. Throws INDEX_BEHIND. */
export function indexedOf(service: Service): Records {
  const records = recordsOf(service);
  if (records.follower.isReady) return records;
  throw new ProblemError('INDEX_BEHIND');
}

const PAGE = 50;
/** Counting stops here, so that no count of a large log holds up others. */
const MOST_COUNTED = 10_000;

/** A page of decisions, the newest first. */
export async function searchDecisions(search: z.infer<typeof SEARCH_REQUEST>, caller: Caller, service: Service) {
  const { place, index, log } = indexedOf(service);
  const { subject } = search;
  if (subject !== undefined && !maySearchPeople(caller)) {
    throw new ProblemError('FORBIDDEN', 'a search by subject needs the role audit');
  }
  const home = await homeOf(place);
  const filter = await readQuery(queryOf(search), home);
  if (subject !== undefined) {
    // With the newest key, as records of today have it.
    const { variable, hashes } = await seekPerson(subject, home);
    await addEvent({ log, type: 'subject.searched', by: caller.name, subjects: { [variable]: hashes.at(-1) } });
  }
  const limit = search.limit ?? PAGE;
  const after = search.after === undefined ? {} : { after: readCursor(search.after, PLACE) };
  const counted = search.count ? { mostCounted: MOST_COUNTED } : {};
  const { rows, total } = await searchIndex(index, { filter, limit, ...after, ...counted });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    decisions: rows.map((row) => {
      const disposition = row.label ?? row.review;
      return { ...row, ...(disposition ? { disposition } : {}) };
    }),
    ...(search.count ? { total } : {}),
    ...(last ? { next: writeCursor([Date.parse(last.at), last.id]) } : {}),
  };
}

/** A criterion of several texts has one here. */
function queryOf(search: Readonly<Record<string, unknown>>): object {
  const given = ASKED_ROWS.map(({ name, api: [asked], kind }) => {
    const { [asked]: text } = search;
    if (text === undefined || kind === 'time' || kind === 'secret') return [name, text];
    return [name, kind === 'textsOrAny' && text === '*' ? true : [text]];
  });
  return Object.fromEntries(given);
}

/** A place of a list, such as the time and the id of the last one of a page. */
export function writeCursor(place: readonly unknown[]): string {
  return Buffer.from(toJson(place)).toString('base64url');
}

const PLACE = z.tuple([z.int().min(0), z.string().refine(ID.is)]).transform(([at, id]) => ({ at, id }));

/** A cursor holds a place in the order, and nothing that another page would not show. */
export function readCursor<Of extends z.ZodType>(text: string, of: Of): z.infer<Of> {
  const parsed = parseJson(Buffer.from(text, 'base64url'));
  const read = of.safeParse(parsed.problem === undefined ? parsed.value : undefined);
  if (read.success) return read.data;
  throw new ProblemError('REQUEST_INVALID', 'the cursor is not one that `next` gave');
}

/** `checkSegment`: whether its segment is verified too; `withEvents`: whether to read events about it, maybe many. */
interface HowRead {
  readonly checkSegment?: boolean;
  readonly withEvents?: boolean;
}

/** A record by its id. Throws NOT_FOUND. */
export async function findRecord(
  id: string,
  service: Service,
  { checkSegment = false, withEvents = false }: HowRead = {},
): Promise<DecisionRecord> {
  const { place, index, follower } = recordsOf(service);
  // While the index is made, the log is read for one decision.
  const by = follower.isReady ? { index: { find: (each: string) => index.find(each, withEvents) } } : {};
  const record = ID.is(id) ? await readRecord(place, id, { ...by, checkSegment }) : undefined;
  if (!record) throw new ProblemError('NOT_FOUND');
  return record;
}

/** A record by its id, as far as the caller may see it. Throws NOT_FOUND. */
export async function findVisible(
  id: string,
  caller: Caller,
  service: Service,
  options: HowRead = {},
): Promise<{ readonly record: DecisionRecord; readonly viewer: Viewer }> {
  const record = await findRecord(id, service, options);
  const viewer = { ...caller, holds: await holdsCase(record.record.id, caller, recordsOf(service).cases) };
  return { record: visibleRecord(record, viewer), viewer };
}

/** A decision for the key that made it. Throws NOT_FOUND. */
export async function ownRecord(id: string, caller: Caller, service: Service): Promise<DecisionRecord> {
  const found = await findRecord(id, service);
  if (!('closed' in found.body) && found.body.caller === caller.name) return found;
  throw new ProblemError('NOT_FOUND');
}

/** The same while its reference is remembered. */
export async function findOwn(id: string, caller: Caller, service: Service): Promise<DecisionRecord> {
  const found = await ownRecord(id, caller, service);
  if (Date.parse(found.record.at) >= Date.now() - service.config.limits.rememberMs) return found;
  throw new ProblemError('NOT_FOUND');
}

/** The same without facts, and nothing of people. */
export async function showOwn(id: string, caller: Caller, service: Service) {
  const record = await findOwn(id, caller, service);
  const { facts: _, ...shown } = { facts: {}, ...showRecord({ ...record, notes: [] }) };
  return shown;
}

/** The fields of a record that are in clear, without the hashes of people. */
export function inClear(record: DecisionRecord['record']) {
  const { sealed: _, plain: __, key: ___, subjects: ____, reference: _____, links: ______, ...clear } = record;
  return clear;
}

/** A record as those see it who may read: values of facts, and of personal ones only that they are known. */
export function showRecord({ record, notes, body, erasedAt }: DecisionRecord) {
  return {
    record: inClear(record),
    notes: notes.map(({ id, at, disposition, counts, by, why }) => ({
      ...{ id, at, disposition, counts },
      ...(by === undefined ? {} : { by, why }),
    })),
    ...(erasedAt === undefined ? {} : { erasedAt }),
    ...('closed' in body ? { closed: body.closed } : openedParts(body)),
  };
}

function openedParts({ decision, facts, policy }: RecordedDecision) {
  const isShown = (path: string) => !isPersonal(path, policy.facts);
  return { decision: redact(decision), ...lineFacts(facts, policy.facts, isShown) };
}

/** The body of a record. Throws 410 GONE if it was erased, and cannot be read for another reason. */
export function openBody({ body }: DecisionRecord): RecordedDecision {
  if (!('closed' in body) && !body.isPolicyErased) return body;
  throw new ProblemError('GONE', 'the facts of this decision were erased, or their key is not here');
}

/** Why a recorded decision has its outcome, and what would change it. */
export async function explainRecord(
  { id, query: { to = 'accept' }, caller }: Asked<z.ZodType, typeof EXPLANATION_QUERY>,
  service: Service,
) {
  const record = await findRecord(id, service);
  const explanation = await explainTo(caller, openBody(record), to);
  const { digest } = record.record.policy;
  return {
    ...explanation,
    policy: { ...explanation.policy, digest },
    reasons: explanation.reasons.map(redactReason),
  };
}

/** A decision on record beside the same facts decided again. */
export async function replayRecord({ id }: Asked, service: Service) {
  const { decision, policy, facts, day, mapping } = openBody(await findRecord(id, service));
  const again = await explain(policy, facts, day, { to: 'accept', mapping });
  return { same: isReproduced(decision, again), recorded: decision.outcome, again: again.outcome };
}

/** Records a note of the caller's. What a case of the decision waits for is noted by its holder, who resolves it. */
export async function noteDecision({ id, body, caller }: Asked<typeof NOTE_REQUEST>, service: Service) {
  const { id: note, ...said } = body;
  const { log, index, cases, follower } = indexedOf(service);
  await findRecord(id, service);
  if (questionOf(said.disposition) === 'review') {
    await follower.catchUp();
    const waiting = (await cases.of(id)).filter(({ state }) => state !== 'resolved');
    const { holder = null } = waiting.find((each) => each.holder !== null) ?? {};
    const detail = 'the decision has an open case: take it, and resolve it';
    if (waiting.length > 0) throw new ProblemError('LEASE_LOST', detail, holder === null ? {} : { holder });
  }
  const named = note === undefined ? {} : { id: note };
  const added = await addNote({ log, index, decision: id, by: caller.name, ...said, ...named });
  await countNotes(id, service);
  return { note: added };
}

/** Records labels that came later, such as chargebacks. One that is sent again changes nothing. */
export async function addLabels({ body: { labels }, caller }: Asked<typeof LABELS_REQUEST>, service: Service) {
  const results: object[] = [];
  const counts = new Map<string, number>();
  const mayAdd = (decision: string) => {
    counts.set(decision, (counts.get(decision) ?? 0) + 1);
    return (counts.get(decision) ?? 0) <= MOST_OF_ONE;
  };
  for (const label of labels) {
    results.push(await resultOf(addLabel(label, { caller, service, mayAdd }), service.config.publicUrl));
  }
  return { results };
}

/** Each is read beside the notes that the decision has: no feed says so much of one. */
const MOST_OF_ONE = 20;

async function addLabel(
  { id, reference, label, at, note: given }: z.infer<typeof LABELS_REQUEST>['labels'][number],
  { caller, service, mayAdd }: { caller: Caller; service: Service; mayAdd: (decision: string) => boolean },
) {
  const { log, index } = indexedOf(service);
  if ((id === undefined) === (reference === undefined)) {
    throw new ProblemError('REQUEST_INVALID', 'a label names a decision by `id` or by `reference`');
  }
  const decision = id ?? (await idOf(reference ?? '', caller, service));
  if (!mayAdd(decision)) {
    throw new ProblemError('REQUEST_INVALID', `a request has at most ${MOST_OF_ONE} labels of one decision`);
  }
  const { record } = await findRecord(decision, service);
  const knownOn = readKnown(at, record.at);
  const said = { log, index, decision, disposition: label, knownOn, by: caller.name, why: `label of ${at}` };
  const own = () => recordNote({ ...said, id: derivedId(toJson([caller.name, decision, label, at])) });
  const note = given === undefined ? await own() : await addNote({ ...said, id: given });
  await countNotes(decision, service);
  const { notes } = await findRecord(decision, service);
  const counted = notes.find(({ counts, disposition }) => counts && questionOf(disposition) === 'label');
  return { note, ...(counted ? { label: counted.disposition } : {}) };
}

/** A day begins so much earlier in the most eastern time zone than in UTC. */
const EASTERN_MS = 14 * 3_600_000;

/** So far the clock of a caller may be ahead. */
const AHEAD_MS = 5 * 60_000;

/** The UTC day of a label. Throws REQUEST_INVALID unless `at` is a day or instant, since the decision, not ahead. */
function readKnown(at: string, decidedAt: string): string {
  const [begins, ends] = [startOf(at), endOf(at)];
  const wrong = (problem: string) => new ProblemError('REQUEST_INVALID', `\`at\` ${problem}`);
  if (begins === undefined || ends === undefined) throw wrong(`has to be ${INSTANT_EXPECTED}`);
  if (ends < decidedAt) throw wrong('is before the decision; expected when the label became known, which is later');
  const latest = Date.now() + (isDay(at) ? EASTERN_MS : AHEAD_MS);
  if (Date.parse(begins) > latest) throw wrong('is in the future; expected when the label became known');
  return begins.slice(0, 'yyyy-MM-dd'.length);
}

/** The decision of a reference, if only one has it that was not made again. */
async function idOf(reference: string, caller: Caller, service: Service): Promise<string> {
  const { decisions } = await searchDecisions({ reference }, caller, service);
  const replaced = decisions.map(({ replaces }) => replaces);
  const [found, ...more] = decisions.filter(({ id }) => !replaced.includes(id));
  if (!found) throw new ProblemError('NOT_FOUND');
  if (more.length === 0) return found.id;
  throw new ProblemError('REQUEST_INVALID', 'several decisions have that reference; name one by its `id`');
}

/** The personal facts of a decision; that they were shown, and why, is on record before. */
export async function revealDecision({ id, body: { why }, caller }: Asked<typeof REVEAL_REQUEST>, service: Service) {
  const record = await findRecord(id, service);
  const { log, cases } = recordsOf(service);
  const holds = await holdsCase(record.record.id, caller, cases);
  if (!mayReveal({ ...caller, holds })) {
    throw new ProblemError('LEASE_LOST', 'personal facts are shown to who holds the case of the decision');
  }
  const { facts, policy } = openBody(record);
  const { subjects } = record.record;
  await addEvent({ log, type: 'data.revealed', by: caller.name, why, object: record.record.id, subjects });
  return lineFacts(facts, policy.facts, (path) => isPersonal(path, policy.facts));
}

/** Puts on record that somebody takes away a file with facts of a decision, none of them personal. */
export async function recordTaken(
  { record, body }: DecisionRecord,
  detail: 'pack' | 'test',
  { name: by }: Caller,
  service: Service,
): Promise<void> {
  if ('closed' in body) return;
  const { id: object, subjects } = record;
  await addEvent({ log: recordsOf(service).log, type: 'data.revealed', detail, by, object, subjects });
}

async function holdsCase(decision: string, { name }: Caller, cases: Cases): Promise<boolean> {
  const held = await cases.held(name);
  return held.some((each) => each.decision === decision);
}
