/** A log -> what people did by its events: who, why, and about which decision. */

import { readArgument, TEXT } from '../../platform/given/options.ts';
import type { EventFields } from '../entry/entry.ts';
import { homeOf } from '../home.ts';
import { readIndexKeys } from '../keys/key-folder.ts';
import { actorHash } from '../keys/subject.ts';
import { type LogPlace, readLog, readPlace } from '../place.ts';
import type { SearchQuery } from '../read/criteria.ts';
import { readQuery, seekPerson } from '../read/filter.ts';
import { BodyReader, containsAny, findEntries, lineError } from '../read/read-log.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { openEvents, type RecordedEvent } from './decision-record.ts';

/** Which events to list: those that match every criterion. `by`: the whole name, as the log has it. */
export interface EventQuery extends Pick<SearchQuery, 'from' | 'to' | 'subject'> {
  readonly types?: readonly EventFields['type'][];
  readonly by?: string;
}

/** An event; `object` is the id of the decision that it is about. */
export interface ListedEvent extends RecordedEvent, Pick<EventFields, 'object'> {}

/**
 * The events that match, in chronological order. The whole log is read. Rejects with REQUEST_INVALID if the query is
 * invalid, with CONFIGURATION_INVALID if the folder has no log, or `by` or `subject` is given without the keys, and
 * with AUDIT_FAILED if an event is not as it was written.
 */
export async function listEvents(place: LogPlace, query: EventQuery = {}): Promise<readonly ListedEvent[]> {
  const logPlace = readPlace(place);
  const { types, by, subject, ...times } = query;
  return wrapIoErrors('read', async () => {
    const home = await homeOf(logPlace);
    const { log } = await readLog(home.log);
    const { keys } = home;
    const { from, to } = await readQuery(times, home);
    const person = subject === undefined ? undefined : await seekPerson(subject, home);
    const name = by === undefined ? undefined : readArgument('`by`', TEXT, by);
    const actors = name === undefined ? undefined : (await readIndexKeys(keys, log)).map((key) => actorHash(name, key));
    const bodies = new BodyReader(keys);
    const found: ListedEvent[] = [];
    for await (const { parsed, position } of findEntries(home.log, containsAny(['"kind":"event"']))) {
      if ('problem' in parsed) throw lineError(position, parsed.problem);
      const { line: entry } = parsed;
      if (entry.kind !== 'event') continue;
      const { at, type, actor, subjects, object } = entry;
      if ((from !== undefined && at < from) || (to !== undefined && at > to)) continue;
      if (types && !types.includes(type)) continue;
      if (actors && !actors.includes(actor)) continue;
      if (person && !person.hashes.includes(subjects[person.variable] ?? '')) continue;
      const [event] = await openEvents([entry], bodies);
      if (event) found.push({ ...event, ...(object === undefined ? {} : { object }) });
    }
    return found.sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
  });
}
