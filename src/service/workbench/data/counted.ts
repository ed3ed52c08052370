/** What the index counted by day -> sums of days, by text. */

import type { DayCount } from '../../../audit/index/index-sql.ts';
import { dayOfInstant } from '../../../facts/day.ts';

export const DAY_MS = 86_400_000;

/** Pages show this many days, and compare as many. */
export const DAYS = 30;
export const WEEK = 7;

/** What the index counted of a kind, by day and text. */
export class Counted {
  readonly #days: ReadonlyMap<string, ReadonlyMap<string | null, number>>;

  constructor(counts: readonly DayCount[]) {
    const days = Map.groupBy(counts, ({ day }) => day);
    this.#days = new Map([...days].map(([day, own]) => [day, new Map(own.map((each) => [each.text, each.decisions]))]));
  }

  of(day: string, text: string | null): number {
    return this.#days.get(day)?.get(text) ?? 0;
  }

  /** The sums of some days, by text. */
  sums(days: readonly string[]): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const day of days) {
      for (const [text, n] of this.#days.get(day) ?? []) if (text !== null) sums.set(text, (sums.get(text) ?? 0) + n);
    }
    return sums;
  }

  /** Each text with the days that have it, in order. */
  texts(): ReadonlyMap<string, readonly string[]> {
    const pairs = [...this.#days].flatMap(([day, own]) => [...own.keys()].map((text) => [text ?? '', day] as const));
    const texts = Map.groupBy(pairs, ([text]) => text);
    return new Map([...texts].map(([text, own]) => [text, own.map(([, day]) => day)]));
  }
}

/** `count` days up to one that is `ago` days before today, the earliest first. */
export function daysTo(now: number, count: number, ago = 0): readonly string[] {
  return Array.from({ length: count }, (_, i) => dayOfInstant(now - (count - 1 - i + ago) * DAY_MS));
}

export function sum(map: ReadonlyMap<string, number>): number {
  return [...map.values()].reduce((all, n) => all + n, 0);
}
