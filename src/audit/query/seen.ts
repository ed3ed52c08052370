/** A decision on record -> what a store of velocity sees of it, and what the notes about it add there. */

import { planDisposition, type Seen } from '../../decision/velocity.ts';
import { VELOCITY_STORE, type VelocityStore } from '../../decision/velocity-store.ts';
import { VerdictError } from '../../errors.ts';
import { velocitiesIn } from '../../facts/velocity.ts';
import { ANYTHING, optionsReader, TEXT } from '../../platform/given/options.ts';
import type { Policy } from '../../policy/language.ts';
import { POLICY } from '../../policy/source-map.ts';
import type { LogIndex } from '../index/log-index.ts';
import { type LogPlace, readPlace } from '../place.ts';
import { type RecordedDecision, readRecord } from './decision-record.ts';

/** What is counted of a decision on record. */
export function seenOf({ decision, facts }: Pick<RecordedDecision, 'decision' | 'facts'>): Seen {
  return { reference: decision.clientReference, at: Date.parse(decision.decidedAt), facts };
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
  /** The policy whose velocities count them. Default: the one that decided. */
  readonly policy?: Policy | undefined;
}

const readNote = optionsReader<CountedNote>(
  'the decision whose notes are counted',
  {
    place: { expected: 'the place of a log: { dir, keys }', is: (value) => readPlace(value) !== undefined },
    'index?': ANYTHING,
    decision: TEXT,
    velocity: VELOCITY_STORE,
    'policy?': POLICY,
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
  const { place, index, decision, velocity, policy } = readNote(note);
  const record = await readRecord(place, decision, { checkSegment: false, ...(index ? { index } : {}) });
  if (!record) throw new VerdictError('REQUEST_INVALID', 'the log has no decision with that id');
  if ('closed' in record.body) return;
  const velocities = velocitiesIn((policy ?? record.body.policy).facts);
  for (const { disposition } of record.notes.filter(({ counts }) => counts)) {
    const plan = planDisposition(velocities, seenOf(record.body), disposition, velocity);
    // First what must not be counted: after a crash in between, too little is known, and never both.
    if (plan.removes.length > 0) await velocity.remove(plan.removes);
    if (plan.adds.length > 0) await velocity.add(plan.adds);
  }
}
