/** A log, its keys and a decision's id -> all that is on record of it, and what is needed to explain it. */

import type { Decision } from '../../decision/decision.ts';
import type { Facts } from '../../facts/fact.ts';
import type { Policy } from '../../policy/language.ts';
import { readDecision, readNote } from '../entry/body.ts';
import type { DecisionFields, Entry, EntryPosition, NoteFields } from '../entry/entry.ts';
import { dayOf } from '../entry/searchable.ts';
import { readLog } from '../log-file.ts';
import { keysFolder, type LogPlace } from '../place.ts';
import { ArtifactStore } from '../store/artifact-store.ts';
import { saysTheSame } from '../verify/check-body.ts';
import { type SegmentStatus, segmentStatusOf } from '../verify/segment-status.ts';
import { type DecisionLines, findDecision } from './lookup.ts';
import { BodyReader, type Closed } from './read-log.ts';

/** A note as far as it can be read. */
export interface RecordedNote {
  readonly id: string;
  readonly at: string;
  readonly disposition: NoteFields['disposition'];
  /** Absent where its body cannot be read. */
  readonly by?: string;
  readonly why?: string;
  readonly closed?: Closed;
}

/** What a record's body holds, with the policy that decided. */
export interface RecordedDecision {
  readonly decision: Decision;
  readonly facts: Facts;
  /** yyyy-MM-dd. */
  readonly day: string;
  readonly policy: Policy;
  /** Whether the record says in clear what its body says. */
  readonly isSameInClear: boolean;
}

/** What is on record of a decision. */
export interface DecisionRecord {
  readonly record: Entry & DecisionFields;
  readonly place: EntryPosition;
  readonly surroundings: SegmentStatus;
  readonly notes: readonly RecordedNote[];
  /** When its key was erased, where the log says so of a subject of this record. */
  readonly erasedAt?: string;
  /** When the log says so of others only: as no erasure does. */
  readonly erasedOtherwiseAt?: string;
  /** What it decided on; or why that cannot be told. */
  readonly body: RecordedDecision | { readonly closed: Closed };
}

/**
 * Undefined where the log has no such decision. Rejects with CONFIGURATION_INVALID where there is no log, and with AUDIT_FAILED where its line, or the
 * policy that it names, is not as it was written.
 */
export async function loadDecision(logPlace: LogPlace, id: string): Promise<DecisionRecord | undefined> {
  const { dir } = logPlace;
  const { log } = await readLog(dir);
  const found = await findDecision(dir, id);
  if (!found) return undefined;
  const { record, place, erasures } = found;
  const bodies = new BodyReader(keysFolder(logPlace));
  const subjects = Object.values(record.subjects);
  const erasedAt = erasures.find(({ subject }) => subject.some((hash) => subjects.includes(hash)))?.at;
  const otherwiseAt = erasures[0]?.at;
  return {
    record,
    place,
    surroundings: await segmentStatusOf(dir, log, place),
    notes: await tellNotes(found, bodies),
    ...(erasedAt === undefined ? {} : { erasedAt }),
    ...(erasedAt === undefined && otherwiseAt !== undefined ? { erasedOtherwiseAt: otherwiseAt } : {}),
    body: await tellDecision(dir, record, bodies),
  };
}

async function tellDecision(
  dir: string,
  record: DecisionLines['record'],
  bodies: BodyReader,
): Promise<DecisionRecord['body']> {
  const opened = await bodies.open(record);
  if ('closed' in opened) return opened;
  const body = readDecision(record, opened.texts);
  if (!body) return { closed: 'no-body' };
  const policy = await new ArtifactStore(dir).policy(record.policy.digest, record.mapping);
  return { ...body, day: dayOf(record), policy, isSameInClear: saysTheSame(record, body.decision) };
}

async function tellNotes({ notes }: DecisionLines, bodies: BodyReader): Promise<RecordedNote[]> {
  const told: RecordedNote[] = [];
  for (const note of notes) {
    const { id, at, disposition } = note;
    const opened = await bodies.open(note);
    const said = 'texts' in opened ? (readNote(opened.texts) ?? { closed: 'no-body' as const }) : opened;
    told.push({ id, at, disposition, ...said });
  }
  return told;
}
