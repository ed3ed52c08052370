/** A policy -> its rules as bits: for each cell of each axis, the conjunctions that it leaves possible and certain. */

import type { FactTable } from '../../facts/catalog.ts';
import { type Axis, Cells, cellsIn } from '../../policy/cells/cells.ts';
import { type ConjunctionDraft, Conjunctions } from '../../policy/cells/conjunctions.ts';
import { type Condition, type Policy, testsOf } from '../../policy/language.ts';

/** The cells of a condition that is evaluated directly because its disjunctive form would be too large. */
export const DIRECT_CELLS = { unknown: 0, true: 1, false: 2 } as const;

/** An axis and the position of its vectors. */
export interface BitAxis {
  /** An axis of facts, or a condition with the three cells `DIRECT_CELLS`. */
  readonly source: Axis | Condition;
  /** The index of its first cell among the cells of all axes. */
  readonly firstCell: number;
}

/** A compiled policy. Immutable, so it can be shared. */
export interface Program {
  readonly policy: Policy;
  /** The cells of its tests, on the axes. */
  readonly cells: Cells;
  /** The number of 32-bit words of a vector. */
  readonly words: number;
  /**
   * Two vectors for each cell of each axis: the conjunctions that it leaves possible, then those that it leaves
   * certain. The last vector of all rules out nothing.
   */
  readonly bits: Int32Array;
  /** By cell, 1 if its two vectors differ. */
  readonly isUnsure: Uint8Array;
  readonly axes: readonly BitAxis[];
  /** By word, the index of its first lane in `laneAxes`: an axis that can rule out some of its conjunctions. */
  readonly lanes: Int32Array;
  /** By lane, the index of its axis (most valuable first in a word), and the conjunctions that it can rule out. */
  readonly laneAxes: Int32Array;
  readonly laneMasks: Int32Array;
  /** By conjunction, the index of its rule. Conjunctions are in the order of rules. */
  readonly ruleOf: Int32Array;
  /** The vector of all conjunctions. */
  readonly every: Int32Array;
}

/** Compiles a policy for any day: rules that are not active are masked at the decision. */
export function compileProgram(policy: Policy): Program {
  const cells = new Cells(
    policy.rules.flatMap(({ when }) => [...testsOf(when)]),
    policy.facts,
  );
  const conjunctions = new Conjunctions(cells);
  const { drafts, ruleOf } = draftsOf(policy, conjunctions);
  const words = Math.ceil(drafts.length / 32);
  const every = firstBits(drafts.length, words);
  const vectors = buildVectors(drafts, words, every);
  const packed = packVectors(vectors, every);
  return {
    policy,
    cells,
    words,
    ruleOf: Int32Array.from(ruleOf),
    every,
    ...packed,
    ...planLanes(packed, vectors, every, policy.facts),
  };
}

/** The most words of the vectors of all cells: 64 MB. */
const MOST_WORDS = 2 ** 24;

/** The conjunctions of all rules, by conjunction with the index of its rule. */
function draftsOf({ rules }: Policy, conjunctions: Conjunctions) {
  const pairs = rules.flatMap(({ when }, rule) =>
    (conjunctions.drafts(when) ?? [when]).map((draft) => ({ draft, rule })),
  );
  const drafts = pairs.map(({ draft }) => draft);
  if (2 * countCells(drafts) * Math.ceil(drafts.length / 32) <= MOST_WORDS) {
    return { drafts, ruleOf: pairs.map(({ rule }) => rule) };
  }
  // With thousands of alternatives on facts of thousands of values, each rule is evaluated as a whole.
  return { drafts: rules.map(({ when }) => when), ruleOf: [...rules.keys()] };
}

/** The number of cells of all axes that occur in conjunctions. */
export function countCells(drafts: readonly (ConjunctionDraft | Condition)[]): number {
  const axes = new Set(drafts.flatMap((draft) => ('kind' in draft ? [] : [...draft.keys()])));
  const direct = drafts.filter((draft) => 'kind' in draft).length;
  return [...axes].reduce((sum, { cells }) => sum + cells.length, Object.keys(DIRECT_CELLS).length * direct);
}

/** By axis, two vectors for each of its cells: the conjunctions it leaves possible, then those it leaves certain. */
export type AxisVectors = ReadonlyMap<Axis | Condition, Int32Array>;

/** Builds the vectors of all axes that occur in conjunctions. `every` is the vector of all, of `words` words. */
export function buildVectors(
  drafts: readonly (ConjunctionDraft | Condition)[],
  words: number,
  every: Int32Array,
): AxisVectors {
  const vectors = new Map<Axis | Condition, Int32Array>();
  /** By axis, the conjunctions that do not test it. */
  const others = new Map<Axis | Condition, Int32Array>();
  for (const [conjunction, draft] of drafts.entries()) {
    const word = conjunction >> 5;
    const bit = 1 << (conjunction & 31);
    const mark = (source: Axis | Condition, cellCount: number, sets: readonly (readonly number[])[]) => {
      const bits = vectors.get(source) ?? new Int32Array(cellCount * 2 * words);
      const rest = others.get(source) ?? every.slice();
      vectors.set(source, bits);
      others.set(source, rest);
      rest[word] = (rest[word] as number) & ~bit;
      for (const [which, cells] of sets.entries()) {
        for (const cell of cells) {
          const at = (cell * 2 + which) * words + word;
          bits[at] = (bits[at] as number) | bit;
        }
      }
    };
    if ('kind' in draft) {
      mark(draft, 3, [[DIRECT_CELLS.unknown, DIRECT_CELLS.true], [DIRECT_CELLS.true]]);
      continue;
    }
    for (const [axis, { certain, possible }] of draft) {
      mark(axis, axis.cells.length, [cellsIn(possible), cellsIn(certain)]);
    }
  }
  for (const [source, bits] of vectors) {
    const rest = others.get(source) ?? every;
    for (let at = 0; at < bits.length; at += words) {
      for (let word = 0; word < words; word++) bits[at + word] = (bits[at + word] as number) | (rest[word] as number);
    }
  }
  return vectors;
}

const NO_BITS = new Int32Array(0);

/** An axis that can rule out conjunctions of a word. */
interface Lane {
  readonly axis: number;
  readonly mask: number;
  /** How many of the word's conjunctions a cell rules out on average, divided by the cost of finding the cell. */
  readonly worth: number;
}

/** The relative cost of finding a cell, as measured: a code is read, a number searched, a text hashed. */
const COSTS = { level: 0.9, number: 1.2, day: 1.2, age: 1.5, years: 1.6, text: 1.6, name: 0.9, other: 3 } as const;

function costOf(source: Axis | Condition, facts: FactTable): number {
  if ('kind' in source || source.other !== undefined) return COSTS.other;
  if (source.numbers) return COSTS[source.numbers.unit];
  if (!source.named) return COSTS.other;
  return facts.get(source.fact)?.type === 'string' ? COSTS.text : COSTS.name;
}

function planLanes(
  { axes }: Pick<Program, 'axes'>,
  vectors: AxisVectors,
  every: Int32Array,
  facts: FactTable,
): Pick<Program, 'lanes' | 'laneAxes' | 'laneMasks'> {
  const words = every.length;
  const ofWord = Array.from({ length: words }, (): Lane[] => []);
  // In the order of memory, word by word within an axis: 10,000 rules then compile in a fraction of the time.
  for (const [axis, { source }] of axes.entries()) {
    const bits = vectors.get(source) ?? NO_BITS;
    const masks = new Int32Array(words);
    const ruledOut = new Float64Array(words);
    for (let at = 0; at < bits.length; at += 2 * words) {
      for (let word = 0; word < words; word++) {
        const wholeWord = every[word] as number;
        const not = wholeWord & ~(bits[at + word] as number);
        masks[word] = (masks[word] as number) | not | (wholeWord & ~(bits[at + words + word] as number));
        ruledOut[word] = (ruledOut[word] as number) + countBits(not);
      }
    }
    const cells = bits.length / (2 * words);
    const cost = costOf(source, facts);
    for (const [word, mask] of masks.entries()) {
      if (mask !== 0) ofWord[word]?.push({ axis, mask, worth: (ruledOut[word] as number) / cells / cost });
    }
  }
  const lanes = new Int32Array(words + 1);
  for (const [word, lanesOfWord] of ofWord.entries()) {
    lanesOfWord.sort((one, other) => other.worth - one.worth);
    lanes[word + 1] = (lanes[word] as number) + lanesOfWord.length;
  }
  const all = ofWord.flat();
  const laneAxes = Int32Array.from(all, ({ axis }) => axis);
  return { lanes, laneAxes, laneMasks: Int32Array.from(all, ({ mask }) => mask) };
}

export function countBits(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** Packs all vectors into one array. The axes that rule out the most come first, so that most words are empty early. */
function packVectors(vectors: AxisVectors, every: Int32Array): Pick<Program, 'axes' | 'bits' | 'isUnsure'> {
  const words = every.length;
  const stride = 2 * words;
  const inOrder = [...vectors]
    .map(([source, vector]) => ({ source, vector, share: sharePossible(vector, words) }))
    .sort((one, other) => one.share - other.share);
  const size = inOrder.reduce((sum, { vector }) => sum + vector.length, 0);
  const bits = new Int32Array(size + words);
  bits.set(every, size);
  let at = 0;
  const axes = inOrder.map(({ source, vector }) => {
    bits.set(vector, at);
    const axis = { source, firstCell: words === 0 ? 0 : at / stride };
    at += vector.length;
    return axis;
  });
  const isUnsure = new Uint8Array(words === 0 ? 0 : size / stride);
  for (let cell = 0; cell < isUnsure.length; cell++) {
    const possible = cell * stride;
    for (let i = possible; i < possible + words && isUnsure[cell] === 0; i++) {
      if (bits[i] !== bits[i + words]) isUnsure[cell] = 1;
    }
  }
  return { axes, bits, isUnsure };
}

/** A measure of the conjunctions that the cells of an axis leave possible, on average. */
function sharePossible(bits: Int32Array, words: number): number {
  let possible = 0;
  for (let at = 0; at < bits.length; at += 2 * words) {
    for (let word = 0; word < words; word++) possible += countBits(bits[at + word] ?? 0);
  }
  return possible / bits.length;
}

/** The vector of the first `count` conjunctions. */
export function firstBits(count: number, words: number): Int32Array {
  return Int32Array.from({ length: words }, (_, word) => {
    const left = count - word * 32;
    return left >= 32 ? -1 : (1 << left) - 1;
  });
}
