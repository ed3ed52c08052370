/** What the index counted, the queues and what needs attention -> the page that a working day begins with. */

import { shareRise } from '../../../lab/backtest/label-counts.ts';
import { OUTCOMES } from '../../../policy/language.ts';
import { type Child, h1, p, strong } from '../../../report/html/markup.ts';
import { codeName, codeValue, flag, joined } from '../../../report/html/parts/phrases.ts';
import { bullets, NONE, table } from '../../../report/html/parts/table.ts';
import { link } from '../../../report/html/served.ts';
import { CAUSE_WORDS } from '../../../report/words/missing.ts';
import { grouped, groupedCount } from '../../../text.ts';
import { type DayCounts, percent, stackedDays } from '../parts/chart.ts';
import { factName } from '../parts/facts.ts';
import type { ServedPage } from '../parts/frame.ts';
import { fromNow, minute } from '../parts/times.ts';
import { HOME } from '../words/home.ts';

/** A policy in force. */
export interface InForce {
  readonly name: string;
  readonly version: string;
  /** Since when its file has been broken: the policy before stays in force. */
  readonly brokenSince?: string;
  /** When its first decision was made, in milliseconds since 1970; absent while the log has none. */
  readonly since?: number;
}

/** A version of a policy that followed another, at its first decision. */
export interface PolicyChange {
  readonly name: string;
  readonly version: string;
  readonly at: number;
}

/** Two periods of the same log: since a change, and the 30 days before it. */
export interface Comparison extends PolicyChange {
  readonly now: Period;
  readonly before: Period;
  /** The rule whose share of decisions rose the most, and by how much; absent where none rose by more than chance. */
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
  /** Undefined without a decision in the 7 days before. */
  readonly shareBefore: number | undefined;
  /** Whether the rise is too large for chance. */
  readonly isRising: boolean;
}

export interface QueueState {
  readonly name: string;
  readonly waiting: number;
  /** Milliseconds since 1970. */
  readonly firstDue: number;
  readonly overdue: number;
}

export interface HomeData {
  readonly now: number;
  /** How far the index of the log is, while it is being made: nothing is counted yet. */
  readonly progress?: { readonly entries: number; readonly bytesLeft: number };
  readonly policies: readonly InForce[];
  /** Of the last 30 days, in order. */
  readonly changes: readonly PolicyChange[];
  /** The last change that is in force. */
  readonly changed: Comparison | undefined;
  readonly days: readonly DayCounts[];
  readonly unknown: readonly UnknownSource[];
  /** What stages did not ask. */
  readonly saved: readonly UnknownSource[];
  readonly queues: readonly QueueState[];
  /** Sentences. */
  readonly attention: readonly string[];
  /** How many references are in doubt; 100 means as many, or more. */
  readonly inDoubt: number;
}

/** `sections`: the paths of the sections that the reader may open. */
export function homePage(data: HomeData, sections: readonly string[]): ServedPage {
  const { policies, days, changes, queues, now } = data;
  const attention = [...data.attention, ...(data.inDoubt > 0 ? [doubtWords(data.inDoubt)] : [])];
  const ofDay = (day: string) => `/decisions?from=${day}&to=${day}`;
  return {
    title: HOME.title,
    isFilling: data.progress !== undefined,
    head: [h1(HOME.title), leadOf(data, sections)],
    aside: {
      id: 'now',
      title: HOME.now,
      content: [
        attention.length > 0 ? bullets(attention) : undefined,
        data.progress ? undefined : queueTable(queues, now, sections.includes('/queue')),
        policyTable(policies, sections.includes('/policies')),
        sections.includes('/decisions') ? p(link({ href: '/today' }, HOME.today)) : undefined,
      ],
    },
    parts: [
      {
        id: 'outcomes',
        title: HOME.chart,
        content:
          days.length === 0
            ? undefined
            : stackedDays({
                ...{ id: 'outcomes-by-day', title: HOME.chartTitle, series: OUTCOMES, days },
                changes: changes.map(({ at, ...change }) => ({ at, words: versionWords(change) })),
                linkOf: sections.includes('/decisions') ? ofDay : undefined,
              }),
      },
      { id: 'unknown', title: HOME.unknown, content: data.progress ? undefined : unknownPart(data) },
    ],
  };
}

function doubtWords(count: number): Child {
  return [HOME.inDoubt(count), link({ href: '/problems/reference-in-doubt' }, HOME.theProblem), '.'];
}

function versionWords({ name, version }: Pick<PolicyChange, 'name' | 'version'>): Child {
  return [codeName(name), ' ', codeName(version)];
}

/** With fewer decisions on a side, a difference may be chance. */
const FEWEST = 100;

function leadOf({ changed, days, progress }: HomeData, sections: readonly string[]): Child {
  if (progress) return p({ class: 'lead' }, HOME.progress(progress.entries, progress.bytesLeft));
  const all = days.reduce((sum, each) => sum + each.all, 0);
  if (!changed) return p({ class: 'lead' }, HOME.decisions(all), all === 0 ? '' : ` ${HOME.unchanged}`);
  const { now, at } = changed;
  return [
    p(
      { class: 'lead' },
      ...['Since the first decision of ', versionWords(changed), ', ', minute(at), ': '],
      strong(groupedCount(now.decisions, 'decision')),
      '.',
    ),
    p({ class: 'lead' }, comparison(changed, sections.includes('/policies'))),
  ];
}

function comparison({ name, now, before, risen }: Comparison, isLinked: boolean): Child {
  const [rate, earlier] = [now, before].map(({ decisions, reviews }) =>
    percent(decisions === 0 ? undefined : reviews / decisions),
  ) as [string, string];
  const begin = [HOME.rate, strong(rate)];
  if (before.decisions === 0) return [begin, '. ', HOME.nothingBefore];
  const rise = shareRise([before.reviews, before.decisions], [now.reviews, now.decisions]);
  if (!rise || now.decisions < FEWEST || before.decisions < FEWEST) {
    return [begin, HOME.before(earlier), HOME.tooFew(now.decisions, before.decisions)];
  }
  const sure = [begin, HOME.before(earlier), HOME.change(rise.by, rise.least, rise.most), ' '];
  if (!risen) return [sure, HOME.noneRose];
  const rule = codeName(risen.rule);
  return [sure, HOME.risen, isLinked ? link({ href: rulePath(name, risen.rule) }, rule) : rule, HOME.by(risen.by)];
}

/** The page of a rule. The number of a row of a table is a part of its id. */
export function rulePath(policy: string, rule: string): string {
  const [name, id] = [policy, rule].map((text) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`),
  );
  return `/policies/${name}/rules/${id}`;
}

function policyTable(policies: readonly InForce[], isLinked: boolean): Child {
  return table({
    id: 'in-force',
    caption: 'Policies in force',
    columns: ['Policy', 'Version', 'Decides since', 'Its file'],
    rows: policies.map(({ name, version, since, brokenSince }) => [
      isLinked ? link({ href: `/policies/${name}` }, name) : name,
      codeValue(version),
      since === undefined ? HOME.notYet : minute(since),
      brokenSince === undefined ? NONE : flag('broken'),
    ]),
  });
}

function queueTable(queues: readonly QueueState[], now: number, isLinked: boolean): Child {
  if (queues.every(({ waiting }) => waiting === 0)) return p(HOME.noneWaiting);
  return table({
    id: 'queues',
    caption: HOME.waiting,
    columns: ['Queue', 'Waiting', 'First due'],
    rows: queues.map(({ name, waiting, firstDue }) => [
      isLinked ? link({ href: `/queue?${new URLSearchParams({ queue: name })}` }, name) : name,
      grouped(waiting),
      waiting === 0 ? '' : firstDue < now ? strong(`overdue: ${fromNow(firstDue, now)}`) : fromNow(firstDue, now),
    ]),
  });
}

function unknownPart({ unknown, saved }: HomeData): Child {
  const words = ({ source, share }: UnknownSource) => [factName(source, HOME.sources[source]), ` ${percent(share)}`];
  return [
    unknown.length === 0 ? p(HOME.nothingUnknown) : unknownTable(unknown),
    saved.length === 0 ? undefined : p({ class: 'soft' }, HOME.saved, joined(saved.map(words)), '.'),
    unknown.length === 0 ? undefined : p({ class: 'soft' }, HOME.unknownDoes),
  ];
}

function unknownTable(unknown: readonly UnknownSource[]): Child {
  return table({
    id: 'unknown-sources',
    caption: HOME.unknownTitle,
    columns: ['Source', 'Why', 'Share', 'The 7 days before'],
    rows: unknown.map(({ source, cause, share, shareBefore, isRising }) => [
      factName(source, HOME.sources[source]),
      Object.hasOwn(CAUSE_WORDS, cause) ? CAUSE_WORDS[cause as keyof typeof CAUSE_WORDS] : cause,
      [percent(share), isRising ? HOME.rising : ''],
      shareBefore === undefined ? HOME.noPast : percent(shareBefore),
    ]),
  });
}
