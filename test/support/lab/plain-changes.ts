/** A piece of plain data -> the same, with one kind of change wherever it applies. */

import { LEVELS } from '../../../src/facts/catalog.ts';
import { dayNumber, dayOfNumber, isDay } from '../../../src/facts/day.ts';

/** The same data with each number, level, duration and day moved by one. */
export function moved(data: unknown): unknown {
  if (typeof data === 'number') return data + 1;
  if (typeof data !== 'string') return mapped(data, moved);
  const level = (LEVELS as readonly string[]).indexOf(data);
  if (level >= 0) return LEVELS[level + 1] ?? LEVELS[level - 1];
  if (isDay(data)) return laterDay(data, 1);
  return data.replace(/^\d+(?= (?:days?|weeks?)$)/, (amount) => String(Number(amount) + 1));
}

/** The day, yyyy-MM-dd, some days later. */
export function laterDay(day: string, by: number): string {
  return dayOfNumber(dayNumber(day) + by);
}

/** The same data with the numbers moved by one that completed years are compared with. */
export function yearsMoved(data: unknown): unknown {
  return mapped(data, (part, key) => (key === 'yearsSince' ? moved(part) : yearsMoved(part)));
}

const OPPOSITES: Readonly<Record<string, string>> = {
  ...{ above: 'atLeast', atLeast: 'above', below: 'atMost', atMost: 'below', is: 'isNot', isNot: 'is' },
  ...{ in: 'notIn', notIn: 'in', inList: 'notInList', notInList: 'inList', startsWith: 'contains', any: 'all' },
  ...{ withinLast: 'olderThan', olderThan: 'withinLast', before: 'onOrBefore', onOrAfter: 'after', all: 'any' },
};

/** The same data with each operator replaced by one that is easily taken for it. */
export function confused(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return mapped(data, confused);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [OPPOSITES[key] ?? key, confused(value)]));
}

function mapped(data: unknown, change: (part: unknown, key?: string) => unknown): unknown {
  if (Array.isArray(data)) return data.map((part) => change(part));
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, change(value, key)]));
}
