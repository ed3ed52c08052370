/** A policy and a day -> this day, and the later ones on which the policy may decide otherwise than the day before. */

import { dayNumber, dayOfNumber } from '../../facts/day.ts';
import { type Policy, testsOf } from '../../policy/language.ts';
import { isNamedList } from '../../policy/operators.ts';

/** Ascending: the days on which a rule begins, or a rule or an entry of a list that rules read has ended. */
export function daysFrom(day: string, { rules }: Policy): readonly string[] {
  const lists = new Set(
    rules.flatMap(({ when }) => [...testsOf(when)].flatMap(({ argument }) => (isNamedList(argument) ? argument : []))),
  );
  const ends = [...lists].flatMap(({ entries, blocks }) => [
    ...entries.values(),
    ...(blocks?.all ?? []).map(({ until }) => until),
  ]);
  const lastDays = [...rules.map(({ until }) => until), ...ends].filter((until) => until !== undefined);
  const changes = [
    ...rules.flatMap(({ from }) => from ?? []),
    ...new Set(lastDays).values().map((until) => dayOfNumber(dayNumber(until) + 1)),
  ];
  return [day, ...[...new Set(changes)].filter((each) => each > day).sort()];
}
