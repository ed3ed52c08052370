/** A log and a policy -> what a store would have, if it had counted every decision on record under that policy. */

import { readDecision } from '../../audit/entry/body.ts';
import type { NoteFields } from '../../audit/entry/entry.ts';
import type { LogPlace } from '../../audit/place.ts';
import { openLog, readDecisions } from '../../audit/query/replay/read-decisions.ts';
import { seenOf } from '../../audit/query/seen.ts';
import { readEntries } from '../../audit/read/read-log.ts';
import { wrapIoErrors } from '../../audit/store/io-errors.ts';
import { OPPOSITES, planCounting, planDisposition, planOutcome } from '../../decision/velocity.ts';
import type { TimedMember, VelocityStore } from '../../decision/velocity-store.ts';
import { velocitiesIn } from '../../facts/velocity.ts';
import type { Disposition, Policy } from '../../policy/language.ts';

/** What was put into a store. */
export interface Rebuilt {
  /** Decisions within the longest window. */
  readonly decisions: number;
  /** Decisions that are erased, or that the keys do not open: they are not counted. */
  readonly closed: number;
}

/** Members that go to the store at a time. */
const AT_ONCE = 500;

/**
 * Adds the applications, outcomes and dispositions of the decisions on record under policies of this name, as far as
 * its windows reach. Again, it changes nothing. IPv6 addresses are on no record. Rejects with CONFIGURATION_INVALID if
 * there is no log, or the keys are of another one, with AUDIT_FAILED if it cannot be read, and as the store does.
 */
export async function rebuildStore(
  place: LogPlace,
  { store, policy, now }: { readonly store: VelocityStore; readonly policy: Policy; readonly now: number },
): Promise<Rebuilt> {
  const log = await openLog(place);
  const velocities = velocitiesIn(policy.facts);
  const oldest = now - Math.max(0, ...[...velocities.values()].map(({ withinMs }) => withinMs));
  const notes = await wrapIoErrors('read', () => readNotes(place.dir, log));
  const isWanted = ({ policy: { name }, at }: { readonly policy: { readonly name: string }; readonly at: string }) =>
    name === policy.name && Date.parse(at) > oldest;
  let [decisions, closed] = [0, 0];
  const members: TimedMember[] = [];
  for await (const batch of readDecisions({ ...place, isWanted }, log)) {
    for (const { entry, opened } of batch.decisions) {
      const body = 'texts' in opened ? readDecision(entry, opened.texts) : undefined;
      if (!body) {
        closed++;
        continue;
      }
      decisions++;
      const seen = seenOf(body);
      const { adds } = planCounting(velocities, seen, store).counting;
      const valid = new Set<Disposition>();
      for (const { disposition } of notes.get(entry.id) ?? []) {
        valid.delete(OPPOSITES[disposition]);
        valid.add(disposition);
      }
      const noted = [...valid].flatMap((each) => planDisposition(velocities, seen, each, store).adds);
      const decided = entry.outcome === 'aborted' ? [] : planOutcome(velocities, seen, entry.outcome, store);
      members.push(...adds, ...decided, ...noted);
    }
    while (members.length > AT_ONCE) await store.add(members.splice(0, AT_ONCE));
  }
  await store.add(members);
  return { decisions, closed };
}

type Noted = Pick<NoteFields, 'decision' | 'at' | 'disposition'>;

/** The dispositions of each decision, in the order of their times: a chain may have them before the decision. */
async function readNotes(dir: string, log: string): Promise<ReadonlyMap<string, readonly Noted[]>> {
  const notes: Noted[] = [];
  for await (const batch of readEntries(dir, log)) {
    for (const { entry } of batch) {
      if (entry.kind !== 'note') continue;
      const { decision, at, disposition } = entry;
      notes.push({ decision, at, disposition });
    }
  }
  notes.sort((one, other) => (one.at < other.at ? -1 : 1));
  return Map.groupBy(notes, ({ decision }) => decision);
}
