/** A test of an ordered fact -> the borders at which its truth changes, each with what lies on both of its sides. */

import { type Axis, type Cells, cellsIn } from '../../../policy/cells/cells.ts';
import { nextUp } from '../../../policy/cells/segments.ts';
import type { NumberCells } from '../../../policy/cells/value-axis.ts';
import type { Test } from '../../../policy/language.ts';
import { askedOf } from '../../../policy/operators.ts';

/**
 * What lies on one side of a border: one number, or any number of a cell. Among fractions only the value that the test
 * names is next to its border.
 */
export type Side = { readonly words: string } & ({ readonly number: number } | { readonly cell: number });

/** A border of a test. */
export interface Border {
  readonly axis: Axis;
  /** The lower numbers first. */
  readonly sides: readonly [below: Side, above: Side];
}

/** The borders of a test, lowest first; none for a test against another fact. */
export function bordersOf(test: Test, cells: Cells): readonly Border[] {
  // Of `is` and `in`, the truths say as much.
  if (askedOf(test.operator) !== 'limits') return [];
  const { axis, isTrue } = cells.of(test);
  const { numbers, firstValue } = axis;
  if (!numbers) return [];
  const values = axis.cells.length - firstValue;
  const truths = isTrue >> BigInt(firstValue);
  // The last cell has no neighbour.
  const changes = (truths ^ (truths >> 1n)) & ((1n << BigInt(values - 1)) - 1n);
  return cellsIn(changes).map((cell) => ({ axis, sides: sidesOf(test, cell, axis, numbers) }));
}

/** The sides of the border above a cell, by its index among the values. */
function sidesOf(test: Test, cell: number, { cells, firstValue }: Axis, numbers: NumberCells): Border['sides'] {
  const { steps, show } = numbers;
  const first = steps.firsts[cell + 1] as number;
  const single = (number: number): Side => ({ number, words: show(number) });
  if (steps.isWhole) return [single(first - 1), single(first)];
  const among = (index: number): Side => ({ cell: index, words: cells[index]?.words ?? '' });
  const named = [test.argument].flat().map(Number);
  const last = named.find((number) => nextUp(number) === first);
  if (last === undefined) return [among(firstValue + cell), single(first)];
  return [single(last), among(firstValue + cell + 1)];
}
