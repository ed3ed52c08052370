/** Cells of an axis -> what a fact has to be to lie in one of them, in words. */

import { LEVELS } from '../../facts/catalog.ts';
import { dayOfNumber } from '../../facts/day.ts';
import { NEVER } from '../../facts/fact.ts';
import type { Axis } from '../../policy/cells/cells.ts';
import { describeSegment, nextUp, type Order, type Segment } from '../../policy/cells/segments.ts';
import type { NumberCells } from '../../policy/cells/value-axis.ts';

/** What a fact that is known has to be; undefined where every value will do. `cells` are those that will do, in order. */
export function cellWords(axis: Axis, cells: readonly number[]): string | undefined {
  const { firstValue } = axis;
  const all = Array.from({ length: axis.cells.length - 1 }, (_, i) => i + 1);
  const others = all.filter((cell) => !cells.includes(cell));
  if (others.length === 0) return undefined;
  const hasNever = firstValue === 2 && cells.includes(1);
  const values = cells.filter((cell) => cell >= firstValue);
  const words = axis.numbers
    ? runsIn(values).map((run) => runWords(axis, axis.numbers as NumberCells, run))
    : values.map((cell) => axis.cells[cell]?.words ?? '');
  const text = [...words, ...(hasNever ? [NEVER] : [])].join(' or ');
  const opposite = `anything but ${others.map((cell) => axis.cells[cell]?.words).join(' or ')}`;
  // What orders values, and a pair of facts, is said better as it is.
  return axis.isOrdered || axis.other !== undefined || text.length <= opposite.length ? text : opposite;
}

/** First and last of cells that follow each other. */
type Run = readonly [first: number, last: number];

function runsIn(cells: readonly number[]): readonly Run[] {
  const runs: [number, number][] = [];
  for (const cell of cells) {
    const last = runs.at(-1);
    if (last && last[1] === cell - 1) last[1] = cell;
    else runs.push([cell, cell]);
  }
  return runs;
}

const SHOWN: { readonly [Unit in NumberCells['unit']]: (number: number) => string } = {
  number: String,
  level: (number) => String(LEVELS[number]),
  day: dayOfNumber,
  age: (number) => `${number} ${number === 1 ? 'day' : 'days'} old`,
};

function runWords({ firstValue }: Axis, { unit, steps }: NumberCells, [from, to]: Run): string {
  const { firsts, most, isWhole } = steps;
  const [first, next] = [firsts[from - firstValue] as number, firsts[to - firstValue + 1]];
  const least = isWhole ? { at: first, isIn: true } : beginning(first);
  const end = next === undefined ? { at: most, isIn: true } : isWhole ? { at: next - 1, isIn: true } : endBefore(next);
  const order: Order = { least: firsts[0] as number, most, isWhole, show: SHOWN[unit] };
  const segment: Segment = { least: least.at, hasLeast: least.isIn, most: end.at, hasMost: end.isIn };
  // Ages below 0 are days ahead, and are cut at 0 alone.
  if (unit === 'age' && end.at < 0) return 'still to come';
  if (unit === 'age' && least.at === 0 && order.least < 0 && next === undefined) return 'today or earlier';
  return describeSegment(segment, order);
}

/** A border of a policy has few digits; a number just above one has many, and tells that the border itself is out. */
function beginning(first: number): { readonly at: number; readonly isIn: boolean } {
  const border = -nextUp(-first);
  return String(border).length < String(first).length ? { at: border, isIn: false } : { at: first, isIn: true };
}

function endBefore(next: number): { readonly at: number; readonly isIn: boolean } {
  const { at, isIn } = beginning(next);
  return { at, isIn: !isIn };
}
