/** A test that would have to change, and the present value -> how far it is to the nearest value that would do. */

import type { FactDefinition, FactType } from '../../facts/catalog.ts';
import { dayNumber } from '../../facts/day.ts';
import type { FactValue } from '../../facts/fact.ts';
import { orderedAxis } from '../../policy/cells/axis.ts';
import { type Segment, stepOf } from '../../policy/cells/segments.ts';
import type { NumberCells } from '../../policy/cells/value-axis.ts';
import type { Test } from '../../policy/language.ts';
import { askedOf } from '../../policy/operators.ts';

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

const UNITS = { number: 'number', level: 'levels', day: 'days', age: 'days', years: 'years' } as const;

/**
 * The way of a value from making a test true, or, where `isNegated`, false. Undefined where values have no distance:
 * names, booleans, `never`.
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
  // Among fractions, a limit that is out is as near as it gets.
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

/** The ranges of a test of a policy. Found once. */
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
