/** A policy -> its rules as bits over cells: for every axis and cell, which conjunctions it leaves possible and certain. */

import { type Axis, Cells } from '../../policy/cells.ts';
import { Conjunctions, type Draft } from '../../policy/conjunctions.ts';
import { type Condition, type Policy, testsOf } from '../../policy/language.ts';

/** The cells of a condition that is evaluated directly, since its disjunctive form would be too large. */
export const DIRECT_CELLS = { unknown: 0, true: 1, false: 2 } as const;

/** One way of looking at facts, and where its vectors stand. */
export interface BitAxis {
  /** An axis of a fact; or a condition, which has the three cells `DIRECT_CELLS`. */
  readonly source: Axis | Condition;
  /** The place of the first cell's vectors in `bits`; those of each cell follow those of the one before. */
  readonly base: number;
}

/** A compiled policy. Immutable, and shared freely. */
export interface Program {
  readonly policy: Policy;
  /** How many 32-bit words a vector has. */
  readonly words: number;
  /** For each cell of each axis two vectors: the conjunctions that it leaves possible, then those that it leaves certain. */
  readonly bits: Int32Array;
  /** Those that rule out the most first, so that most words are soon empty. */
  readonly axes: readonly BitAxis[];
  /** By conjunction, the index of its rule. Those of a rule stand together, and rules in the policy's order. */
  readonly ruleOf: Int32Array;
  /** The vector of all conjunctions. */
  readonly every: Int32Array;
}

/** Compiles a policy. Nothing else counts: the day comes with each decision. */
export function compileProgram(policy: Policy): Program {
  const cells = new Cells(
    policy.rules.flatMap(({ when }) => [...testsOf(when)]),
    policy.facts,
  );
  const conjunctions = new Conjunctions(cells);
  const drafts: (Draft | Condition)[] = [];
  const ruleOf: number[] = [];
  for (const [i, { when }] of policy.rules.entries()) {
    for (const draft of conjunctions.drafts(when) ?? [when]) {
      drafts.push(draft);
      ruleOf.push(i);
    }
  }
  const words = Math.ceil(drafts.length / 32);
  const every = firstBits(drafts.length, words);
  const drawn = drawAxes(drafts, words, every);
  const { axes, bits } = layOut(drawn);
  return { policy, words, bits, axes, ruleOf: Int32Array.from(ruleOf), every };
}

/** An axis with the vectors of its cells. */
interface DrawnAxis {
  readonly source: Axis | Condition;
  readonly bits: Int32Array;
  /** The share of conjunctions that its cells leave possible, on average. */
  readonly leaves: number;
}

function drawAxes(drafts: readonly (Draft | Condition)[], words: number, every: Int32Array): readonly DrawnAxis[] {
  const vectors = new Map<Axis | Condition, Int32Array>();
  const vectorsOf = (source: Axis | Condition, cellCount: number) => {
    let bits = vectors.get(source);
    if (!bits) {
      bits = new Int32Array(cellCount * 2 * words);
      for (let at = 0; at < bits.length; at += words) bits.set(every, at);
      vectors.set(source, bits);
    }
    return bits;
  };
  for (const [conjunction, draft] of drafts.entries()) {
    const word = conjunction >> 5;
    const rest = ~(1 << (conjunction & 31));
    const forbid = (bits: Int32Array, cell: number, which: 0 | 1) => {
      const at = (cell * 2 + which) * words + word;
      bits[at] = (bits[at] ?? 0) & rest;
    };
    if ('kind' in draft) {
      const bits = vectorsOf(draft, 3);
      forbid(bits, DIRECT_CELLS.unknown, 1);
      forbid(bits, DIRECT_CELLS.false, 0);
      forbid(bits, DIRECT_CELLS.false, 1);
      continue;
    }
    for (const [axis, { certain, possible }] of draft) {
      const bits = vectorsOf(axis, axis.cells.length);
      for (const cell of axis.cells.keys()) {
        if (((possible >> BigInt(cell)) & 1n) === 0n) forbid(bits, cell, 0);
        if (((certain >> BigInt(cell)) & 1n) === 0n) forbid(bits, cell, 1);
      }
    }
  }
  const drawn = [...vectors].map(([source, bits]) => ({ source, bits, leaves: shareLeft(bits, words) }));
  return drawn.sort((one, other) => one.leaves - other.leaves);
}

function shareLeft(bits: Int32Array, words: number): number {
  let left = 0;
  for (let at = 0; at < bits.length; at += 2 * words) {
    for (let word = 0; word < words; word++) left += countBits(bits[at + word] ?? 0);
  }
  return left / bits.length;
}

function countBits(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

function layOut(drawn: readonly DrawnAxis[]): Pick<Program, 'axes' | 'bits'> {
  const bits = new Int32Array(drawn.reduce((sum, axis) => sum + axis.bits.length, 0));
  let base = 0;
  const axes = drawn.map((axis) => {
    bits.set(axis.bits, base);
    const placed = { source: axis.source, base };
    base += axis.bits.length;
    return placed;
  });
  return { axes, bits };
}

function firstBits(count: number, words: number): Int32Array {
  return Int32Array.from({ length: words }, (_, word) => {
    const left = count - word * 32;
    return left >= 32 ? -1 : (1 << left) - 1;
  });
}
