/**
 * Policies and a day -> the later days on which something begins or ends, and the same policies with the day as one of
 * their facts: what holds of them on all of these days is one question.
 */

import type { FactDefinition } from '../../facts/catalog.ts';
import { dayNumber, dayOfNumber, isDay, LAST_DAY, lastDayWithYears } from '../../facts/day.ts';
import { type Argument, IpBlocks, isNamedList, type NamedList, type YearsTest } from '../../policy/arguments.ts';
import { type Condition, isActive, type Policy, type Test, testsOf } from '../../policy/language.ts';
import { operatorRow } from '../../policy/operators.ts';
import { testKey } from '../../policy/sameness.ts';
import { canonicalData, keepData } from '../../policy/source-map.ts';
import { MOST_LATER_DAYS } from '../limits.ts';
import { testRewriter, withConditions } from './rewrite-tests.ts';

/** The day of the decision as a fact: no policy can declare one of this name. It is never missing. */
export const CALENDAR = 'the day of the decision';

/**
 * Ascending: the days on which a rule begins, or a rule or an entry of a list that they read has ended, those on which
 * a date that tests name reaches an age that tests ask for, and those on which a leap day makes an age in years longer
 * or shorter than one in days.
 */
export function daysFrom(
  day: string,
  policies: readonly Pick<Policy, 'rules'>[],
  conditions: readonly Condition[] = [],
): readonly string[] {
  const rules = policies.flatMap((policy) => policy.rules);
  const tests = new Set([...rules.map(({ when }) => when), ...conditions].flatMap((when) => [...testsOf(when)]));
  const lists = new Set([...tests].flatMap(({ argument }) => (isNamedList(argument) ? argument : [])));
  const ends = [...lists].flatMap(({ entries, blocks }) => [
    ...entries.values(),
    ...(blocks?.all ?? []).map(({ until }) => until),
  ]);
  const lastDays = [...rules.map(({ until }) => until), ...ends].filter((until) => until !== undefined);
  const ages = agesOf([...tests]);
  const changes = [
    ...rules.flatMap(({ from }) => from ?? []),
    ...[...new Set(lastDays)].map((until) => dayOfNumber(dayNumber(until) + 1)),
    ...ages.flatMap(daysOfAges),
  ];
  const years = new Set(ages.flatMap(yearsNearDays));
  const days = [day, ...[...new Set(changes)].filter((each) => isDay(each) && each > day).sort()];
  return years.size === 0 ? days : days.flatMap((from, i) => [from, ...leapDays([...years], from, days[i + 1])]);
}

/** The days that a question is about. */
export interface DaysOf {
  /** Ascending. */
  readonly days: readonly [string, ...string[]];
  /** The last day that it is about; absent if it is about all later ones. */
  readonly lastDay?: string;
}

/** The days of a question: one alone, or all from a day on. Of very many, the first. */
export function daysOf(
  policies: readonly Policy[],
  day: string,
  isAlone = false,
  conditions: readonly Condition[] = [],
): DaysOf {
  if (isAlone) return { days: [day], lastDay: day };
  const [, ...later] = daysFrom(day, policies, conditions);
  const next = later[MOST_LATER_DAYS];
  const lastDay = next === undefined ? {} : { lastDay: dayBefore(next) };
  return { days: [day, ...later.slice(0, MOST_LATER_DAYS)], ...lastDay };
}

/** The day before a day, yyyy-MM-dd. */
export function dayBefore(day: string): string {
  return dayOfNumber(dayNumber(day) - 1);
}

/** What tests ask of dates that are compared with each other. */
interface Ages {
  /** The dates that they name. */
  readonly named: readonly string[];
  /** In days. */
  readonly ages: readonly number[];
  /** Completed years. */
  readonly years: readonly number[];
  /** So many days lie between the last and the first of several dates of which each is the next one of another. */
  readonly apart: number;
}

/** What tests ask of each date, or of the dates that they compare with each other. */
function agesOf(tests: readonly Test[]): readonly Ages[] {
  const groups: Set<string>[] = [];
  const dates = tests.filter(({ type }) => type === 'date');
  for (const { fact, other = fact } of dates) {
    const joined = groups.filter((group) => group.has(fact) || group.has(other));
    for (const group of joined) groups.splice(groups.indexOf(group), 1);
    groups.push(new Set([fact, other, ...joined.flatMap((group) => [...group])]));
  }
  return groups.map((facts): Ages => {
    const own = dates.filter(({ fact }) => facts.has(fact));
    const years = own.flatMap(({ operator, argument }) =>
      operator === 'yearsSince' ? (argument as readonly YearsTest[]).flatMap(yearsOf) : [],
    );
    return {
      named: own.flatMap(({ argument }) => [argument].flat().map(String).filter(isDay)),
      ages: own.flatMap(({ argument }) => (typeof argument === 'number' ? argument : [])),
      years: [...new Set(years)],
      apart: facts.size - 1,
    };
  });
}

/** The days from which dates that tests name have an age that these tests ask for, or are tomorrow. */
function daysOfAges({ named, ages, years, apart }: Ages): readonly string[] {
  // A test cuts before or behind a date, and so does one of its age.
  const offsets = Array.from({ length: 3 + 2 * apart }, (_, i) => i - apart);
  const from = (number: number) => offsets.map((more) => dayOfNumber(number + more));
  return [...new Set(named)].flatMap((date) => [
    ...[-1, ...ages].flatMap((age) => from(dayNumber(date) + age)),
    ...years.flatMap((each) => from(lastDayWithYears(-each, date))),
  ]);
}

/** The years that are as long as one of the ages in days, or are so on some days. */
function yearsNearDays({ ages, years, apart }: Ages): readonly number[] {
  const isNear = (year: number, age: number) => Math.abs(year * MEAN_DAYS_OF_YEAR - age) < MOST_DAYS_OFF + apart;
  return years.filter((year) => ages.some((age) => isNear(year, age)));
}

const MEAN_DAYS_OF_YEAR = 365.2425;

/** Some years are at most so many days longer or shorter than the mean, and a test cuts before or behind a date. */
const MOST_DAYS_OFF = 4;

/** After so many years all leap days come again. */
const YEARS_OF_LEAP_DAYS = 400;

/**
 * The days after one, and before another, from which years are as long as on no day before, or again as they were.
 * Lengths that come again are not listed: what is so on some of these days can be so every four years.
 */
function leapDays(years: readonly number[], from: string, before = LAST_DAY): readonly string[] {
  const lengthsOn = (day: string) => years.map((each) => dayNumber(day) - lastDayWithYears(each, day)).join();
  let last = lengthsOn(from);
  const seen = new Set([last]);
  let isNew = false;
  const firstYear = Number(from.slice(0, 4));
  const lastYear = Math.min(firstYear + YEARS_OF_LEAP_DAYS, Number(before.slice(0, 4)));
  const days: string[] = [];
  for (let year = firstYear; year <= lastYear; year++) {
    // Lengths change on the day after 28 February alone.
    const day = dayOfNumber(dayNumber(`${String(year).padStart(4, '0')}-02-28`) + 1);
    const lengths = lengthsOn(day);
    if (day <= from || day >= before || lengths === last) continue;
    last = lengths;
    if (isNew || !seen.has(lengths)) days.push(day);
    isNew = !seen.has(lengths);
    seen.add(lengths);
  }
  return days;
}

/** The numbers of years that a test names, as whole ones on both sides. */
function yearsOf({ argument }: YearsTest): readonly number[] {
  return [argument].flat().flatMap((each) => [Math.floor(Number(each)), Math.floor(Number(each)) + 1]);
}

/** A policy, and how conditions are asked of it. */
export interface WithCalendar {
  readonly policy: Policy;
  rewrite(condition: Condition): Condition;
}

/**
 * The policy with the day as a fact, which decides on each of the days as before: a rule asks for the days on which it
 * is active, and a list is several: the entries that count on all days, and those that end on one of them. The same
 * policy for a single day.
 */
export function withCalendar(policy: Policy, days: readonly string[]): WithCalendar {
  if (days.length < 2) return { policy, rewrite: (condition) => condition };
  const { policy: onDays, rewrite } = askedOfDays(policy, days);
  return { policy: { ...onDays, facts: new Map([...policy.facts, [CALENDAR, calendarOf(days)]]) }, rewrite };
}

/**
 * The policy with the rules and entries of one day on every day, to decide applicants of other days. Its data and
 * digest are still those of the policy.
 */
export function asInForce(policy: Policy, day: string): Policy {
  return keepData(askedOfDays(policy, [day]).policy, canonicalData(policy));
}

function askedOfDays(policy: Policy, days: readonly string[]): WithCalendar {
  const split = new Map<NamedList, readonly ListPart[]>();
  const partsOf = (list: NamedList) => {
    const parts = split.get(list) ?? splitList(list, days);
    split.set(list, parts);
    return parts;
  };
  const rewrite = testRewriter((test): Condition => {
    const { argument, operator } = test;
    if (!isNamedList(argument)) return test;
    const isNegated = operatorRow(operator).negates !== undefined;
    const tests = partsOf(argument).map(({ list, until }): Condition => {
      const ownTest: Test = { ...test, argument: list, expected: list.name };
      if (until === undefined) return ownTest;
      const part = { ...ownTest, key: JSON.stringify([test.key, until]) };
      const counts = (day: string) => day <= until;
      return isNegated
        ? { kind: 'any', of: [isOnDays(days, (day) => !counts(day)), part] }
        : { kind: 'all', of: [isOnDays(days, counts), part] };
    });
    const [only] = tests;
    return only && tests.length === 1 ? only : { kind: isNegated ? 'all' : 'any', of: tests };
  });
  const rewritten = withConditions(policy, rewrite);
  const rules = rewritten.rules.flatMap((rule) => {
    const isOn = (day: string) => isActive(rule, day);
    if (!days.some(isOn)) return [];
    const when: Condition = days.every(isOn) ? rule.when : { kind: 'all', of: [isOnDays(days, isOn), rule.when] };
    return { ...rule, when, from: undefined, until: undefined };
  });
  return { policy: { ...rewritten, rules }, rewrite };
}

function calendarOf(days: readonly string[]): FactDefinition {
  return { type: 'enum', description: CALENDAR, origin: 'caller', values: days };
}

/** The test that it is one of the days for which something holds. */
function isOnDays(days: readonly string[], holds: (day: string) => boolean): Test {
  const argument = days.filter(holds);
  const asked = { fact: CALENDAR, type: 'enum', operator: 'in', argument, other: undefined } as const;
  return { kind: 'test', ...asked, expected: argument, key: testKey(asked) };
}

const partsOfLists = new WeakSet<NamedList>();

/** Whether an argument is some of the entries of a list, as they count until one day. */
export function isPartOfList(argument: Argument | undefined): boolean {
  return isNamedList(argument) && partsOfLists.has(argument);
}

/** Entries of a list that count until one day; undefined for those that count on all days. */
interface ListPart {
  readonly list: NamedList;
  readonly until: string | undefined;
}

/** The parts of a list, those that count on all days first, even if there are none: whether a fact is known matters. */
function splitList(list: NamedList, days: readonly string[]): readonly ListPart[] {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const endOf = (until: string | undefined) => (until === undefined || until >= last ? undefined : until);
  const entries = Map.groupBy(list.entries, ([, until]) => endOf(until));
  const blocks = Map.groupBy(list.blocks?.all ?? [], ({ until }) => endOf(until));
  const ends = [...new Set([...entries.keys(), ...blocks.keys()])].filter((end) => end !== undefined && end >= first);
  return [undefined, ...ends.sort()].map((until) => {
    const ownEntries = (entries.get(until) ?? []).map(([text]): [string, undefined] => [text, undefined]);
    const ownBlocks = (blocks.get(until) ?? []).map((block) => ({ ...block, until: undefined }));
    const name = until === undefined ? list.name : `${list.name} (entries until ${until})`;
    const part = {
      ...list,
      name,
      entries: new Map(ownEntries),
      ...(list.blocks ? { blocks: new IpBlocks(ownBlocks) } : {}),
    };
    if (until !== undefined) partsOfLists.add(part);
    return { list: part, until };
  });
}
