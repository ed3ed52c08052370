/** A decision on record -> what a store of velocity sees of it, and what the notes about it add there. */

import { planAsking, type Seen } from '../../decision/velocity.ts';
import { type Known, VELOCITY_STORE, type VelocityStore } from '../../decision/velocity-store.ts';
import { VerdictError } from '../../errors.ts';
import { type Cause, type Facts, isMissing } from '../../facts/fact.ts';
import { VELOCITY } from '../../facts/velocity.ts';
import { ANYTHING, optionsReader, TEXT } from '../../platform/given/options.ts';
import { questionOf } from '../../policy/language.ts';
import type { NoteFields } from '../entry/entry.ts';
import type { LogIndex } from '../index/log-index.ts';
import { type LogPlace, readPlace } from '../place.ts';
import { type RecordedDecision, readRecord } from './decision-record.ts';

/** What is counted of a decision on record. */
export function seenOf({ decision, facts, caller, application }: RecordedSeen): Seen {
  // Where no store found the application, the record has the id of the decision.
  const found = isCounted(facts) ? application : undefined;
  return { decision: decision.id, application: found, caller, reference: decision.clientReference, facts };
}

/** Whether a store has counted the application. */
function isCounted(facts: Facts): boolean {
  return [...facts].some(([path, fact]) => {
    return path.startsWith(VELOCITY) && !(isMissing(fact) && NOT_COUNTED.has(fact.missing));
  });
}

const NOT_COUNTED: ReadonlySet<string> = new Set<Cause>(['sourceFailed', 'notRequested']);

type RecordedSeen = Pick<RecordedDecision, 'decision' | 'facts' | 'caller' | 'application'>;

/** The notes of a decision that count -> what a store of velocity knows of its application. */
export function knownOf(notes: Iterable<Pick<NoteFields, 'at' | 'disposition'>>): Known {
  const known = Array.from(notes, ({ disposition, at }) => {
    return [questionOf(disposition), { value: disposition, at: Date.parse(at) }] as const;
  });
  return Object.fromEntries(known);
}

/** A decision whose notes are to be counted. */
export interface CountedNote {
  /** The log. */
  readonly place: LogPlace;
  /** An index of the log, which leads to the decision; without one the whole log is read. */
  readonly index?: Pick<LogIndex, 'find'> | undefined;
  /** The id of the decision. */
  readonly decision: string;
  readonly velocity: VelocityStore;
}

const readNote = optionsReader<CountedNote>(
  'the decision whose notes are counted',
  {
    place: { expected: 'the place of a log: { dir, keys }', is: (value) => readPlace(value) !== undefined },
    'index?': ANYTHING,
    decision: TEXT,
    velocity: VELOCITY_STORE,
  },
  'REQUEST_INVALID',
);

/**
 * Counts what people say of a decision by now, for later applications: `where: { disposition: fraud }`. What was said
 * to the contrary is taken back. Again, it changes nothing. A decision that was erased, or that the keys do not open,
 * is not counted.
 * Rejects with REQUEST_INVALID for what is not one, or if the log has no such decision, and as the store does.
 */
export async function countNote(note: CountedNote): Promise<void> {
  const { place, index, decision, velocity } = readNote(note);
  const record = await readRecord(place, decision, { checkSegment: false, ...(index ? { index } : {}) });
  if (!record) throw new VerdictError('REQUEST_INVALID', 'the log has no decision with that id');
  if ('closed' in record.body) return;
  await velocity.know({
    ...planAsking(seenOf(record.body), velocity),
    known: knownOf(record.notes.filter(({ counts }) => counts)),
  });
}
