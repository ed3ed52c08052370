/** Bounds on the truth of every conjunction -> the outcome, or the outcomes that are possible while facts are open. */

import { type Weight, weigh } from '../../../policy/weight.ts';
import { OutcomeTally } from '../../meaning/outcome.ts';
import { OutcomeRange } from '../../meaning/outcome-range.ts';
import { TRUTH_BITS } from '../../meaning/truth.ts';
import type { Work } from '../steps.ts';
import type { ConjunctiveForm } from './conjunctive-form.ts';
import { meetAll, PARTS, type TruthBounds } from './truth-bounds.ts';

/** Evaluates one policy on one day. */
export type Judge = ReturnType<typeof createJudge>;

/** The most questions in one search, and the most words of bit vectors that they read: a second or two of work. */
const MOST_QUERIES = 60_000;
const MOST_WORDS = 5e8;

/** How many questions a search may ask about `facts` facts and vectors of `words` words. */
export function queryBudget(words: number, facts: number): number {
  return Math.min(MOST_QUERIES, MOST_WORDS / Math.max(1, 5 * words * facts));
}

export function createJudge({ policy, rules, ruleOf, mask }: ConjunctiveForm, work: Work) {
  const words = mask.length;
  const weights = rules.map(weigh);
  const tally = new OutcomeTally(policy);
  const scratch = new Int32Array(words * 5);
  let queries = 0;

  const has = (part: number, conjunction: number) =>
    ((scratch[part * words + (conjunction >> 5)] as number) & (1 << (conjunction & 31))) !== 0;

  /** Calls `add` once for every rule that can be true, with the marks of its possible conjunctions. */
  const forEachRule = (
    bounds: readonly TruthBounds[],
    marksOf: (conjunction: number) => number,
    add: (weight: Weight, marks: number) => void,
  ) => {
    queries += 1;
    work.spend(5 * words * bounds.length + 100);
    meetAll(bounds, mask, scratch);
    let last: Weight | undefined;
    let marks = 0;
    for (let word = 0; word < words; word++) {
      for (let rest = scratch[word] as number; rest !== 0; rest &= rest - 1) {
        const conjunction = word * 32 + (31 - Math.clz32(rest & -rest));
        const weight = weights[ruleOf[conjunction] as number] as Weight;
        if (weight !== last) {
          if (last) add(last, marks);
          last = weight;
          marks = 0;
        }
        marks |= marksOf(conjunction);
      }
    }
    if (last) add(last, marks);
  };

  const firedMark = (conjunction: number) => (has(PARTS.canBeCertain, conjunction) ? TRUTH_BITS.true : 0);
  const truthMarks = (conjunction: number) =>
    firedMark(conjunction) |
    (has(PARTS.canBeOpen, conjunction) ? TRUTH_BITS.unknown : 0) |
    (has(PARTS.isPossible, conjunction) ? NOT_FALSE : 0) |
    (has(PARTS.isCertain, conjunction) ? SURE : 0);

  return {
    /** How many questions it has answered. */
    get queries() {
      return queries;
    },
    /** The outcome. All bounds must be those of single values. */
    outcome(bounds: readonly TruthBounds[]) {
      tally.reset();
      forEachRule(bounds, firedMark, (weight, marks) => tally.add(weight, marks !== 0));
      return tally.answer().outcome;
    },
    /** The possible outcomes: never too few; too many if tests or rules depend on each other through an open fact. */
    possible(bounds: readonly TruthBounds[]) {
      const range = new OutcomeRange(policy);
      forEachRule(bounds, truthMarks, (weight, marks) => range.add(weight, truthsOf(marks)));
      return range.outcomes();
    },
  };
}

/** Marks of a rule with a conjunction that no value makes false, or that every value makes true. */
const NOT_FALSE = 8;
const SURE = 16;

function truthsOf(marks: number): number {
  if (marks & SURE) return TRUTH_BITS.true;
  const truths = marks & (TRUTH_BITS.true | TRUTH_BITS.unknown);
  return marks & NOT_FALSE && truths !== 0 ? truths : truths | TRUTH_BITS.false;
}
