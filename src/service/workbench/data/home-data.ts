/** The service -> what Home shows: decisions by day, what a change of a policy did, what was missing, what to do. */

import type { LogIndex } from '../../../audit/index/log-index.ts';
import type { Term } from '../../../audit/read/filter.ts';
import { dayOfInstant } from '../../../facts/day.ts';
import { shareRise } from '../../../lab/backtest/label-counts.ts';
import { OUTCOMES, type Policy } from '../../../policy/language.ts';
import { recordsOf } from '../../handlers/records.ts';
import type { ServedPolicy, Service } from '../../service.ts';
import { undeliveredOf } from '../../webhooks/undelivered.ts';
import type { Comparison, HomeData, InForce, Period, PolicyChange, UnknownSource } from '../pages/home-page.ts';
import type { DayCounts } from '../parts/chart.ts';
import { HOME } from '../words/home.ts';
import { Counted, DAY_MS, DAYS, daysTo, sum, WEEK } from './counted.ts';
import { queueStates } from './queue-states.ts';

/** From here on there is a fault to mend, however many more there are. */
const MOST_IN_DOUBT = 100;

const NOTHING_COUNTED = { changes: [], changed: undefined, days: [], unknown: [], saved: [], queues: [], inDoubt: 0 };

export async function homeData(service: Service): Promise<HomeData> {
  const now = Date.now();
  const { index, follower, inDoubt } = recordsOf(service);
  const standing = {
    now,
    attention: [
      ...(await dividedOf(service)),
      // Policies may share a list.
      ...new Set([...service.policies.values()].flatMap((served) => alertsOf(served, now))),
      ...incompleteOf(service),
      ...(await undeliveredOf(service)),
      ...(await alertsOfRelease(service)),
    ],
  };
  if (!follower.isReady) {
    const progress = { entries: await index.entries(), bytesLeft: await index.behind() };
    return { ...NOTHING_COUNTED, ...standing, policies: await inForce(service), progress };
  }
  const from = now - (2 * DAYS + 1) * DAY_MS;
  const [outcomes, versions, rules, missing] = await Promise.all([
    counted(index, 'outcome', from),
    counted(index, 'policyVersion'),
    counted(index, 'rule', from),
    counted(index, 'missing', now - 2 * WEEK * DAY_MS),
  ]);
  const changes = await changesOf(index, versions, now);
  const served = [...service.policies.values()].map(({ watched: { policy } }) => policy);
  // A version that was taken back does not decide any more.
  const last = changes.findLast((each) => served.some((policy) => isSame(policy, each)));
  return {
    ...standing,
    inDoubt: (await inDoubt(MOST_IN_DOUBT)).length,
    policies: await inForce(service, index),
    days: outcomesByDay(outcomes, now),
    changes,
    changed: last && (await compare(index, last, now, { outcomes, rules })),
    ...unknownSources(now, outcomes, missing),
    queues: await queueStates(service),
  };
}

function isSame(policy: Policy, { name, version }: PolicyChange): boolean {
  return policy.name === name && policy.version === version;
}

async function counted(index: LogIndex, ...asked: Parameters<LogIndex['dayCounts']>): Promise<Counted> {
  return new Counted(await index.dayCounts(...asked));
}

function outcomesByDay(outcomes: Counted, now: number): readonly DayCounts[] {
  return daysTo(now, DAYS).map((day) => {
    const counts = OUTCOMES.map((outcome) => outcomes.of(day, outcome));
    return { day, counts, all: sum(outcomes.sums([day])) };
  });
}

/** The policies in force; with an index of the log, since when each decides. */
export async function inForce({ policies }: Service, index?: LogIndex): Promise<readonly InForce[]> {
  const served = [...policies.values()];
  const terms = served.map(({ watched: { policy } }) => versionTerm(`${policy.name}@${policy.version}`));
  const begins = await index?.begins(terms);
  return served.map(({ name, watched: { policy, brokenSince } }, i) => {
    const [{ version }, since] = [policy, begins?.[i]];
    return { name, version, ...(brokenSince ? { brokenSince } : {}), ...(since === undefined ? {} : { since }) };
  });
}

function versionTerm(text: string): Term {
  return { kind: 'policyVersion', text };
}

/** The versions whose first decision is in the last 30 days, in order; not the first version of a policy. */
async function changesOf(index: LogIndex, versions: Counted, now: number): Promise<readonly PolicyChange[]> {
  const [first = ''] = daysTo(now, DAYS);
  const texts = [...versions.texts()].filter(([, [day = '']]) => day >= first).map(([text]) => text);
  const begins = await index.begins(texts.map(versionTerm));
  const changes = texts.flatMap((text, i) => {
    const [at, end] = [begins[i], text.indexOf('@')];
    const [name, version] = [text.slice(0, end), text.slice(end + 1)];
    const others = [...versions.texts()].filter(([other]) => other !== text && other.startsWith(`${name}@`));
    const isFirst = others.every(([, [day = '']]) => day > dayOfInstant(at ?? 0));
    return at === undefined || isFirst ? [] : [{ name, version, at }];
  });
  return changes.toSorted((one, other) => one.at - other.at);
}

interface ByDay {
  readonly outcomes: Counted;
  readonly rules: Counted;
}

/** A change, with the decisions since, and those of the 30 days before it. */
async function compare(
  index: LogIndex,
  change: PolicyChange,
  now: number,
  { outcomes, rules }: ByDay,
): Promise<Comparison> {
  const day = dayOfInstant(change.at);
  const end = Date.parse(day) + DAY_MS;
  const after = daysTo(now, Math.round((Date.parse(dayOfInstant(now)) - end) / DAY_MS) + 1);
  const before = daysTo(change.at, DAYS + 1);
  /** The sums of a kind since, and before: the day of the change has a part in both. */
  const sidesOf = async (kind: string, counts: Counted) => {
    const [since, earlier] = [counts.sums(after), counts.sums(before)];
    const texts = [...counts.sums([day]).keys()];
    const part = await index.counts(
      texts.map((text) => ({ kind, text })),
      { from: change.at, until: end },
    );
    const ofDay = new Map(texts.map((text, i) => [text, part[i] ?? 0]));
    const all = [...new Set([...since.keys(), ...earlier.keys()])];
    return all.map((text) => {
      const split = ofDay.get(text) ?? 0;
      return { text, now: (since.get(text) ?? 0) + split, before: (earlier.get(text) ?? 0) - split };
    });
  };
  const sides = await sidesOf('outcome', outcomes);
  const periodOf = (side: 'now' | 'before'): Period => ({
    decisions: sides.reduce((all, each) => all + each[side], 0),
    reviews: sides.find(({ text }) => text === 'review')?.[side] ?? 0,
  });
  const [period, earlier] = [periodOf('now'), periodOf('before')];
  const fired = (await sidesOf('rule', rules)).flatMap(({ text: rule, ...side }) => {
    const rise = shareRise([side.before, earlier.decisions], [side.now, period.decisions]);
    return rise && rise.least > 0 ? [{ rule, by: rise.by }] : [];
  });
  const [risen] = fired.toSorted((one, other) => other.by - one.by);
  return { ...change, now: period, before: earlier, ...(risen ? { risen } : {}) };
}

/** More sources than these are not worth a look each morning. */
const MOST_SOURCES = 8;

/** A share that is this much greater than a week before, in this many more decisions, is pointed at. */
const [RISE, MORE] = [1.5, 20];

/** What was missing; what stages did not ask, since the decision needed it no more, is counted apart. */
function unknownSources(now: number, outcomes: Counted, missing: Counted) {
  const [days, before] = [daysTo(now, WEEK), daysTo(now, WEEK, WEEK)];
  const [all, allBefore] = [sum(outcomes.sums(days)), sum(outcomes.sums(before))];
  const earlier = missing.sums(before);
  const sources = [...missing.sums(days)].map(([text, n]): UnknownSource => {
    const [cause = '', source = ''] = text.split(' ');
    const [share, shareBefore] = [n / all, allBefore === 0 ? undefined : (earlier.get(text) ?? 0) / allBefore];
    const isRising = shareBefore !== undefined && share > shareBefore * RISE && n - shareBefore * all >= MORE;
    return { source, cause, share, shareBefore, isRising };
  });
  const ordered = sources.toSorted((one, other) => other.share - one.share);
  const [saved, unknown] = [true, false].map((is) => ordered.filter(({ cause }) => (cause === 'notRequested') === is));
  return { unknown: unknown?.slice(0, MOST_SOURCES) ?? [], saved: saved?.slice(0, MOST_SOURCES) ?? [] };
}

async function dividedOf({ divided }: Service): Promise<readonly string[]> {
  return (await divided()).map(({ name, words }) => HOME.divided(name, words));
}

/** Policies whose counts reach into what was not counted. */
function incompleteOf({ lacking }: Service): readonly string[] {
  return lacking().map(({ policy, completeOn }) => HOME.incomplete(policy, completeOn));
}

/** A release that was refused, and one that nobody has confirmed in time. */
async function alertsOfRelease({ released }: Service): Promise<readonly string[]> {
  const { refused } = released?.inForce() ?? {};
  const since = await released?.unconfirmedSince().catch(() => undefined);
  return [
    ...(refused === undefined ? [] : [HOME.refused(refused)]),
    ...(since === undefined ? [] : [HOME.unconfirmed(since)]),
  ];
}

/** A file that is broken, and lists whose entries end soon. */
export function alertsOf({ name, watched: { policy, brokenSince } }: ServedPolicy, now: number): readonly string[] {
  const [today, soon] = [dayOfInstant(now), dayOfInstant(now + WEEK * DAY_MS)];
  const ending = [...policy.lists].flatMap(([list, { entries }]) => {
    const n = [...entries.values()].filter((until) => until !== undefined && until >= today && until <= soon).length;
    return n === 0 ? [] : [HOME.ending(list, n)];
  });
  return [...(brokenSince === undefined ? [] : [HOME.broken(name, brokenSince)]), ...ending];
}
