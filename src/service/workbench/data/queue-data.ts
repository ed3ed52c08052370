/** The service and what its reader asks for -> what the queue shows: cases, the backlog, what people did. */

import * as z from 'zod';
import { CASE_SORTS, type Case, type CaseFilter, SITUATIONS } from '../../../stores/state/cases.ts';
import { didYouMean, joinWords } from '../../../text.ts';
import { hasRole } from '../../auth/roles.ts';
import { maySeeDecisions } from '../../auth/see.ts';
import { displayOf, type Person } from '../../auth/sessions.ts';
import { pageOfCases, peopleOf } from '../../handlers/cases.ts';
import { indexedOf } from '../../handlers/records.ts';
import { ProblemError } from '../../problem.ts';
import { API } from '../../routes.ts';
import { findReference, type Service } from '../../service.ts';
import { queueStates } from '../page-data.ts';
import type { PersonRow, QueueData } from '../pages/queue-page.ts';
import { QUEUE } from '../words/queue.ts';

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

/** The ages of the backlog, in hours, with their words. */
const AGES = new Map([
  [0, '0 h'],
  [1, '1 h'],
  [4, '4 h'],
  [24, '1 d'],
  [72, '3 d'],
]);

const [FLOW_MS, PEOPLE_MS] = [24 * HOUR_MS, 30 * 24 * HOUR_MS];

export async function queueData(query: Query, person: Person, service: Service): Promise<QueueData> {
  const { cases } = indexedOf(service);
  const { after, sort = 'due', ...filters } = query;
  const people = await peopleOf(service);
  const keyOf = (name: string) => service.hash(`holder ${name}`).slice(0, 16);
  const shows = maySeeDecisions(person) ? shownFacts(service, query.queue) : [];
  const nameOf = (key: string) => [person.name, ...people].find((each) => keyOf(each) === key);
  const reasonOf = reasonsIn(service);
  const choices = {
    queue: service.config.queues.map(({ name }) => [name, name] as const),
    code: maySeeDecisions(person) ? (await cases.codes()).map((code) => [code, reasonOf(code)] as const) : [],
    policy: [...service.policies.values()].map(({ watched: { policy } }) => [policy.name, policy.name] as const),
  };
  const filter = filterOf(query, { person, shows, choices, nameOf });
  const asked = { ...filter, sort, states: ['open', 'resolving'], limit: ROWS, after } as const;
  const { page, next } = await pageOfCases(asked, service);
  const mayReport = hasRole(person, ['approve', 'audit']);
  const shown = { ...filters, ...(sort === 'due' ? {} : { sort }) };
  return {
    now: Date.now(),
    queues: await queueStates(service),
    mine: await cases.held(person.name),
    given: await cases.given(person.name),
    cases: page,
    references: maySeeDecisions(person) ? await referencesOf(page, service) : undefined,
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
    shows,
    nameOf: displayOf,
    mayTake: hasRole(person, API.takeCase.roles),
    backlog: await backlogOf(service),
    flow: await cases.flow(FLOW_MS),
    people: mayReport ? await peopleRows(people, service) : undefined,
  };
}

/** The facts that a queue shows, or all queues. */
function shownFacts({ config: { queues } }: Service, name: string | undefined): readonly string[] {
  return [...new Set(queues.flatMap((each) => (name === undefined || each.name === name ? (each.show ?? []) : [])))];
}

interface Filtering {
  readonly person: Person;
  readonly shows: readonly string[];
  readonly choices: Readonly<Record<'queue' | 'code' | 'policy', QueueData['choices']['queue']>>;
  nameOf(key: string): string | undefined;
}

/** Throws REQUEST_INVALID for a key that is no filter, and for what the reader may not see. */
function filterOf(
  { queue, code, policy, situation, due, holder, after: _, sort: __, ...facts }: Query,
  { person, shows, choices, nameOf }: Filtering,
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
  if (code !== undefined && !maySeeDecisions(person)) throw new ProblemError('FORBIDDEN');
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

/** What callers call the applicants: in no column of the state, since the log has it in no clear field. */
async function referencesOf(page: readonly Case[], service: Service): Promise<ReadonlyMap<string, string>> {
  const records = indexedOf(service);
  const found = page.map(async ({ decision }) => [decision, await findReference(decision, records)] as const);
  return new Map((await Promise.all(found)).flatMap(([id, text]) => (text === undefined ? [] : [[id, text] as const])));
}

/** What a code means, by the policies in force. */
function reasonsIn({ policies }: Service): (code: string) => string {
  const rules = [...policies.values()].flatMap(({ watched }) => watched.policy.rules);
  const words = new Map(rules.toReversed().map(({ reason, description }) => [reason, description ?? reason]));
  return (code) => words.get(code) ?? code;
}

async function backlogOf(service: Service): Promise<QueueData['backlog']> {
  const ages = [...AGES];
  const found = await indexedOf(service).cases.backlog([...AGES.keys()]);
  // Each counts all that are as old: without those that are older too, it has those of its own age.
  return ages.flatMap(([hours, from], i) => {
    const [older, to] = ages[i + 1] ?? [];
    return found
      .filter((each) => each.hours === hours)
      .map(({ queue, count, overdue }) => {
        const rest = found.find((each) => each.queue === queue && each.hours === older);
        const late = overdue - (rest?.overdue ?? 0);
        return { name: `${queue}, ${QUEUE.age(from, to)}`, counts: [count - (rest?.count ?? 0) - late, late] };
      });
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
