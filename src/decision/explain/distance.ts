/** A test that would have to change, and the present value -> the distance to the nearest value that would do. */

import { type FactDefinition, LEVELS } from '../../facts/catalog.ts';
import { completedYears, dayNumber } from '../../facts/day.ts';
import type { FactValue } from '../../facts/fact.ts';
import { axisOf } from '../../policy/cells/axis.ts';
import type { Test } from '../../policy/language.ts';
import { type Argument, type Arguments, type OperatorName, YEARS } from '../../policy/operators.ts';
import { toNumber } from './model/sample-values.ts';

/** The distance of a value from the nearest one that would do. */
export interface Distance {
  readonly amount: number;
  readonly unit: 'number' | 'days' | 'years' | 'levels';
}

/** A distance, absolute and relative. */
export interface TestDistance {
  /** Undefined where values have no distance: names, booleans, `never`. */
  readonly distance: Distance | undefined;
  /** From 0 to 1, where 1 is the whole width (see `distanceOf`) or more. */
  readonly relative: number;
}

/** Numbers between two ends; an end may be excluded. */
interface Interval {
  readonly least: number;
  readonly most: number;
  readonly isLeastOut?: boolean;
  readonly isMostOut?: boolean;
}

const LOWEST = Number.NEGATIVE_INFINITY;
const HIGHEST = Number.POSITIVE_INFINITY;

/** The numbers for which an operator is true. Operators without a row have no distance. */
const HOLDS: Partial<Record<OperatorName, (limits: readonly number[]) => readonly Interval[]>> = {
  is: (limits) => limits.map((limit) => ({ least: limit, most: limit })),
  in: (limits) => limits.map((limit) => ({ least: limit, most: limit })),
  isNot: (limits) => complementOf(limits.map((limit) => ({ least: limit, most: limit }))),
  notIn: (limits) => complementOf(limits.map((limit) => ({ least: limit, most: limit }))),
  above: ([limit = 0]) => [{ least: limit, most: HIGHEST, isLeastOut: true }],
  atLeast: ([limit = 0]) => [{ least: limit, most: HIGHEST }],
  below: ([limit = 0]) => [{ least: LOWEST, most: limit, isMostOut: true }],
  atMost: ([limit = 0]) => [{ least: LOWEST, most: limit }],
  between: ([least = 0, most = 0]) => [{ least, most }],
  withinLast: ([days = 0]) => [{ least: 0, most: days }],
  olderThan: ([days = 0]) => [{ least: days, most: HIGHEST, isLeastOut: true }],
  before: ([day = 0]) => [{ least: LOWEST, most: day, isMostOut: true }],
  after: ([day = 0]) => [{ least: day, most: HIGHEST, isLeastOut: true }],
};

/** For values that have no distance: as far as possible. */
export const NO_DISTANCE: TestDistance = { distance: undefined, relative: 1 };

/**
 * The distance of a value from making a test true, or, where `isNegated`, false. The relative distance
 * divides it by the width of the fact's range, where it has one; by four steps for a level; by a year for a
 * calendar day; else by the limit, or by 1 if the limit is less. It is at most 1.
 */
export function distanceOf(
  { operator, type, argument }: Test,
  isNegated: boolean,
  { value, other }: { readonly value: FactValue; readonly other: FactValue | undefined },
  definition: FactDefinition | undefined,
  day: string,
): TestDistance {
  const axis = axisOf(operator);
  const rank = toNumber(value, { type });
  const holding = holdingOf(operator, other ?? argument, type);
  if (rank === undefined || !holding) return NO_DISTANCE;
  const number = NUMBERS[axis](rank, dayNumber(day));
  const ends = domainOf(definition, type, axis, day);
  const intervals = (isNegated ? complementOf(holding) : holding).flatMap((each) => clip(each, ends));
  const isWhole = type !== 'number';
  const [nearest] = intervals
    .map((interval) => ({ amount: distanceTo(interval, number, isWhole), limit: limitOf(interval, number) }))
    .sort((one, two) => one.amount - two.amount);
  if (!nearest || !Number.isFinite(nearest.amount)) return NO_DISTANCE;
  const width = type === 'level' ? LEVELS.length - 1 : type === 'date' && axis === 'value' ? 365 : widthOf(definition);
  const whole = width ?? Math.max(1, Math.abs(nearest.limit));
  const unit = type === 'level' ? 'levels' : axis === 'years' ? 'years' : type === 'date' ? 'days' : 'number';
  // Rounded to 15 digits, which a double holds exactly: 0.30000000000000004 becomes 0.3.
  const amount = Number(nearest.amount.toPrecision(15));
  return { distance: { amount, unit }, relative: Math.min(1, nearest.amount / whole) };
}

/** The number that the tests of an axis compare, from the rank of a value. */
const NUMBERS: { readonly [Name in Axis]: (rank: number, today: number) => number } = {
  value: (rank) => rank,
  alone: (rank) => rank,
  age: (rank, today) => today - rank,
  years: completedYears,
};

type Axis = ReturnType<typeof axisOf>;

/** The numbers for which a test is true; undefined where values have no distance. */
function holdingOf(
  operator: OperatorName,
  argument: Argument | undefined,
  type: Test['type'],
): readonly Interval[] | undefined {
  if (operator === 'yearsSince') {
    const tests = argument as Arguments['years'];
    const falseOf = tests.flatMap((test) => complementOf(holdingOf(test.operator, test.argument, YEARS.type) ?? []));
    return complementOf(falseOf);
  }
  const limits = axisOf(operator) === 'age' ? [Number(argument)] : limitsOf(argument, type);
  return limits.length === 0 ? undefined : HOLDS[operator]?.(limits);
}

/** The numbers that are valid for a fact. */
function domainOf(definition: FactDefinition | undefined, type: Test['type'], axis: Axis, day: string): Ends {
  const { range, past = false } = definition ?? {};
  if (type === 'level') return [0, LEVELS.length - 1];
  if (type !== 'date') return range ?? [LOWEST, HIGHEST];
  if (!past) return [LOWEST, HIGHEST];
  return axis === 'value' ? [LOWEST, dayNumber(day)] : [0, HIGHEST];
}

type Ends = readonly [least: number, most: number];

function clip(interval: Interval, [least, most]: Ends): readonly Interval[] {
  const { isLeastOut = false, isMostOut = false } = interval;
  const low = interval.least < least ? { least } : { least: interval.least, isLeastOut };
  const high = interval.most > most ? { most } : { most: interval.most, isMostOut };
  return low.least <= high.most ? [{ ...low, ...high }] : [];
}

/** The width of a range; undefined for counts, whose range has no practical end. */
function widthOf(definition: FactDefinition | undefined): number | undefined {
  const [least, most] = definition?.range ?? [];
  return least === undefined || most === undefined || most === Number.MAX_SAFE_INTEGER ? undefined : most - least;
}

function limitsOf(argument: Argument | undefined, type: Test['type']): readonly number[] {
  const values = Array.isArray(argument) ? (argument as readonly FactValue[]) : [argument as FactValue];
  return values.flatMap((value) => toNumber(value, { type }) ?? []);
}

/** The numbers outside all of some intervals. */
function complementOf(intervals: readonly Interval[]): readonly Interval[] {
  const sorted = [...intervals].sort((one, other) => one.least - other.least);
  const ends: Interval[] = [];
  const start: Pick<Interval, 'least' | 'isLeastOut'> = { least: LOWEST };
  let from = start;
  for (const { least, most, isLeastOut = false, isMostOut = false } of sorted) {
    const isPoint = least === from.least && isLeastOut && !from.isLeastOut && from !== start;
    if (least > from.least || isPoint) ends.push({ ...from, most: least, isMostOut: !isLeastOut });
    if (most > from.least || (most === from.least && !from.isLeastOut)) from = { least: most, isLeastOut: !isMostOut };
  }
  return from.least === HIGHEST ? ends : [...ends, { ...from, most: HIGHEST }];
}

/** 0 inside the interval. For numbers that need not be whole, also 0 at an excluded end. */
function distanceTo(
  { least, most, isLeastOut = false, isMostOut = false }: Interval,
  number: number,
  isWhole: boolean,
): number {
  const step = isWhole ? 1 : 0;
  const first = isWhole ? Math.ceil(least) : least;
  const last = isWhole ? Math.floor(most) : most;
  const from = isLeastOut && first === least ? least + step : first;
  const to = isMostOut && last === most ? most - step : last;
  if (from > to) return HIGHEST;
  return number < from ? from - number : number > to ? number - to : 0;
}

function limitOf({ least, most }: Interval, number: number): number {
  if (!Number.isFinite(least)) return most;
  return !Number.isFinite(most) || number <= least ? least : most;
}
