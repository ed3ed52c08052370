/** A decision on record -> the applications that each of its velocities counted, read from the log as it was then. */

import { beganAt } from '../../decision/application.ts';
import { countAmong, planCounting, planMembers, type SeenApplication } from '../../decision/velocity.ts';
import type { Velocity } from '../../facts/catalog.ts';
import { type Fact, isMissing } from '../../facts/fact.ts';
import { velocitiesIn, velocityWords } from '../../facts/velocity.ts';
import { readDecision } from '../entry/body.ts';
import type { LogIndex } from '../index/log-index.ts';
import type { LogHome } from '../place.ts';
import type { Term } from '../read/filter.ts';
import { judgementOf } from '../read/judgement.ts';
import { BodyReader } from '../read/read-log.ts';
import { ArtifactStore } from '../store/artifact-store.ts';
import type { RecordedDecision } from './decision-record.ts';
import { type AboutDecision, type DecisionEntry, inTime, readDecisionsAbout } from './search-index.ts';
import { knownOf, seenOf } from './seen.ts';

/** What a velocity counted. */
export interface ReadCount {
  readonly path: string;
  readonly velocity: Velocity;
  /** On record. */
  readonly fact: Fact;
  /** What the log gives; undefined if there are more than `MOST_READ` to read. */
  readonly number: number | null | undefined;
  /** The first decision of each application that was counted, by its id. */
  readonly decisions: readonly string[];
  /** How many more share the key, and are erased or cannot be read. */
  readonly closed: number;
}

/** So many decisions that share the key of a velocity are read. */
export const MOST_READ = 200;

/** Values stay in this process. */
const UNHASHED = { hash: (text: string) => text };

/** Where decisions are, and by which terms they share something. */
export interface SharedTerms {
  readonly home: LogHome;
  readonly index: LogIndex;
  readonly terms: ReadonlyMap<string, readonly Term[]>;
}

/**
 * In the meaning of the stores: the plan of each count, among applications whose decisions began before. Of what many
 * processes did at once, the log does not tell the order, so a number may differ from the one on record.
 */
export async function countsOf(
  record: DecisionEntry,
  body: RecordedDecision,
  { home, index, terms }: SharedTerms,
): Promise<readonly ReadCount[]> {
  const velocities = velocitiesIn(body.policy.facts);
  const { counting, paths } = planCounting(record.policy.name, velocities, seenOf(body), UNHASHED);
  const own = body.application ?? record.id;
  const [bodies, artifacts] = [new BodyReader(home.keys), new ArtifactStore(home)];
  const velocitiesOf = async ({ policy: { digest }, mapping }: DecisionEntry) =>
    digest === record.policy.digest ? velocities : velocitiesIn((await artifacts.policy(digest, mapping)).policy.facts);
  const open = async (about: AboutDecision) => {
    const opened = await bodies.open(about.entry);
    const found = 'texts' in opened ? readDecision(about.entry, opened.texts) : undefined;
    if (!found) return undefined;
    const asked = await velocitiesOf(about.entry);
    const counted = [...asked].flatMap(([path, each]) => (isCount(found.facts.get(path)) ? velocityWords(each) : []));
    // Applications of a policy of this name are counted by its velocities, whichever version decided.
    const sets = about.entry.policy.name === record.policy.name ? velocities : asked;
    const adds = planMembers(sets, seenOf(found), UNHASHED);
    return { ...about, adds, counted, application: found.application ?? about.entry.id };
  };
  const known = new Map<string, ReturnType<typeof open>>();
  const read = async (path: string, i: number): Promise<readonly ReadCount[]> => {
    const [velocity, count, fact] = [velocities.get(path), counting.counts[i], body.facts.get(path)];
    if (!velocity || !count || !isCount(fact)) return [];
    const from = new Date(Math.max(0, beganAt(own) - velocity.withinMs)).toISOString();
    const sought = velocity.by.map((name) => terms.get(name) ?? []);
    const { found } = await index.search({ filter: { from, to: record.at, sought }, limit: MOST_READ + 2 });
    const ids = found.flatMap(({ id }) => (id === record.id ? [] : [id]));
    if (ids.length > MOST_READ) {
      return [{ path, velocity, fact, number: undefined, decisions: [], closed: 0 }];
    }
    for (const about of await readDecisionsAbout(
      index,
      ids.filter((id) => !known.has(id)),
    )) {
      if (!known.has(about.entry.id)) known.set(about.entry.id, open(about));
    }
    const opened = (await Promise.all(ids.map((id) => known.get(id)))).filter((each) => each !== undefined);
    const decided = opened.toSorted((one, other) => inTime(one.entry, other.entry));
    // A repeat has the count of the first.
    const hasCount = (each: (typeof decided)[number]) =>
      each.application === own && each.counted.includes(velocityWords(velocity));
    const asOf = decided.find(hasCount)?.entry ?? record;
    const before = decided.filter(({ entry }) => inTime(entry, asOf) < 0);
    const applications = [...Map.groupBy(before, ({ application }) => application)].map(([application, group]) => {
      const [first] = group;
      const adds = group.flatMap((each) => each.adds);
      return { application, first: first?.entry.id ?? '', adds, known: knownThen(group, asOf.at) };
    });
    const { counted, number } = countAmong(count, own, applications);
    const decisions = applications.flatMap((each) => (counted.includes(each.application) ? [each.first] : []));
    return [{ path, velocity, fact, number, decisions, closed: ids.length - opened.length }];
  };
  return (await Promise.all(paths.map(read))).flat();
}

/** Whether a store answered. For `first` and `last`, that nobody came before is an answer too. */
function isCount(fact: Fact | undefined): fact is Fact {
  return fact !== undefined && (!isMissing(fact) || fact.missing === 'noneSeen');
}

/** What was known of an application at an instant, by its decisions in order. */
function knownThen(decisions: readonly AboutDecision[], at: string): SeenApplication['known'] {
  const outcome = decisions.findLast(({ entry }) => entry.outcome !== 'aborted' && entry.writtenAt <= at)?.entry;
  const notes = decisions.flatMap((each) => each.notes.filter((note) => note.at <= at));
  return {
    ...(outcome ? { outcome: { value: outcome.outcome, at: Date.parse(outcome.writtenAt) } } : {}),
    ...knownOf(Object.values(judgementOf(notes))),
  };
}
