/** Cells of an axis -> the values of a fact that lie in them, in words. */

import { NEVER } from '../../facts/fact.ts';
import type { Axis } from '../../policy/cells/cells.ts';
import { describeSegment, type Segment, startOf } from '../../policy/cells/segments.ts';
import type { NumberCells } from '../../policy/cells/value-axis.ts';

/** The cell of `never` on the axes of a date. */
export const NEVER_CELL = 1;

/** All values of a date but `never`. */
export const ANY_DAY = 'any day';

/** The values in the given cells, in words; undefined for all values. `cells` are ascending, without missing. */
export function describeCells(axis: Axis, cells: readonly number[]): string | undefined {
  const { firstValue } = axis;
  const all = Array.from({ length: axis.cells.length - 1 }, (_, i) => i + 1);
  const others = all.filter((cell) => !cells.includes(cell));
  if (others.length === 0) return undefined;
  const hasNever = firstValue === 2 && cells.includes(NEVER_CELL);
  const values = cells.filter((cell) => cell >= firstValue);
  if (firstValue === 2 && values.length === all.length - 1) return ANY_DAY;
  const words = axis.numbers
    ? runsIn(values).map((run) => describeRun(axis, axis.numbers as NumberCells, run))
    : values.map((cell) => axis.cells[cell]?.words ?? '');
  const text = either([...words, ...(hasNever ? [NEVER] : [])]);
  const opposite = `anything but ${either(others.map((cell) => axis.cells[cell]?.words ?? ''))}`;
  // For ordered values and pairs of facts the opposite would be harder to read.
  return axis.isOrdered || axis.other !== undefined || text.length <= opposite.length ? text : opposite;
}

/** `voip, pager or other`. */
function either(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last;
}

/** The first and the last of adjacent cells. */
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

function describeRun({ firstValue }: Axis, { unit, steps, order }: NumberCells, [from, to]: Run): string {
  const { firsts, most, isWhole } = steps;
  const [first, next] = [firsts[from - firstValue] as number, firsts[to - firstValue + 1]];
  const least = isWhole ? { at: first, isIn: true } : startOf(first);
  const end = next === undefined ? { at: most, isIn: true } : isWhole ? { at: next - 1, isIn: true } : endBefore(next);
  const segment: Segment = { least: least.at, hasLeast: least.isIn, most: end.at, hasMost: end.isIn };
  const isRange = segment.least !== segment.most && segment.hasLeast && segment.hasMost;
  const [isFirst, isLast] = [segment.least === order.least, segment.most === order.most];
  if (unit === 'level' && isRange && isFirst !== isLast) {
    return isLast ? `${order.show(segment.least)} or more` : `${order.show(segment.most)} or less`;
  }
  // The unit of a range stands once: `21 to 30 days old`.
  if (order.showAhead && least.at >= 0 && isRange && !isFirst && !isLast) {
    return `${segment.least} to ${order.show(segment.most)}`;
  }
  return describeSegment(segment, order);
}

function endBefore(next: number): { readonly at: number; readonly isIn: boolean } {
  const { at, isIn } = startOf(next);
  return { at, isIn: !isIn };
}
