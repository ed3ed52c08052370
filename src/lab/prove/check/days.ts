/** A policy and a day -> this day, and the later ones on which the policy may decide otherwise than the day before. */

import { dayNumber, dayOfNumber, isDay, lastDayWithYears } from '../../../facts/day.ts';
import { type Policy, type Test, testsOf } from '../../../policy/language.ts';
import { isNamedList, type YearsTest } from '../../../policy/operators.ts';

/**
 * Ascending: the days on which a rule begins, or a rule or an entry of a list that rules read has ended, and those on
 * which a date that tests name reaches an age that tests ask for. Facts that are compared with each other are taken one
 * by one.
 */
export function daysFrom(day: string, { rules }: Policy): readonly string[] {
  const tests = new Set(rules.flatMap(({ when }) => [...testsOf(when)]));
  const lists = new Set([...tests].flatMap(({ argument }) => (isNamedList(argument) ? argument : [])));
  const ends = [...lists].flatMap(({ entries, blocks }) => [
    ...entries.values(),
    ...(blocks?.all ?? []).map(({ until }) => until),
  ]);
  const lastDays = [...rules.map(({ until }) => until), ...ends].filter((until) => until !== undefined);
  const dates = Map.groupBy(
    [...tests].filter(({ type }) => type === 'date'),
    ({ fact }) => fact,
  );
  const changes = [
    ...rules.flatMap(({ from }) => from ?? []),
    ...[...new Set(lastDays)].map((until) => dayOfNumber(dayNumber(until) + 1)),
    ...[...dates.values()].flatMap(daysOfAges),
  ];
  return [day, ...[...new Set(changes)].filter((each) => isDay(each) && each > day).sort()];
}

/** The days from which dates that tests of a fact name have an age that these tests ask for, or are tomorrow. */
function daysOfAges(tests: readonly Test[]): readonly string[] {
  const named = tests.flatMap(({ argument }) => [argument].flat().filter((each) => isDay(String(each))));
  const ages = tests.flatMap(({ argument }) => (typeof argument === 'number' ? argument : []));
  const years = tests.flatMap(({ operator, argument }) =>
    operator === 'yearsSince' ? (argument as readonly YearsTest[]).flatMap(yearsOf) : [],
  );
  // A test cuts before or behind a date, and so does one of its age.
  const from = (number: number) => [0, 1, 2].map((more) => dayOfNumber(number + more));
  return [...new Set(named.map(String))].flatMap((date) => [
    ...[-1, ...ages].flatMap((age) => from(dayNumber(date) + age)),
    ...years.flatMap((each) => from(lastDayWithYears(-each, date))),
  ]);
}

/** The numbers of years that a test names, as whole ones on both sides. */
function yearsOf({ argument }: YearsTest): readonly number[] {
  return [argument].flat().flatMap((each) => [Math.floor(Number(each)), Math.floor(Number(each)) + 1]);
}
