/** The cells in which facts lie -> the rules that fired or are undetermined: the vectors of the cells, anded. */

import type { Facts } from '../../facts/fact.ts';
import { planCellLookup } from './cell-lookup.ts';
import type { EncodedFacts } from './encoded-facts.ts';
import type { Program } from './program.ts';

/** Who is decided on. */
export interface Given {
  readonly facts: Facts;
  /** The facts laid out by the policy's own table, where they are. */
  readonly row: EncodedFacts | undefined;
  readonly day: string;
}

/** Told of each rule that fired or is undetermined, in the policy's order. */
export type Tell = (rule: number, isFired: boolean) => void;

/**
 * Scans the conjunctions that are active on a day. `cells` says in which cell of each axis the facts lie; where somebody is
 * given, it is written first.
 */
export type Scan = (given: Given | undefined, active: Int32Array, tell: Tell) => void;

/**
 * Up to this many words of conjunctions a fact is looked at only when one that it could rule out is still possible: most
 * never are. With more words nearly all facts are needed, and to ask costs more than to look.
 */
const FEW_WORDS = 4;

/** The scan of a program; `cells` has a place for each of its axes. */
export function createScan(program: Program, cells: Int32Array): Scan {
  const { words, ruleOf } = program;
  const possible = new Int32Array(words);
  const certain = new Int32Array(words);
  const and = words <= FEW_WORDS ? createSparseAnd(program, cells) : createDenseAnd(program, cells);
  return (given, active, tell) => {
    and(given, active, possible, certain);
    let rule = -1;
    let isFired = false;
    for (let word = 0; word < words; word++) {
      for (let rest = possible[word] as number; rest !== 0; rest &= rest - 1) {
        const lowest = rest & -rest;
        const next = ruleOf[word * 32 + (31 - Math.clz32(lowest))] as number;
        if (next !== rule) {
          if (rule >= 0) tell(rule, isFired);
          rule = next;
          isFired = false;
        }
        if (((certain[word] as number) & lowest) !== 0) isFired = true;
      }
    }
    if (rule >= 0) tell(rule, isFired);
  };
}

/**
 * Writes what the cells leave of the active conjunctions into `possible`; and what of that is certain into `certain`, wherever
 * something is possible.
 */
type And = (given: Given | undefined, active: Int32Array, possible: Int32Array, certain: Int32Array) => void;

/** The cell of a fact that was not looked at yet. */
const NOT_PLACED = -1;

function createSparseAnd(program: Program, cells: Int32Array): And {
  const { words, bits, isUnsure, lanes, laneAxes, laneMasks } = program;
  const stride = 2 * words;
  const place = planCellLookup(program);
  return (given, active, possible, certain) => {
    // Of so few a loop is faster than `fill`.
    if (given) for (let i = 0; i < cells.length; i++) cells[i] = NOT_PLACED;
    for (let word = 0; word < words; word++) {
      const begin = lanes[word] as number;
      const end = lanes[word + 1] as number;
      let left = active[word] as number;
      for (let lane = begin; lane < end && left !== 0; lane++) {
        if ((left & (laneMasks[lane] as number)) === 0) continue;
        const axis = laneAxes[lane] as number;
        let cell = cells[axis] as number;
        if (cell < 0 && given) {
          cell = place(axis, given.facts, given.row, given.day);
          cells[axis] = cell;
        }
        left &= bits[cell * stride + word] as number;
      }
      possible[word] = left;
      if (left === 0) continue;
      // Whatever could rule one of those that are left out was looked at.
      for (let lane = begin; lane < end && left !== 0; lane++) {
        if ((left & (laneMasks[lane] as number)) === 0) continue;
        const cell = cells[laneAxes[lane] as number] as number;
        if ((isUnsure[cell] as number) !== 0) left &= bits[cell * stride + words + word] as number;
      }
      certain[word] = left;
    }
  };
}

/** As many axes at a time as there are variables for where their vectors stand. */
const GROUP = 8;

function createDenseAnd(program: Program, cells: Int32Array): And {
  const { words, bits, isUnsure, axes } = program;
  const stride = 2 * words;
  const place = planCellLookup(program);
  const axisCount = axes.length;
  // What stands beyond the last axis rules out nothing.
  const starts = new Int32Array(Math.ceil(axisCount / GROUP) * GROUP).fill(bits.length - words);
  const unsure = new Int32Array(axisCount);
  return (given, active, possible, certain) => {
    possible.set(active);
    let unsureCount = 0;
    for (let i = 0; i < axisCount; i++) {
      const cell = given ? place(i, given.facts, given.row, given.day) : (cells[i] as number);
      const start = cell * stride;
      starts[i] = start;
      if ((isUnsure[cell] as number) !== 0) unsure[unsureCount++] = start + words;
    }
    for (let i = 0; i < starts.length; i += GROUP) {
      const a = starts[i] as number;
      const b = starts[i + 1] as number;
      const c = starts[i + 2] as number;
      const d = starts[i + 3] as number;
      const e = starts[i + 4] as number;
      const f = starts[i + 5] as number;
      const g = starts[i + 6] as number;
      const h = starts[i + 7] as number;
      for (let word = 0; word < words; word++) {
        const left = possible[word] as number;
        if (left === 0) continue;
        possible[word] =
          left &
          (bits[a + word] as number) &
          (bits[b + word] as number) &
          (bits[c + word] as number) &
          (bits[d + word] as number) &
          (bits[e + word] as number) &
          (bits[f + word] as number) &
          (bits[g + word] as number) &
          (bits[h + word] as number);
      }
    }
    for (let word = 0; word < words; word++) {
      let left = possible[word] as number;
      for (let i = 0; i < unsureCount && left !== 0; i++) left &= bits[(unsure[i] as number) + word] as number;
      certain[word] = left;
    }
  };
}
