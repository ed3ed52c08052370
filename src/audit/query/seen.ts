/** A decision on record -> what a store of velocity sees of it, and what a note about it adds there. */

import { planDisposition, type Seen } from '../../decision/velocity.ts';
import { VELOCITY_STORE, type VelocityStore } from '../../decision/velocity-store.ts';
import { VerdictError } from '../../errors.ts';
import { velocitiesIn } from '../../facts/velocity.ts';
import { ANYTHING, oneOf, optionsReader, TEXT } from '../../platform/given/options.ts';
import { DISPOSITIONS, type Disposition, type Policy } from '../../policy/language.ts';
import { POLICY } from '../../policy/source-map.ts';
import type { LogIndex } from '../index/log-index.ts';
import { type LogPlace, readPlace } from '../place.ts';
import { type RecordedDecision, readRecord } from './decision-record.ts';

/** What is counted of a decision on record. */
export function seenOf({ decision, facts }: Pick<RecordedDecision, 'decision' | 'facts'>): Seen {
  return { reference: decision.clientReference, at: Date.parse(decision.decidedAt), facts };
}

/** A note on record, to be counted. */
export interface CountedNote {
  /** The log. */
  readonly place: LogPlace;
  /** An index of the log, which leads to the decision; without one the whole log is read. */
  readonly index?: Pick<LogIndex, 'find'> | undefined;
  /** The id of the decision. */
  readonly decision: string;
  readonly disposition: Disposition;
  readonly velocity: VelocityStore;
  /** The policy whose velocities count it. Default: the one that decided. */
  readonly policy?: Policy | undefined;
}

const readNote = optionsReader<CountedNote>(
  'the note to be counted',
  {
    place: { expected: 'the place of a log: { dir, keys }', is: (value) => readPlace(value) !== undefined },
    'index?': ANYTHING,
    decision: TEXT,
    disposition: oneOf(DISPOSITIONS),
    velocity: VELOCITY_STORE,
    'policy?': POLICY,
  },
  'REQUEST_INVALID',
);

/**
 * Counts a note for later applications: `where: { disposition: fraud }`. What an earlier note said to the contrary is
 * taken back. Again, it changes nothing. A decision that was erased, or that the keys do not open, is not counted.
 * Rejects with REQUEST_INVALID for what is not one, or if the log has no such decision, and as the store does.
 */
export async function countNote(note: CountedNote): Promise<void> {
  const { place, index, decision, disposition, velocity, policy } = readNote(note);
  const record = await readRecord(place, decision, { checkSegment: false, ...(index ? { index } : {}) });
  if (!record) throw new VerdictError('REQUEST_INVALID', 'the log has no decision with that id');
  if ('closed' in record.body) return;
  const velocities = velocitiesIn((policy ?? record.body.policy).facts);
  const plan = planDisposition(velocities, seenOf(record.body), disposition, velocity);
  // First what must not be counted: after a crash in between, too little is known, and never both.
  if (plan.removes.length > 0) await velocity.remove(plan.removes);
  if (plan.adds.length > 0) await velocity.add(plan.adds);
}
