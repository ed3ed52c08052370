/** A policy -> its rules as bits over cells: for every axis and cell, which conjunctions it leaves possible and certain. */

import type { FactTable } from '../../facts/catalog.ts';
import { type Axis, Cells } from '../../policy/cells/cells.ts';
import { type ConjunctionDraft, Conjunctions } from '../../policy/cells/conjunctions.ts';
import { type Condition, type Policy, testsOf } from '../../policy/language.ts';

/** The cells of a condition that is evaluated directly, since its disjunctive form would be too large. */
export const DIRECT_CELLS = { unknown: 0, true: 1, false: 2 } as const;

/** One way of looking at facts, and where its vectors stand. */
export interface BitAxis {
  /** An axis of a fact; or a condition, which has the three cells `DIRECT_CELLS`. */
  readonly source: Axis | Condition;
  /** Its first cell among those of all axes. */
  readonly firstCell: number;
}

/** A compiled policy. Immutable, and shared freely. */
export interface Program {
  readonly policy: Policy;
  /** How many 32-bit words a vector has. */
  readonly words: number;
  /**
   * For each cell of each axis two vectors: the conjunctions that it leaves possible, then those that it leaves certain.
   * Behind them a vector that rules out nothing.
   */
  readonly bits: Int32Array;
  /** By cell, 1 where its two vectors are not the same. */
  readonly isUnsure: Uint8Array;
  readonly axes: readonly BitAxis[];
  /** For each word in turn, from `lanes[word]` on, the axes that can rule out any of its conjunctions. */
  readonly lanes: Int32Array;
  /** Axes by their place, those first that are worth the most, and which conjunctions of the word each speaks of. */
  readonly laneAxes: Int32Array;
  readonly laneMasks: Int32Array;
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
  const drafts: (ConjunctionDraft | Condition)[] = [];
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
  const laidOut = layOut(drawn, every);
  return {
    policy,
    words,
    ruleOf: Int32Array.from(ruleOf),
    every,
    ...laidOut,
    ...drawLanes(laidOut, drawn, every, policy.facts),
  };
}

/** By axis, for each of its cells two vectors: the conjunctions that it leaves possible, then those that it leaves certain. */
export type DrawnAxes = ReadonlyMap<Axis | Condition, Int32Array>;

/** Draws the axes that conjunctions speak of, among `every` one of them, as vectors of so many words. */
export function drawAxes(
  drafts: readonly (ConjunctionDraft | Condition)[],
  words: number,
  every: Int32Array,
): DrawnAxes {
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
  return vectors;
}

const NO_BITS = new Int32Array(0);

/** How the axes of one word come, one after the other. */
interface Lane {
  readonly axis: number;
  readonly mask: number;
  /** How many of the word's conjunctions a cell rules out, on average, for what it costs to find the cell. */
  readonly worth: number;
}

/** What it costs to find a cell, measured: a code is read, a number looked for, a text hashed. Only as exact as an order needs. */
const COSTS = { level: 0.9, number: 1.2, day: 1.2, age: 1.5, text: 1.6, name: 0.9, other: 3 } as const;

function costOf(source: Axis | Condition, facts: FactTable): number {
  if ('kind' in source || source.other !== undefined) return COSTS.other;
  if (source.numbers) return COSTS[source.numbers.unit];
  if (!source.named) return COSTS.other;
  return facts.get(source.fact)?.type === 'string' ? COSTS.text : COSTS.name;
}

function drawLanes(
  { axes }: Pick<Program, 'axes'>,
  drawn: DrawnAxes,
  every: Int32Array,
  facts: FactTable,
): Pick<Program, 'lanes' | 'laneAxes' | 'laneMasks'> {
  const words = every.length;
  const lanes = new Int32Array(words + 1);
  const all: Lane[] = [];
  for (const [word, whole] of every.entries()) {
    const ofWord: Lane[] = [];
    for (const [axis, { source }] of axes.entries()) {
      const bits = drawn.get(source) ?? NO_BITS;
      let mask = 0;
      let ruledOut = 0;
      for (let at = word; at < bits.length; at += 2 * words) {
        const not = whole & ~(bits[at] ?? 0);
        mask |= not | (whole & ~(bits[at + words] ?? 0));
        ruledOut += countBits(not);
      }
      const worth = (ruledOut * 2 * words) / bits.length / costOf(source, facts);
      if (mask !== 0) ofWord.push({ axis, mask, worth });
    }
    all.push(...ofWord.sort((one, other) => other.worth - one.worth));
    lanes[word + 1] = all.length;
  }
  const laneAxes = Int32Array.from(all, ({ axis }) => axis);
  return { lanes, laneAxes, laneMasks: Int32Array.from(all, ({ mask }) => mask) };
}

function countBits(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** The axes that rule out the most first, so that most words are soon empty. */
function layOut(drawn: DrawnAxes, every: Int32Array): Pick<Program, 'axes' | 'bits' | 'isUnsure'> {
  const words = every.length;
  const stride = 2 * words;
  const inOrder = [...drawn]
    .map(([source, own]) => ({ source, own, leaves: shareLeft(own, words) }))
    .sort((one, other) => one.leaves - other.leaves);
  const size = inOrder.reduce((sum, { own }) => sum + own.length, 0);
  const bits = new Int32Array(size + words);
  bits.set(every, size);
  let at = 0;
  const axes = inOrder.map(({ source, own }) => {
    bits.set(own, at);
    const placed = { source, firstCell: words === 0 ? 0 : at / stride };
    at += own.length;
    return placed;
  });
  const isUnsure = Uint8Array.from({ length: words === 0 ? 0 : size / stride }, (_, cell) => {
    const possible = cell * stride;
    for (let i = possible; i < possible + words; i++) if (bits[i] !== bits[i + words]) return 1;
    return 0;
  });
  return { axes, bits, isUnsure };
}

/** The share of conjunctions that the cells of an axis leave possible, on average. */
function shareLeft(bits: Int32Array, words: number): number {
  let left = 0;
  for (let at = 0; at < bits.length; at += 2 * words) {
    for (let word = 0; word < words; word++) left += countBits(bits[at + word] ?? 0);
  }
  return left / bits.length;
}

/** The vector of the first so many conjunctions. */
export function firstBits(count: number, words: number): Int32Array {
  return Int32Array.from({ length: words }, (_, word) => {
    const left = count - word * 32;
    return left >= 32 ? -1 : (1 << left) - 1;
  });
}
