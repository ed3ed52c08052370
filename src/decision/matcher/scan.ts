/** The cells in which facts lie -> the rules that fired or are undetermined: the bitwise AND of the cells' vectors. */

import type { Facts } from '../../facts/fact.ts';
import { createCellLookup } from './cell-lookup.ts';
import type { EncodedFacts } from './encoded-facts.ts';
import type { Program } from './program.ts';

/** The facts to decide on. */
export interface ScanInput {
  readonly facts: Facts;
  /** The same facts, if they are encoded by the policy's own table. */
  readonly encoded: EncodedFacts | undefined;
  readonly day: string;
}

/** Called with each rule that fired or is undetermined, in the policy's order. */
export type VisitRule = (rule: number, isFired: boolean) => void;

/** Scans the conjunctions that are active on a day. */
export type Scan = (input: ScanInput, active: Int32Array, visit: VisitRule) => void;

/**
 * Up to this many words, a fact is looked up only while a conjunction that it can rule out is still possible:
 * most facts never are. With more words nearly all facts are needed, and the check costs more than the look-up.
 */
const FEW_WORDS = 4;

/** Creates the scan of a program. */
export function createScan(program: Program): Scan {
  const { words } = program;
  const possible = new Int32Array(words);
  const certain = new Int32Array(words);
  const and = words <= FEW_WORDS ? createSparseAnd(program) : createDenseAnd(program);
  return (input, active, visit) => {
    and(input, active, possible, certain);
    visitRules(program, { possible, certain }, 0, visit);
  };
}

/** Visits the rules of the conjunctions that are possible, each once. The first word of the vectors is at `from`. */
export function visitRules(
  { ruleOf, words }: Program,
  { possible, certain }: { readonly possible: Int32Array; readonly certain: Int32Array },
  from: number,
  visit: VisitRule,
): void {
  let rule = -1;
  let isFired = false;
  for (let word = 0; word < words; word++) {
    for (let rest = possible[from + word] as number; rest !== 0; rest &= rest - 1) {
      const lowest = rest & -rest;
      const next = ruleOf[word * 32 + (31 - Math.clz32(lowest))] as number;
      if (next !== rule) {
        if (rule >= 0) visit(rule, isFired);
        rule = next;
        isFired = false;
      }
      if (((certain[from + word] as number) & lowest) !== 0) isFired = true;
    }
  }
  if (rule >= 0) visit(rule, isFired);
}

/**
 * Writes the active conjunctions that the cells leave possible, and those of them that are certain. A word of
 * `certain` is written only if its word of `possible` is not 0.
 */
type And = (input: ScanInput, active: Int32Array, possible: Int32Array, certain: Int32Array) => void;

/** The cell of a fact that was not looked up yet. */
const NOT_LOOKED_UP = -1;

function createSparseAnd(program: Program): And {
  const { words, axes, bits, isUnsure, lanes, laneAxes, laneMasks } = program;
  const cells = new Int32Array(axes.length);
  const stride = 2 * words;
  const lookUp = createCellLookup(program);
  return (input, active, possible, certain) => {
    // A loop is faster than `fill` for so few cells.
    for (let i = 0; i < cells.length; i++) cells[i] = NOT_LOOKED_UP;
    for (let word = 0; word < words; word++) {
      const begin = lanes[word] as number;
      const end = lanes[word + 1] as number;
      let left = active[word] as number;
      for (let lane = begin; lane < end && left !== 0; lane++) {
        if ((left & (laneMasks[lane] as number)) === 0) continue;
        const axis = laneAxes[lane] as number;
        let cell = cells[axis] as number;
        if (cell < 0) {
          cell = lookUp(axis, input.facts, input.encoded, input.day);
          cells[axis] = cell;
        }
        left &= bits[cell * stride + word] as number;
      }
      possible[word] = left;
      if (left === 0) continue;
      // Stops once no conjunction is left that an axis could rule out.
      for (let lane = begin; lane < end && left !== 0; lane++) {
        if ((left & (laneMasks[lane] as number)) === 0) continue;
        const cell = cells[laneAxes[lane] as number] as number;
        if ((isUnsure[cell] as number) !== 0) left &= bits[cell * stride + words + word] as number;
      }
      certain[word] = left;
    }
  };
}

/** The number of axes whose vectors are combined at once; each has a variable below. */
const GROUP = 8;

function createDenseAnd(program: Program): And {
  const { words, bits, isUnsure, axes } = program;
  const stride = 2 * words;
  const lookUp = createCellLookup(program);
  const axisCount = axes.length;
  // Places after the last axis hold the vector that rules out nothing.
  const starts = new Int32Array(Math.ceil(axisCount / GROUP) * GROUP).fill(bits.length - words);
  const unsure = new Int32Array(axisCount);
  return (input, active, possible, certain) => {
    possible.set(active);
    let unsureCount = 0;
    for (let i = 0; i < axisCount; i++) {
      const cell = lookUp(i, input.facts, input.encoded, input.day);
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
