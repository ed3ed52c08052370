/** A test that would have to change, and the present value -> how far it is to the nearest value that would do. */

import { type FactDefinition, LEVELS } from '../../facts/catalog.ts';
import { completedYears, dayNumber } from '../../facts/day.ts';
import type { FactValue } from '../../facts/fact.ts';
import { type Argument, type Arguments, YEARS } from '../../policy/arguments.ts';
import { stepOf } from '../../policy/cells/segments.ts';
import type { NumberCells } from '../../policy/cells/value-axis.ts';
import type { Test } from '../../policy/language.ts';
import { axisOf, type OperatorName } from '../../policy/operators.ts';
import { toNumber } from './model/sample-values.ts';

/** The distance of a value from the nearest one that would do. */
export interface Distance {
  readonly amount: number;
  readonly unit: 'number' | 'days' | 'years' | 'levels';
}

/** The way from a value to the nearest one that would do, which itself may be excluded. */
export interface Gap {
  readonly distance: Distance;
  /** The numbers that the tests of the axis compare: of the value, and of the nearest one that would do. */
  readonly from: number;
  readonly to: number;
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

/**
 * The way of a value from making a test true, or, where `isNegated`, false. Undefined where values have no distance:
 * names, booleans, `never`.
 */
export function gapOf(
  { operator, type, argument }: Test,
  isNegated: boolean,
  { value, other }: { readonly value: FactValue; readonly other: FactValue | undefined },
  definition: FactDefinition | undefined,
  day: string,
): Gap | undefined {
  const axis = axisOf(operator);
  const rank = toNumber(value, { type });
  const holding = holdingOf(operator, other ?? argument, type);
  if (rank === undefined || !holding) return undefined;
  const from = NUMBERS[axis](rank, dayNumber(day));
  const ends = domainOf(definition, type, axis, day);
  const intervals = (isNegated ? complementOf(holding) : holding).flatMap((each) => clip(each, ends));
  const [nearest] = intervals
    .map((interval) => nearestIn(interval, from, type !== 'number'))
    .filter((to) => to !== undefined)
    .sort((one, two) => Math.abs(one - from) - Math.abs(two - from));
  if (nearest === undefined || !Number.isFinite(nearest)) return undefined;
  const unit = type === 'level' ? 'levels' : axis === 'years' ? 'years' : type === 'date' ? 'days' : 'number';
  // Rounded to 15 digits, which a double holds exactly: 0.30000000000000004 becomes 0.3.
  return { distance: { amount: Number(Math.abs(nearest - from).toPrecision(15)), unit }, from, to: nearest };
}

/**
 * How many of the policy's own ranges have to be left on the way: its borders cut a fact into ranges, and crossing a
 * whole one is a step, a part of it a share. Beyond the last border, where values have no end, the way counts less the
 * further it is, so that to cross one border is never more than a step.
 */
export function stepsAcross(cells: NumberCells, from: number, to: number): number {
  // A whole number fills a unit: the way leads from its middle to the near end of the other.
  const [half, end] = cells.steps.isWhole ? [0.5, to < from ? 1 : 0] : [0, 0];
  return Math.abs(placeOf(cells, to, end) - placeOf(cells, from, half));
}

/** The range in which a number lies, from 0, with the place of `number + more` in it as a share. */
function placeOf({ unit, steps }: NumberCells, number: number, more: number): number {
  const { firsts, most, isWhole } = steps;
  const index = Math.min(Math.max(stepOf(steps, number), 0), firsts.length - 1);
  const [first, next] = [firsts[index] as number, firsts[index + 1]];
  const at = number + more;
  if (next === undefined && isEndless(unit, most)) return index + shareBeyond(unit, first, at - first);
  if (next !== undefined && index === 0 && isEndless(unit, first)) return 1 - shareBeyond(unit, next, next - at);
  const width = (next ?? (isWhole ? most + 1 : most)) - first;
  return index + (width > 0 ? Math.min(1, (at - first) / width) : 0);
}

function isEndless(unit: NumberCells['unit'], end: number): boolean {
  if (unit === 'number') return Math.abs(end) >= Number.MAX_SAFE_INTEGER;
  return unit !== 'level' && end !== 0;
}

/** Half a step at a distance from the border as great as the border itself; for a calendar day, of a year. */
function shareBeyond(unit: NumberCells['unit'], border: number, distance: number): number {
  return distance / (distance + (unit === 'day' ? 365 : Math.max(1, Math.abs(border))));
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

/** The number itself inside the interval; else its nearest end, for whole numbers the nearest that is in. */
function nearestIn(
  { least, most, isLeastOut = false, isMostOut = false }: Interval,
  number: number,
  isWhole: boolean,
): number | undefined {
  const step = isWhole ? 1 : 0;
  const first = isWhole ? Math.ceil(least) : least;
  const last = isWhole ? Math.floor(most) : most;
  const from = isLeastOut && first === least ? least + step : first;
  const to = isMostOut && last === most ? most - step : last;
  return from > to ? undefined : Math.min(Math.max(number, from), to);
}
