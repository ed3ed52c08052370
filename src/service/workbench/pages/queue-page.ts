/** Cases that wait -> the queue: the next case, those of the reader, all by filter, the backlog, what people did. */

import type { Page } from '../../../report/html/document.ts';
import { type Child, h1, p, span, strong } from '../../../report/html/markup.ts';
import { codeValue } from '../../../report/html/parts/phrases.ts';
import { NONE, table } from '../../../report/html/parts/table.ts';
import * as s from '../../../report/html/served.ts';
import type { Case, Resolved } from '../../../stores/state/cases.ts';
import { grouped } from '../../../text.ts';
import { type GroupChart, groupBars, percent } from '../parts/chart.ts';
import { actionForm, choice, submit, textField, whyField } from '../parts/form.ts';
import type { Reader } from '../parts/frame.ts';
import { fromNow, iso, spanWords } from '../parts/times.ts';
import { leadingCode } from '../words/case.ts';
import { QUEUE } from '../words/queue.ts';
import type { QueueState } from './home-page.ts';

export interface PersonRow extends Resolved {
  readonly name: string;
}

type Choices = readonly (readonly [value: string, words: string])[];

export interface QueueData {
  readonly now: number;
  readonly queues: readonly QueueState[];
  readonly mine: readonly Case[];
  readonly given: readonly Case[];
  readonly cases: readonly Case[];
  /** By decision, for a reader who may see them; else neither reasons, scores nor facts are shown. */
  readonly references: ReadonlyMap<string, string> | undefined;
  readonly reasonOf: (code: string) => string;
  /** What is asked for, by the name of its field: a filter, `sort`, or the path of a fact. */
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly choices: Readonly<Record<keyof typeof QUEUE.filters, Choices>>;
  /** The facts that the queues show: their paths, with their names. */
  readonly shows: Choices;
  /** The path of the next page of `cases`. */
  readonly more: string | undefined;
  /** Who holds a case, as the page shows them. */
  readonly nameOf: (holder: string) => string;
  /** The ids of the cases that are the reader's to take; undefined for one who takes none. */
  readonly mayTake: ReadonlySet<string> | undefined;
  /** How many wait that the filters leave; undefined without one. */
  readonly matches: number | undefined;
  /** By queue and age: in time, and overdue. */
  readonly backlog: GroupChart['rows'];
  readonly flow: readonly { readonly hour: number; readonly opened: number; readonly resolved: number }[];
  /** The queues of outages, for a reader who may ask the service again. */
  readonly outages: readonly string[];
  /** Undefined for a reader who may not see what others did. */
  readonly people: readonly PersonRow[] | undefined;
}

const HOUR_MS = 3_600_000;

export function queuePage(data: QueueData, reader: Reader): Page {
  const { now, queues, mine, given, cases, more, mayTake, people } = data;
  const [waiting, overdue] = [sumOf(queues, 'waiting'), sumOf(queues, 'overdue')];
  const first = Math.min(...queues.filter((queue) => queue.waiting > 0).map(({ firstDue }) => firstDue));
  return {
    title: QUEUE.title,
    head: [
      h1(QUEUE.title),
      p(
        { class: 'lead' },
        waiting === 0 ? QUEUE.none : QUEUE.waiting(waiting, first <= now, fromNow(first, now)),
        overdue > 0 ? [' ', strong(span({ class: 'late' }, QUEUE.overdue(overdue))), '.'] : undefined,
      ),
      mayTake ? takeForm(data, reader) : undefined,
    ],
    parts: [
      { id: 'mine', title: QUEUE.mine, content: some(mine, 'my-cases', QUEUE.mineTitle, data, reader) },
      { id: 'given', title: QUEUE.given, content: some(given, 'given-cases', QUEUE.givenTitle, data, reader) },
      {
        id: 'all',
        title: QUEUE.all,
        content: [
          filterForm(data),
          some(cases, 'all-cases', QUEUE.allTitle, data, reader) ?? p(waiting === 0 ? QUEUE.none : QUEUE.nothing),
          more === undefined ? undefined : p(s.link({ href: more }, QUEUE.more)),
        ],
      },
      { id: 'outage', title: QUEUE.outage, content: outagePart(data, reader) },
      { id: 'backlog', title: QUEUE.backlog, content: backlogPart(data) },
      { id: 'flow', title: QUEUE.flow, content: flowPart(data) },
      { id: 'people', title: QUEUE.people, content: people && people.length > 0 ? peoplePart(people) : undefined },
    ],
  };
}

function sumOf(queues: readonly QueueState[], of: 'waiting' | 'overdue'): number {
  return queues.reduce((sum, queue) => sum + queue[of], 0);
}

function takeForm({ queues, filters }: QueueData, reader: Reader): Child {
  const each = queues.map(({ name, waiting }) => [name, QUEUE.choice(name, waiting)] as const);
  return actionForm(
    reader,
    { action: '/queue/take', look: 'line', id: 'take' },
    queues.length > 1 ? choice('queue', QUEUE.from, [['', QUEUE.any], ...each], filters['queue']) : undefined,
    submit(QUEUE.next, { class: 'main', 'data-key': 'n' }),
  );
}

/** Its fields are in the URL, so that a list can be kept and sent. */
function filterForm({ filters, choices, shows, matches }: QueueData): Child {
  const fields = Object.entries(choices).map(([name, each]) => {
    const key = name as keyof typeof choices;
    return each.length < (key === 'holder' ? 1 : 2)
      ? undefined
      : choiceOf(key, QUEUE.filters[key], [['', QUEUE.everything], ...each], filters[key]);
  });
  return s.form(
    { method: 'get', action: '/queue', class: 'line', id: 'filter' },
    fields,
    shows.map(([path, name]) => textField(path, name, { id: `fact-${path}`, title: path, value: filters[path] ?? '' })),
    choiceOf('sort', QUEUE.sort, Object.entries(QUEUE.sorts), filters['sort']),
    submit(QUEUE.filter),
    Object.values(filters).some(Boolean) ? s.link({ href: '/queue' }, QUEUE.clear) : undefined,
    matches === undefined ? undefined : p(QUEUE.matches(matches)),
  );
}

/** The form of the next case has a field for the queue too. */
function choiceOf(name: string, title: string, options: Choices, chosen: string | undefined): Child {
  return choice(name, title, options, chosen, `filter-${name}`);
}

function some(cases: readonly Case[], id: string, caption: string, data: QueueData, reader: Reader): Child {
  if (cases.length === 0) return undefined;
  const { references, reasonOf, shows, mayTake, now } = data;
  const { columns } = QUEUE;
  const seen = references ? [columns.reason, columns.score, ...shows.map(([, name]) => name)] : [];
  const wide = [columns.case, columns.age, columns.due, columns.holder, ...seen, ...(mayTake ? [columns.take] : [])];
  return table({
    ...{ id, caption, columns: wide, width: 'wide' },
    kinds: ['', '', '', '', ...(references ? ['', 'number'] : [])],
    rows: cases.map((each) => [
      caseLink(each, references),
      spanWords(now - each.openedAt),
      dueOf(each, now),
      holderOf(each, data),
      ...(references
        ? [
            reasonPart(each, reasonOf),
            each.score === null ? NONE : grouped(each.score),
            ...shows.map(([path]) => factOf(each, path, data)),
          ]
        : []),
      ...(mayTake ? [takeOne(each, reader, data)] : []),
    ]),
  });
}

function caseLink({ id, decision, queue, kind }: Case, references: QueueData['references']): Child {
  const name = references?.get(decision) ?? id.slice(-12);
  return [
    s.link({ href: `/cases/${id}` }, codeValue(name)),
    ' ',
    span({ class: 'soft' }, kind === 'review' ? queue : `${queue}, ${kind}`),
  ];
}

function reasonPart({ codes }: Case, reasonOf: QueueData['reasonOf']): Child {
  const first = leadingCode(codes);
  if (first === undefined) return QUEUE.undetermined;
  return [span({ title: codes.join(', ') }, reasonOf(first)), codes.length > 1 ? QUEUE.also(codes.length - 1) : ''];
}

function dueOf({ due }: Case, now: number): Child {
  const words = fromNow(due, now);
  return due <= now
    ? strong(span({ class: 'late', title: iso(due) }, QUEUE.late(words)))
    : span({ title: iso(due) }, words);
}

/** A value leads to the cases that have it too. */
function factOf({ facts }: Case, path: string, { filters }: QueueData): Child {
  const { [path]: value } = facts;
  if (value === undefined) return NONE;
  const given = Object.entries(filters).flatMap(([key, text]) => (text === undefined ? [] : [[key, text]]));
  return s.link({ href: `/queue?${new URLSearchParams({ ...Object.fromEntries(given), [path]: value })}` }, value);
}

function isHeld({ holder, until }: Case, now: number): boolean {
  return holder !== null && (until ?? 0) > now;
}

function holderOf(each: Case, { nameOf, now }: QueueData): Child {
  const { holder, reservedFor, reservedUntil, sleepsUntil, asked } = each;
  if (isHeld(each, now)) return nameOf(holder ?? '');
  if (reservedFor === null || (reservedUntil ?? 0) <= now) return NONE;
  return (sleepsUntil ?? 0) > now ? QUEUE.asleep(nameOf(reservedFor), asked) : QUEUE.kept(nameOf(reservedFor));
}

function takeOne(each: Case, reader: Reader, { now, mayTake }: QueueData): Child {
  if (isHeld(each, now) || !mayTake?.has(each.id)) return NONE;
  return actionForm(reader, { action: `/cases/${each.id}/take`, look: 'line' }, submit(QUEUE.take, { class: 'plain' }));
}

/** None if nothing waits there. */
function outagePart({ queues, outages }: QueueData, reader: Reader): Child {
  const waiting = queues.filter((queue) => outages.includes(queue.name) && queue.waiting > 0);
  if (waiting.length === 0) return undefined;
  return waiting.map((queue, i) =>
    actionForm(
      reader,
      { action: '/queue/ask-again' },
      p(QUEUE.outageCosts(queue.waiting)),
      s.input({ type: 'hidden', name: 'queue', value: queue.name }),
      whyField(`outage-why-${i}`, QUEUE.outageWhy),
      s.label(
        { class: 'option' },
        s.input({ type: 'checkbox', name: 'resend', value: 'true' }),
        ' ',
        QUEUE.outageResend,
      ),
      submit(QUEUE.outageAsk(queue.waiting)),
    ),
  );
}

function backlogPart({ backlog }: QueueData): Child {
  if (backlog.length === 0) return undefined;
  const series = ['not yet due', 'overdue'];
  return groupBars({
    id: 'backlog-by-age',
    title: QUEUE.backlogTitle,
    group: QUEUE.backlogGroup,
    series,
    rows: backlog,
  });
}

function flowPart({ flow, now }: QueueData): Child {
  if (flow.length === 0) return undefined;
  const first = Math.floor(now / HOUR_MS) - 24;
  const rows = Array.from({ length: 25 }, (_, i) => {
    const hour = first + i;
    const { opened = 0, resolved = 0 } = flow.find((each) => each.hour === hour) ?? {};
    return {
      name: iso(hour * HOUR_MS)
        .slice(5, 16)
        .replace('T', ' '),
      counts: [opened, resolved],
    };
  });
  const series = ['opened', 'resolved'];
  return groupBars({ id: 'flow-by-hour', title: QUEUE.flowTitle, group: QUEUE.flowGroup, series, rows });
}

function peoplePart(people: readonly PersonRow[]): Child {
  return table({
    ...{ id: 'by-person', caption: QUEUE.peopleTitle, columns: QUEUE.peopleColumns, width: 'tight' },
    kinds: ['', ...Array(QUEUE.peopleColumns.length - 1).fill('number')],
    rows: people.map(({ name, decided, approved, overturned, late, medianMs }) => [
      name,
      grouped(decided),
      medianMs === null ? NONE : medianMs < 60_000 ? `${Math.round(medianMs / 1000)} s` : spanWords(medianMs),
      percent(approved / decided),
      ...[overturned, late].map((n) => `${grouped(n)} (${percent(n / decided)})`),
    ]),
  });
}
