/** The service and what its reader asks for -> what the queue shows: cases, the backlog, what people did. */

import * as z from 'zod';
import { readReferences } from '../../../audit/query/read-references.ts';
import { nameOfFact } from '../../../report/words/fact-states.ts';
import { CASE_SORTS, type CaseFilter, SITUATIONS } from '../../../stores/state/cases.ts';
import { AGES } from '../../../stores/state/sql.ts';
import { didYouMean, joinWords } from '../../../text.ts';
import { hasRole } from '../../auth/roles.ts';
import { maySeeDecisions } from '../../auth/see.ts';
import { displayOf, type Person } from '../../auth/sessions.ts';
import { pageOfCases, peopleOf } from '../../handlers/cases.ts';
import { indexedOf } from '../../handlers/records.ts';
import { ProblemError } from '../../problem.ts';
import { API } from '../../routes.ts';
import type { Service } from '../../service.ts';
import type { PersonRow, QueueData } from '../pages/queue-page.ts';
import { spanWords } from '../parts/times.ts';
import { QUEUE } from '../words/queue.ts';
import { queueStates } from './queue-states.ts';

const line = z.string().max(200);

/** A page of a table that goes on has this many rows. */
const ROWS = 50;

/** Facts are asked for by their path. */
export const QUEUE_QUERY = z
  .object({
    ...{ queue: line, code: line, policy: line, holder: line, after: line },
    situation: z.enum(SITUATIONS),
    due: z.enum(['overdue', 'hour', 'day']),
    sort: z.enum(CASE_SORTS),
  })
  .partial()
  .catchall(line);

type Query = z.infer<typeof QUEUE_QUERY>;

const HOUR_MS = 3_600_000;
const DUE_MS = { overdue: 0, hour: HOUR_MS, day: 24 * HOUR_MS };

const [FLOW_MS, PEOPLE_MS] = [24 * HOUR_MS, 30 * 24 * HOUR_MS];

export async function queueData(query: Query, person: Person, service: Service): Promise<QueueData> {
  const { cases, place, index, actorsOf } = indexedOf(service);
  const { after, sort = 'due', ...filters } = query;
  const [people, codes] = await Promise.all([peopleOf(service), maySeeDecisions(person) ? cases.codes() : []]);
  const keyOf = (name: string) => service.hash(`holder ${name}`).slice(0, 16);
  const shows = maySeeDecisions(person) ? shownFacts(service, query.queue) : [];
  const nameOf = (key: string) => [person.name, ...people].find((each) => keyOf(each) === key);
  const reasonOf = reasonsIn(service);
  const choices = {
    queue: service.config.queues.map(({ name }) => [name, name] as const),
    code: codes.map((code) => [code, reasonOf(code)] as const),
    policy: [...service.policies.values()].map(({ watched: { policy } }) => [policy.name, policy.name] as const),
  };
  const filter = filterOf(query, { shows, choices, nameOf });
  const asked = { ...filter, sort, states: ['open', 'resolving'], limit: ROWS, after } as const;
  const mayReport = hasRole(person, ['approve', 'audit']);
  // At once: beside many callers, each answer of the state waits for its turn.
  const [{ page, next }, matches, mine, given, queues, backlog, flow, rows] = await Promise.all([
    pageOfCases(asked, service),
    Object.values(filters).some(Boolean) ? cases.total(filter) : undefined,
    cases.held(person.name),
    cases.given(person.name),
    queueStates(service),
    backlogOf(service),
    cases.flow(FLOW_MS),
    mayReport ? peopleRows(people, service) : undefined,
  ]);
  const all = [...page, ...mine, ...given];
  const decisions = all.map(({ decision }) => decision);
  const of = { person: person.name, actors: actorsOf(person.name), ids: all.map(({ id }) => id) };
  const shown = { ...filters, ...(sort === 'due' ? {} : { sort }) };
  return {
    now: Date.now(),
    ...{ queues, mine, given, cases: page, matches },
    // In no column of the state, since the log has them in no clear field.
    references: maySeeDecisions(person) ? await readReferences(place, decisions, index) : undefined,
    reasonOf,
    filters: shown,
    more: next && `/queue?${new URLSearchParams({ ...textsIn(shown), after: next })}`,
    choices: {
      ...choices,
      situation: Object.entries(QUEUE.situations),
      due: Object.entries(QUEUE.dues),
      holder: [
        [keyOf(person.name), QUEUE.me],
        ...people.filter((each) => each !== person.name).map((each) => [keyOf(each), displayOf(each)] as const),
      ],
    },
    shows: shows.map((path) => [path, nameIn(path, service)] as const),
    nameOf: displayOf,
    mayTake: hasRole(person, API.takeCase.roles) ? new Set(await cases.free(of)) : undefined,
    ...{ backlog, flow, people: rows },
    outages: hasRole(person, API.askAgain.roles)
      ? service.config.queues.flatMap(({ name, outage }) => (outage ? [name] : []))
      : [],
  };
}

/** The facts that a queue shows, or all queues. */
function shownFacts({ config: { queues } }: Service, name: string | undefined): readonly string[] {
  return [...new Set(queues.flatMap((each) => (name === undefined || each.name === name ? (each.show ?? []) : [])))];
}

function nameIn(path: string, { policies }: Service): string {
  const names = [...policies.values()].map(({ watched }) => nameOfFact(path, watched.policy.facts));
  return names.find((each) => each !== undefined) ?? path;
}

interface Filtering {
  readonly shows: readonly string[];
  readonly choices: Readonly<Record<'queue' | 'code' | 'policy', QueueData['choices']['queue']>>;
  nameOf(key: string): string | undefined;
}

/** Throws REQUEST_INVALID for an unknown filter, and for a value that the reader cannot choose. */
function filterOf(
  { queue, code, policy, situation, due, holder, after: _, sort: __, ...facts }: Query,
  { shows, choices, nameOf }: Filtering,
): CaseFilter {
  const known = [...Object.keys(QUEUE.filters), 'sort', ...shows];
  for (const key of Object.keys(facts)) {
    if (shows.includes(key)) continue;
    throw unknown('the queue has no filter of that name', key, known);
  }
  for (const [name, value] of Object.entries({ queue, code, policy })) {
    const values = choices[name as keyof typeof choices].map(([each]) => each);
    if (value !== undefined && !values.includes(value)) throw unknown(`no case has that ${name}`, value, values);
  }
  const some = <Value>(one: Value | undefined) => (one === undefined ? undefined : [one]);
  return {
    ...{ queues: some(queue), codes: some(code), policies: some(policy), situations: some(situation) },
    dueMs: due === undefined ? undefined : DUE_MS[due],
    holder: holder === undefined ? undefined : (nameOf(holder) ?? ''),
    facts: textsIn(facts),
  };
}

function unknown(problem: string, word: string, known: readonly string[]): ProblemError {
  const { hint = known.length === 0 ? 'there is none' : `expected ${joinWords(known)}` } = didYouMean(word, known);
  return new ProblemError('REQUEST_INVALID', `${problem}; ${hint}`);
}

function textsIn(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).flatMap(([key, text]) => (text === undefined ? [] : [[key, text]])));
}

/** What a code means, by the policies in force. */
function reasonsIn({ policies }: Service): (code: string) => string {
  const rules = [...policies.values()].flatMap(({ watched }) => watched.policy.rules);
  const words = new Map(rules.toReversed().map(({ reason, description }) => [reason, description ?? reason]));
  return (code) => words.get(code) ?? code;
}

async function backlogOf(service: Service): Promise<QueueData['backlog']> {
  const words = AGES.map((hours) => spanWords(hours * HOUR_MS));
  return (await indexedOf(service).cases.backlog()).map(({ queue, hours, count, overdue }) => {
    const i = AGES.indexOf(hours);
    return { name: `${queue}, ${QUEUE.age(words[i], words[i + 1])}`, counts: [count - overdue, overdue] };
  });
}

async function peopleRows(people: readonly string[], service: Service): Promise<readonly PersonRow[]> {
  const { cases, actorsOf } = indexedOf(service);
  const names = new Map(people.flatMap((name) => actorsOf(name).map((hash) => [hash, displayOf(name)] as const)));
  return (await cases.byPerson(PEOPLE_MS)).map((each) => ({
    ...each,
    name: names.get(each.resolver) ?? QUEUE.somebody,
  }));
}
