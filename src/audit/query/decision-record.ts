/** A log, its keys and a decision's id -> everything on record about the decision, and what explaining it needs. */

import { isDeepStrictEqual } from 'node:util';
import type { Decision } from '../../decision/decision.ts';
import type { Facts } from '../../facts/fact.ts';
import type { Mapping } from '../../facts/mapping/mapping.ts';
import { readArgument } from '../../platform/given/options.ts';
import type { Policy } from '../../policy/language.ts';
import {
  type BodyTexts,
  dayOnRecord,
  type EventBody,
  type NoteBody,
  readDecision,
  readEvent,
  readNote,
} from '../entry/body.ts';
import type { BodyEntry, DecisionFields, Entry, EntryPosition, EventFields, NoteFields } from '../entry/entry.ts';
import { ID } from '../entry/schema.ts';
import { matchesDecision } from '../entry/searchable.ts';
import { homeOf } from '../home.ts';
import type { LogIndex } from '../index/log-index.ts';
import { readIndexKeys } from '../keys/key-folder.ts';
import { type LogHome, type LogPlace, readLog, readPlace } from '../place.ts';
import { judgementOf } from '../read/judgement.ts';
import { BodyReader, type ClosedReason, type DecisionEntries, findDecision } from '../read/read-log.ts';
import { ArtifactStore, touchesErased } from '../store/artifact-store.ts';
import { listChain, readPiecesOf } from '../store/chain-folder.ts';
import type { Folder } from '../store/files.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { readSegment } from '../store/segment.ts';

/** A note, with `by` and `why` if its body can be read, or else why it cannot. */
export interface RecordedNote extends Partial<NoteBody>, Pick<NoteFields, 'id' | 'at' | 'disposition'> {
  /** Whether it is the one that counts: the last review, or the last label. */
  readonly counts: boolean;
  readonly closed?: ClosedReason;
}

/** An event about the decision, with `by`, `why` and `details` if its body can be read, or else why it cannot. */
export interface RecordedEvent extends Partial<EventBody>, Pick<EventFields, 'id' | 'at' | 'type' | 'detail'> {
  readonly closed?: ClosedReason;
}

/** The contents of a record's body, with the policy that decided. */
export interface RecordedDecision {
  readonly decision: Decision;
  readonly facts: Facts;
  /** Whose reference it is; undefined for a caller without a name. */
  readonly caller: string | undefined;
  /** The id of the application: that of its first decision; undefined in older records. */
  readonly application: string | undefined;
  /** yyyy-MM-dd. */
  readonly day: string;
  /** With a stand-in for each text about a person that was erased. */
  readonly policy: Policy;
  readonly mapping: Mapping;
  /** How many people the policy no longer names, because they were erased. */
  readonly erasedPeople: number;
  /** Whether one of them may be the applicant: then the policy cannot decide or explain this decision again. */
  readonly isPolicyErased: boolean;
  /** Whether the clear fields of the record agree with its body. */
  readonly matchesClearFields: boolean;
}

/** Everything on record about a decision. */
export interface DecisionRecord {
  readonly record: Entry & DecisionFields;
  readonly position: EntryPosition;
  readonly segmentStatus: SegmentStatus;
  /** In chronological order, as the events are. */
  readonly notes: readonly RecordedNote[];
  readonly events: readonly RecordedEvent[];
  /** When its key was erased, if the erasure is on record for a subject of this record. */
  readonly erasedAt?: string;
  /** The same if the erasure is on record only for other subjects, which no genuine erasure is. */
  readonly erasedOtherwiseAt?: string;
  readonly body: RecordedDecision | { readonly closed: ClosedReason };
}

/** How to read a record. */
export interface RecordOptions {
  /** An index of the log, which leads to the record; without one the whole log is read. */
  readonly index?: Pick<LogIndex, 'find'>;
  /** Whether to check the segment of the record too, which takes up to a second. Default: true. */
  readonly checkSegment?: boolean;
}

/**
 * Reads a decision on record, with its facts, its policy and its mapping as far as the keys open them; undefined if the
 * log has no decision with this id. It checks the segment of the record, not the whole log: see `verifyLog`. Rejects
 * with REQUEST_INVALID unless the id is a UUID of version 7, with CONFIGURATION_INVALID if the log does not exist, and
 * with AUDIT_FAILED if the disk fails, or the entry or its policy was changed.
 */
export async function readRecord(
  place: LogPlace,
  id: string,
  options: RecordOptions = {},
): Promise<DecisionRecord | undefined> {
  const sought = readArgument('the id', ID, id);
  return wrapIoErrors('read', () => findRecord(readPlace(place), sought, options));
}

async function findRecord(
  logPlace: LogPlace,
  id: string,
  { index, checkSegment = true }: RecordOptions,
): Promise<DecisionRecord | undefined> {
  const home = await homeOf(logPlace);
  const { log: dir } = home;
  const finding = findDecision(dir, id, { index });
  // If there is no log, readLog below says so.
  finding.catch(() => {});
  const { log } = await readLog(dir);
  const found = await finding;
  if (!found) return undefined;
  const { record, position, erasures } = found;
  const bodies = new BodyReader(home.keys);
  const subjects = Object.values(record.subjects);
  const erasedAt = erasures.find(({ subject }) => subject.some((hash) => subjects.includes(hash)))?.at;
  const otherwiseAt = erasures[0]?.at;
  // At once: beside callers who decide, each wait is as long as all that they do meanwhile.
  const [segmentStatus, notes, events, body] = await Promise.all([
    checkSegment ? segmentStatusOf(dir, log, position) : ({ state: 'unchecked' } as const),
    openNotes(found, bodies),
    openEvents(found.events, bodies),
    openDecision(home, log, record, bodies),
  ]);
  return {
    ...{ record, position, segmentStatus, notes, events },
    ...(erasedAt === undefined ? {} : { erasedAt }),
    ...(erasedAt === undefined && otherwiseAt !== undefined ? { erasedOtherwiseAt: otherwiseAt } : {}),
    body,
  };
}

async function openDecision(
  home: LogHome,
  log: string,
  record: DecisionEntries['record'],
  bodies: BodyReader,
): Promise<DecisionRecord['body']> {
  const opened = await bodies.open(record);
  if ('closed' in opened) return opened;
  const body = readDecision(record, opened.texts);
  if (!body) return { closed: 'no-body' };
  const artifacts = new ArtifactStore(home);
  const [archived, mapping] = await Promise.all([
    artifacts.policy(record.policy.digest, record.mapping),
    artifacts.mapping(record.mapping),
  ]);
  const { policy, digest, erased } = archived;
  const { decision, facts, caller, application } = body;
  return {
    decision: { ...decision, policy: { ...decision.policy, digest } },
    ...{ facts, caller, application },
    day: dayOnRecord(record, opened.texts),
    policy,
    mapping,
    erasedPeople: erased.size,
    isPolicyErased: erased.size > 0 && touchesErased(archived, facts, await readIndexKeys(home.keys, log)),
    matchesClearFields: matchesDecision(record, decision),
  };
}

async function openNotes({ notes }: DecisionEntries, bodies: BodyReader): Promise<RecordedNote[]> {
  const counted = Object.values(judgementOf(notes));
  const opened = await Promise.all(
    notes.map(async (note): Promise<RecordedNote> => {
      const { id, at, disposition } = note;
      const counts = counted.includes(note);
      return { id, at, disposition, counts, ...(await openBody(note, bodies, readNote)) };
    }),
  );
  // Processes that add one note at the same time may each write it: the last one counts, as in a search.
  const isWrittenAgain = (note: RecordedNote, later: RecordedNote) =>
    isDeepStrictEqual({ ...note, at: later.at, counts: later.counts }, later);
  return opened.filter((note, i) => !opened.slice(i + 1).some((later) => isWrittenAgain(note, later)));
}

/** Events with what their bodies say, as far as the keys open them. */
export async function openEvents(events: DecisionEntries['events'], bodies: BodyReader): Promise<RecordedEvent[]> {
  return Promise.all(
    events.map(async (event): Promise<RecordedEvent> => {
      const { id, at, type, detail } = event;
      const clear = { id, at, type, ...(detail === undefined ? {} : { detail }) };
      return { ...clear, ...(await openBody(event, bodies, readEvent)) };
    }),
  );
}

async function openBody<Body>(
  entry: BodyEntry,
  bodies: BodyReader,
  read: (texts: BodyTexts) => Body | undefined,
): Promise<Body | { readonly closed: ClosedReason }> {
  const body = await bodies.open(entry);
  return 'texts' in body ? (read(body.texts) ?? { closed: 'no-body' }) : body;
}

/** How far an entry can be trusted. */
type SegmentStatus =
  /** Every entry of its segment has the right hash and follows the one before; `after` entries follow this one. */
  | { readonly state: 'whole'; readonly after: number }
  | { readonly state: 'unchecked' }
  /** This line of its segment is not as it was written. */
  | { readonly state: 'bad'; readonly line: number; readonly problem: string };

/** Checks the segment of an entry. `log` is the log's id. The rest of the log is checked by `verifyLog`. */
async function segmentStatusOf(dir: Folder, log: string, place: EntryPosition): Promise<SegmentStatus> {
  const { chain, segment, line } = place;
  const pieces = readPiecesOf(await listChain(dir, chain), segment);
  let after = 0;
  for await (const item of readSegment(pieces, { log, chain, segment, before: undefined })) {
    if ('problem' in item) return { state: 'bad', line: item.number, problem: item.problem.text };
    if ('line' in item && item.number > line) after += 1;
  }
  return { state: 'whole', after };
}
