/** What the index counted, the queues and what needs attention -> the page that a working day begins with. */

import type { Page } from '../../../report/html/document.ts';
import { type Child, h1, h3, p, strong } from '../../../report/html/markup.ts';
import { codeName, codeValue, flag, instant } from '../../../report/html/parts/phrases.ts';
import { bullets, NONE, table } from '../../../report/html/parts/table.ts';
import { link } from '../../../report/html/served.ts';
import { grouped, groupedCount } from '../../../text.ts';
import { bars, type DayShare, percent } from '../parts/chart.ts';
import { fromNow } from '../parts/times.ts';

/** A policy in force. */
export interface InForce {
  readonly name: string;
  readonly version: string;
  /** Since when its file has been broken: the policy before stays in force. */
  readonly brokenSince?: string;
  /** Absent while the log has no decision by it. */
  readonly since?: string;
}

/** Two periods of the same log: since the last change of a policy, of 30 days at most, and the 30 days before it. */
export interface Comparison {
  readonly policy: InForce & { readonly since: string };
  readonly now: Period;
  readonly before: Period;
  /** The rule whose share of decisions rose the most, and by how much; absent where none rose. */
  readonly risen?: { readonly rule: string; readonly by: number };
}

export interface Period {
  readonly decisions: number;
  readonly reviews: number;
}

/** A source of facts that was missing in some decisions of the last 7 days. */
export interface UnknownSource {
  readonly source: string;
  readonly cause: string;
  readonly share: number;
  readonly shareBefore: number;
  /** Whether the rise is too large for chance. */
  readonly isRising: boolean;
}

export interface QueueState {
  readonly name: string;
  readonly waiting: number;
  /** Milliseconds since 1970. */
  readonly firstDue: number;
}

export interface HomeData {
  readonly now: number;
  readonly policies: readonly InForce[];
  readonly changed: Comparison | undefined;
  readonly reviewRate: readonly DayShare[];
  readonly unknown: readonly UnknownSource[];
  readonly queues: readonly QueueState[];
  /** Sentences. */
  readonly attention: readonly string[];
  /** How many references are in doubt; 100 means as many, or more. */
  readonly inDoubt: number;
}

/** `sections`: the paths of the sections that the reader may open. */
export function homePage(data: HomeData, sections: readonly string[]): Page {
  const { changed, policies, reviewRate, unknown, queues, now } = data;
  const attention = [...data.attention, ...(data.inDoubt > 0 ? [doubtWords(data.inDoubt)] : [])];
  const since = changed?.policy.since;
  return {
    title: 'Home',
    head: [h1('Home'), leadOf(changed, reviewRate)],
    parts: [
      { id: 'attention', title: 'Attention', content: attention.length > 0 ? bullets(attention) : undefined },
      { id: 'policies', title: 'In force', content: policyTable(policies, sections.includes('/policies')) },
      {
        id: 'rate',
        title: 'Review rate, 30 days',
        content: bars(
          'review-rate',
          'Share of decisions that say review',
          reviewRate,
          since ? { day: since, words: 'policy changed' } : undefined,
        ),
      },
      { id: 'queue', title: 'Queue', content: queueTable(queues, now, sections.includes('/queue')) },
      { id: 'unknown', title: 'Unknown, by source, 7 days', content: unknownTable(unknown) },
    ],
  };
}

function doubtWords(count: number): Child {
  const who =
    count === 1 ? '1 reference is in doubt' : `${count < 100 ? count : '100 or more'} references are in doubt`;
  return [
    `${who}: the call may have been billed, and no decision is on record. Who sends it again gets `,
    link({ href: '/problems/reference-in-doubt' }, 'the problem, with what to do'),
    '.',
  ];
}

/** With fewer decisions on a side, a difference may be chance. */
const FEWEST = 100;

function leadOf(changed: Comparison | undefined, days: readonly DayShare[]): Child {
  const all = days.reduce((sum, { of }) => sum + of, 0);
  if (!changed) return p({ class: 'lead' }, `${groupedCount(all, 'decision')} in the last 30 days.`);
  const { policy, now, before } = changed;
  const [rate, rateBefore] = [now, before].map(({ decisions, reviews }) =>
    decisions > 0 ? reviews / decisions : undefined,
  );
  return [
    p(
      { class: 'lead' },
      ...[
        'Since ',
        codeName(policy.name),
        ' ',
        codeName(policy.version),
        ' came into force on ',
        instant(policy.since),
        ': ',
      ],
      strong(groupedCount(now.decisions, 'decision')),
      '.',
    ),
    p({ class: 'lead' }, 'Review rate ', strong(percent(rate)), comparison(changed, rateBefore)),
  ];
}

function comparison({ now, before, risen }: Comparison, rateBefore: number | undefined): Child {
  if (before.decisions === 0) return '. The log has no earlier decision to compare with.';
  const earlier = `, before it ${percent(rateBefore)}. `;
  if (now.decisions < FEWEST || before.decisions < FEWEST)
    return `${earlier}Too few to tell: ${grouped(now.decisions)} and ${grouped(before.decisions)} decisions.`;
  if (!risen) return `${earlier}No rule fires more often than before.`;
  const by = `, +${(100 * risen.by).toFixed(1)} points.`;
  return [earlier, 'The rule that fires more often than before: ', codeName(risen.rule), by];
}

function policyTable(policies: readonly InForce[], isLinked: boolean): Child {
  return table({
    id: 'in-force',
    caption: 'Policies in force',
    columns: ['Policy', 'Version', 'Decides since', 'Its file'],
    rows: policies.map(({ name, version, since, brokenSince }) => [
      isLinked ? link({ href: `/policies/${name}` }, name) : name,
      codeValue(version),
      since === undefined ? 'no decision yet' : instant(since),
      brokenSince === undefined ? NONE : flag('broken'),
    ]),
  });
}

function queueTable(queues: readonly QueueState[], now: number, isLinked: boolean): Child {
  if (queues.every(({ waiting }) => waiting === 0)) return p('No case is waiting.');
  return table({
    id: 'queues',
    caption: 'Cases that are waiting',
    columns: ['Queue', 'Waiting', 'First due'],
    rows: queues.map(({ name, waiting, firstDue }) => [
      isLinked ? link({ href: '/queue' }, name) : name,
      String(waiting),
      waiting === 0 ? '' : firstDue < now ? strong(`overdue: ${fromNow(firstDue, now)}`) : fromNow(firstDue, now),
    ]),
  });
}

function unknownTable(unknown: readonly UnknownSource[]): Child {
  if (unknown.length === 0) return p('Nothing was missing.');
  return [
    table({
      id: 'unknown-sources',
      caption: 'Share of decisions in which facts of a source were missing',
      columns: ['Source', 'Why', 'Share', 'The 7 days before'],
      rows: unknown.map(({ source, cause, share, shareBefore, isRising }) => [
        codeName(source, 'fact'),
        cause,
        [percent(share), isRising ? ' ▲ rising' : ''],
        percent(shareBefore),
      ]),
    }),
    h3('What a missing fact does'),
    p('A rule whose facts are missing is undetermined, and asks for review unless its policy says otherwise.'),
  ];
}
