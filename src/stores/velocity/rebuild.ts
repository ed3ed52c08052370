/** A log and a policy -> what a store would have, if it had counted every decision on record under that policy. */

import { readDecision } from '../../audit/entry/body.ts';
import type { DecisionFields, Entry } from '../../audit/entry/entry.ts';
import type { LogPlace } from '../../audit/place.ts';
import { type FoundLog, openLog, readDecisions } from '../../audit/query/replay/read-decisions.ts';
import { knownOf, seenOf } from '../../audit/query/seen.ts';
import { judgementOf, type PlacedNote } from '../../audit/read/judgement.ts';
import { readEntries } from '../../audit/read/read-log.ts';
import { ArtifactStore } from '../../audit/store/artifact-store.ts';
import { wrapIoErrors } from '../../audit/store/io-errors.ts';
import { APPLICATION_MS } from '../../decision/application.ts';
import {
  planAsking,
  planCounting,
  planKinds,
  planMembers,
  type Seen,
  type Velocities,
} from '../../decision/velocity.ts';
import type { Known, Restoring, VelocityStore } from '../../decision/velocity-store.ts';
import { isMissing } from '../../facts/fact.ts';
import { velocitiesIn } from '../../facts/velocity.ts';
import type { Policy } from '../../policy/language.ts';

/** What to put into which store. */
export interface Rebuilding {
  readonly store: VelocityStore;
  readonly policy: Policy;
  readonly now: number;
  /** Only decisions from then on, in milliseconds since 1970. */
  readonly from?: number;
  /**
   * Whether the counts are then complete, which is the default: not if another version of the policy decides meanwhile.
   */
  readonly isComplete?: boolean;
  /** Whether the store is then complete in its gap. Default: if no other policy has asked for anything. */
  readonly closesGap?: boolean;
}

/** Applications that go to the store at a time, while others wait for their sets; and those that are in memory. */
const [AT_ONCE, IN_MEMORY] = [100, 100_000];

/**
 * Puts the applications of the decisions on record under policies of this name into the store, with their outcomes and
 * what people say of them, as far as its windows reach; its counts are then complete, as far back as the log goes.
 * Again, it changes nothing. Rejects with CONFIGURATION_INVALID if there is no log, or the keys are of another one,
 * with AUDIT_FAILED if it cannot be read, and as the store does.
 */
export async function rebuildStore(place: LogPlace, rebuilding: Rebuilding) {
  const { store, policy, now, from = 0, isComplete = true } = rebuilding;
  const log = await openLog(place);
  const velocities = velocitiesIn(policy.facts);
  const kinds = planKinds(policy.name, velocities, store);
  // From now on each application is counted live, and what is restored is kept long enough.
  await store.cover({ ...kinds, at: now });
  const { gap, policies: asking, logs } = await store.coverage(kinds);
  // What other logs have had filled is not in this one.
  const isOnlyLog = logs.every((each) => each === log.id);
  const closesGap = gap && gap.from >= from && (rebuilding.closesGap ?? asking === 1);
  const longest = Math.max(0, ...[...velocities.values()].map(({ withinMs }) => withinMs));
  // The first decision of an application may be older than the ones that count.
  const oldest = Math.max(from, now - longest) - APPLICATION_MS;
  const isWanted = (entry: DecisionEntry) => entry.policy.name === policy.name && Date.parse(entry.at) > oldest;
  const { notes, times, since } = await wrapIoErrors('read', () => survey(log, isWanted));
  let [decisions, closed] = [0, 0];
  const artifacts = new ArtifactStore(log);
  const policies = new Map<string, Velocities>();
  /** What the policy of a record counted. */
  const countedBy = async ({ policy: { digest }, mapping }: DecisionEntry) => {
    const known = policies.get(digest) ?? velocitiesIn((await artifacts.policy(digest, mapping)).policy.facts);
    policies.set(digest, known);
    return known;
  };
  // In the order in which they were recorded: of two values of one application the first counts, and an older record
  // does not name its application, which is that of one before it.
  for (let begin = 0; begin < times.length; begin += IN_MEMORY) {
    const [first = 0, end = Number.POSITIVE_INFINITY] = [times[begin], times[begin + IN_MEMORY]];
    const isOfSlice = (entry: DecisionEntry) => {
      const written = Date.parse(entry.writtenAt);
      return isWanted(entry) && written >= first && written < end;
    };
    const restored: { readonly writtenAt: string; readonly restoring: Restoring }[] = [];
    for await (const batch of readDecisions({ isWanted: isOfSlice }, log)) {
      for (const { entry, opened } of batch.decisions) {
        const body = 'texts' in opened ? readDecision(entry, opened.texts) : undefined;
        if (!body) {
          closed++;
          continue;
        }
        decisions++;
        const seen = seenOf(body);
        const { outcome, id, writtenAt } = entry;
        const decided: Known = outcome === 'aborted' ? {} : { outcome: { value: outcome, at: Date.parse(writtenAt) } };
        const known = { ...decided, ...knownOf(Object.values(judgementOf(notes.get(id) ?? []))) };
        const adds = planMembers(velocities, seen, store);
        const counted = countedOf(await countedBy(entry), seen, store);
        restored.push({ writtenAt, restoring: { ...planAsking(seen, store), adds, known, counted } });
      }
    }
    restored.sort((one, other) => (one.writtenAt < other.writtenAt ? -1 : Number(one.writtenAt > other.writtenAt)));
    for (let i = 0; i < restored.length; i += AT_ONCE) {
      await store.restore(restored.slice(i, i + AT_ONCE).map(({ restoring }) => restoring));
    }
  }
  const all = isOnlyLog ? { since: Math.max(since, from), ...(closesGap ? { gap } : {}) } : {};
  if (isComplete) await store.cover({ ...kinds, at: now, log: log.id, ...all });
  return {
    /** Decisions within the longest window. */
    decisions,
    /** Decisions that are erased, or that the keys do not open: they are not counted. */
    closed,
  };
}

type DecisionEntry = Entry & DecisionFields;

/** The numbers of a record. */
function countedOf(velocities: Velocities, seen: Seen, store: VelocityStore): Restoring['counted'] {
  const { counting, paths } = planCounting('', velocities, seen, store);
  return counting.counts.flatMap((count, i) => {
    const fact = seen.facts.get(paths[i] ?? '');
    if (!fact) return [];
    if (!isMissing(fact)) return typeof fact.value === 'number' ? { count, number: fact.value } : [];
    return fact.missing === 'noneSeen' ? { count, number: null } : [];
  });
}

/** What the clear fields of a log say. */
async function survey({ log, id }: FoundLog, isWanted: (entry: DecisionEntry) => boolean) {
  const notes = new Map<string, PlacedNote[]>();
  const times: number[] = [];
  let since = 0;
  /** The number and the time of the first entry of each chain: what came before it was pruned. */
  const chains = new Set<string>();
  for await (const batch of readEntries(log, id)) {
    for (const { entry } of batch) {
      const { chain, seq, at, kind } = entry;
      if (!chains.has(chain) && seq > 1) since = Math.max(since, Date.parse(at));
      chains.add(chain);
      if (kind === 'decision' && isWanted(entry)) times.push(Date.parse(entry.writtenAt));
      if (kind !== 'note') continue;
      const { id, decision, disposition } = entry;
      notes.set(decision, [...(notes.get(decision) ?? []), { chain, seq, at, id, disposition }]);
    }
  }
  return {
    /** By the decision: a chain may have a note before it. */
    notes,
    /** When the wanted decisions were recorded, sorted. */
    times: times.sort((one, other) => one - other),
    /** From when on no segment was pruned; 0 if none was. In milliseconds since 1970, as the times are. */
    since,
  };
}
