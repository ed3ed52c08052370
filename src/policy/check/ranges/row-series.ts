/** A table -> single values that rows around them leave out, beside the same cells of the other columns. */

import { type Axis, type Cells, cellsIn, STATES } from '../../cells/cells.ts';
import { type Conjunctions, isWithin, type Region } from '../../cells/conjunctions.ts';
import { nextUp } from '../../cells/segments.ts';
import type { NamedCells, NumberCells } from '../../cells/value-axis.ts';
import { type Policy, type Rule, type Test, testsOf } from '../../language.ts';

/** A cell for which no row asks, beside what the rows around it ask of other columns. */
export interface Gap {
  readonly axis: Axis;
  readonly cell: number;
  readonly beside: Region;
}

/** Rows that differ in one column alone. */
interface Series {
  readonly axis: Axis;
  /** For each row, its tests of the column. */
  readonly asked: (readonly Test[])[];
  /** The tests of the other columns. */
  readonly others: readonly Test[];
}

const ALL_CELLS = -1n;

/** Of more series, the first are looked at. */
const MOST_SERIES = 1000;

/** The gaps that look like slips: an open end, or a gap of several values, may be meant. */
export function gapsInSeries(
  rows: readonly Rule[],
  cells: Cells,
  conjunctions: Conjunctions,
  policy: Policy,
): readonly Gap[] {
  // Of names, the one that is left out may be the harmless one, unless harmless ones are listed too.
  const isListedWhole = rows.some((row) => asksForDefault(row, policy));
  const axes = cells.axes.filter((axis) => isListedWhole || isNumeric(axis));
  const series = seriesOf(rows, axes).filter(({ asked }) => asked.length > 1);
  const found = series.slice(0, MOST_SERIES).flatMap(({ axis, asked, others }): Gap[] => {
    const passed = (tests: readonly Test[]) => tests.reduce((set, test) => set & cells.of(test).isTrue, ALL_CELLS);
    const own = asked.reduce((sum, tests) => sum | passed(tests), 0n);
    const gap = gapIn(axis, own);
    const beside = conjunctions.meet(others);
    return gap === undefined || !beside ? [] : [{ axis, cell: gap, beside }];
  });
  if (found.length === 0) return [];
  const regions = rows.flatMap(({ when }) => conjunctions.of(when)?.flatMap(({ certain }) => certain ?? []) ?? []);
  return found.filter((gap) => !regions.some((region) => isWithin(regionOf(gap), region)));
}

function regionOf({ axis, cell, beside: { sets, states } }: Gap): Region {
  return {
    sets: new Map(sets).set(axis, 1n << BigInt(cell)),
    states: new Map(states).set(axis.subject, STATES.value),
  };
}

function isNumeric({ numbers }: Axis): boolean {
  return numbers !== undefined && numbers.unit !== 'level';
}

/** The series of each fact that is looked at along one axis alone. */
function seriesOf(rows: readonly Rule[], axes: readonly Axis[]): readonly Series[] {
  const axisOf = new Map(
    [...Map.groupBy(axes, ({ fact }) => fact)].flatMap(([fact, [axis, ...more]]) =>
      axis && more.length === 0 ? [[fact, axis] as const] : [],
    ),
  );
  const series = new Map<string, Series>();
  for (const { when } of rows) {
    const byFact = Map.groupBy(testsOf(when), (test) => test.fact);
    for (const [fact, tests] of byFact) {
      const axis = axisOf.get(fact);
      if (!axis) continue;
      const others = [...byFact].flatMap(([other, its]) => (other === fact ? [] : its));
      const key = [fact, ...others.map((test) => test.key).sort()].join('\n');
      const known = series.get(key) ?? { axis, asked: [], others };
      known.asked.push(tests);
      series.set(key, known);
    }
  }
  return [...series.values()];
}

/** The cell of an axis that is left out; undefined if none is, or if it may be meant. */
function gapIn(axis: Axis, asked: bigint): number | undefined {
  const { firstValue, numbers, named } = axis;
  const left = cellsIn(axis.within(STATES.value) & ~asked).map((cell) => cell - firstValue);
  const isOnly = left.length === 1;
  const found = left.find((cell) => {
    if (!numbers) return isOnly && isOneOfMany(cell, named);
    if (!isInside(axis, cell)) return false;
    return isNumeric(axis) ? isBetweenRanges(cell, left, numbers) : isOnly && isStep(cell, numbers);
  });
  return found === undefined ? undefined : found + firstValue;
}

/** Whether an axis has cells on both sides of one, counted from the first cell of values. */
function isInside({ firstValue, cells }: Axis, cell: number): boolean {
  return cell > 0 && cell < cells.length - firstValue - 1;
}

/** Whether a cell is one of three values or more. */
function isOneOfMany(cell: number, named: NamedCells | undefined): boolean {
  if (!named || named.others !== undefined || named.cells.size < 3) return false;
  return [...named.cells.values()].filter((each) => each === cell).length === 1;
}

/** Whether a cell is one whole number. */
function isStep(cell: number, { steps: { firsts } }: NumberCells): boolean {
  return firsts[cell + 1] === (firsts[cell] as number) + 1;
}

/** Whether a cell is one value, or lies between whole numbers that follow each other, with longer ranges around. */
function isBetweenRanges(cell: number, left: readonly number[], numbers: NumberCells): boolean {
  const { firsts, isWhole } = numbers.steps;
  if (left.includes(cell - 1) || left.includes(cell + 1)) return false;
  const start = firsts[cell] as number;
  const next = firsts[cell + 1] as number;
  const isOne = isWhole ? isStep(cell, numbers) : next === nextUp(start);
  const isBetweenWholes = !isWhole && Number.isInteger(next) && start === nextUp(next - 1);
  const isLong = (first: number, beyond: number) => {
    const [least, end] = [firsts[first] as number, firsts[beyond] ?? Number.POSITIVE_INFINITY];
    return isWhole ? end > least + 1 : end > nextUp(least);
  };
  const from = (left.findLast((each) => each < cell) ?? -1) + 1;
  const to = left.find((each) => each > cell) ?? firsts.length;
  return (isOne || isBetweenWholes) && isLong(from, cell) && isLong(cell + 1, to);
}

/** Whether a row only says what is asked for anyway: such rows are written to have a row for everybody. */
function asksForDefault({ then, points = 0 }: Rule, policy: Policy): boolean {
  return points === 0 && (then === undefined || then === policy.default);
}
