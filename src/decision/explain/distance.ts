/** A test that would have to change, and the present value -> the distance to the nearest value that changes it. */

import type { FactDefinition, FactType } from '../../facts/catalog.ts';
import { dayNumber } from '../../facts/day.ts';
import type { FactValue } from '../../facts/fact.ts';
import { orderedAxis } from '../../policy/cells/axis.ts';
import { type Segment, stepOf } from '../../policy/cells/segments.ts';
import type { NumberCells } from '../../policy/cells/value-axis.ts';
import type { Test } from '../../policy/language.ts';
import { askedOf } from '../../policy/operators.ts';

/** The distance of a value from the nearest one that changes the test. */
export interface Distance {
  readonly amount: number;
  readonly unit: 'number' | 'days' | 'years' | 'levels';
}

/** The gap between a value and the nearest one that changes the test, which may itself be excluded. */
export interface Gap {
  readonly distance: Distance;
  /** The numbers that the tests of the axis compare: of the value, and of the nearest one that changes the test. */
  readonly from: number;
  readonly to: number;
}

const UNITS = { number: 'number', level: 'levels', day: 'days', age: 'days', years: 'years' } as const;

/**
 * The gap between a value and one that makes a test true, or false if `isNegated`. Undefined for values without a
 * distance: names, booleans, `never`.
 */
export function gapOf(
  test: Test,
  isNegated: boolean,
  { value, other }: { readonly value: FactValue; readonly other: FactValue | undefined },
  definition: FactDefinition | undefined,
  day: string,
): Gap | undefined {
  const asked = askedOf(test.operator);
  if ((asked !== 'values' && asked !== 'limits') || !definition || !ORDERED.has(definition.type)) return undefined;
  const { unit, ranges, toNumber } =
    other === undefined
      ? rangesOf(test, definition)
      : findRanges({ ...test, argument: other, other: undefined }, definition);
  const from = toNumber(value, day);
  if (from === undefined) return undefined;
  const last = unit === 'day' && definition.past ? dayNumber(day) : Number.POSITIVE_INFINITY;
  // Fractions come as near to an excluded limit as you like, so the limit itself counts.
  const ends = ranges.flatMap(({ least, most, isTrue }) =>
    least > last || isTrue === isNegated ? [] : Math.min(Math.max(from, least), most, last),
  );
  const [to] = ends.sort((one, two) => Math.abs(one - from) - Math.abs(two - from));
  if (to === undefined) return undefined;
  // Rounded to 15 digits, which a double holds exactly: 0.30000000000000004 becomes 0.3.
  return { distance: { amount: Number(Math.abs(to - from).toPrecision(15)), unit: UNITS[unit] }, from, to };
}

/** The ranges of numbers that a test tells apart. */
interface Ranges extends Pick<NumberCells, 'unit' | 'toNumber'> {
  readonly ranges: readonly (Segment & { readonly isTrue: boolean })[];
}

const rangesCache = new WeakMap<Test, Ranges>();

/** The ranges of a test of a policy, cached by test. */
function rangesOf(test: Test, definition: FactDefinition): Ranges {
  const ranges = rangesCache.get(test) ?? findRanges(test, definition);
  rangesCache.set(test, ranges);
  return ranges;
}

function findRanges(test: Test, definition: FactDefinition): Ranges {
  const { cells, numbers } = orderedAxis([test], definition);
  const { unit, segments, toNumber } = numbers;
  return {
    unit,
    toNumber,
    ranges: segments.map((segment, i) => ({ ...segment, isTrue: cells[i]?.holds(test) ?? false })),
  };
}

/** Types whose values have distances. */
const ORDERED: ReadonlySet<FactType> = new Set<FactType>(['number', 'integer', 'level', 'date']);

/**
 * The distance between two numbers in ranges of the policy, whose borders cut a fact into ranges: crossing a whole
 * range is a step, and a part of it is that share of a step. Beyond the last border, where values have no end, the same
 * distance counts less the further out it is, so that crossing one border is never more than a step.
 */
export function stepsAcross(cells: NumberCells, from: number, to: number): number {
  // A whole number fills a unit: the distance is from the middle of its unit to the near end of the other.
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

/** The share of a step: half at a distance from the border as great as the border itself; for a day, of a year. */
function shareBeyond(unit: NumberCells['unit'], border: number, distance: number): number {
  return distance / (distance + (unit === 'day' ? 365 : Math.max(1, Math.abs(border))));
}
