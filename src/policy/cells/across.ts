/** Cells of one axis of a text -> the cells of another axis of it in which the same texts may lie. */

import { cached } from '../../platform/cached.ts';
import { type Axis, cellsIn } from './cells.ts';
import { canShare } from './text-forms.ts';

/** By axis, by another axis of the same text, by cell of the first: the cells of the other. */
const rowsOf = cached((_: Axis) => cached((__: Axis): bigint[] => []));

/** The cells of `to` of facts that lie in a set of cells of `from`; those of states other than a value always are. */
export function cellsAcross(from: Axis, set: bigint, to: Axis): bigint {
  const every = (1n << BigInt(to.cells.length)) - 1n;
  if (from === to || !from.formOf || !to.formOf) return every;
  const rows = rowsOf(from)(to);
  let cells = (1n << BigInt(to.firstValue)) - 1n;
  for (const cell of cellsIn(set)) {
    if (cell < from.firstValue) continue;
    rows[cell] ??= cellsSharing(from, cell, to);
    cells |= rows[cell];
    if (cells === every) break;
  }
  return cells;
}

function cellsSharing(from: Axis, cell: number, to: Axis): bigint {
  const form = from.formOf?.(cell);
  let cells = 0n;
  for (let other = to.firstValue; other < to.cells.length; other++) {
    const otherForm = to.formOf?.(other);
    if (!form || !otherForm || canShare(form, otherForm)) cells |= 1n << BigInt(other);
  }
  return cells;
}
