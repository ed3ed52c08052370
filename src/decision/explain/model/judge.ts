/** What the facts leave of every conjunction -> the outcome; or, where facts are open, the outcomes that are left. */

import type { Outcome, Rule } from '../../../policy/language.ts';
import { OutcomeTally, strictness, type Weight, weigh } from '../../meaning/outcome.ts';
import type { ConjunctiveForm } from './conjunctive-form.ts';
import { CAN_BE, OutcomeRange, type Outcomes } from './outcome-range.ts';
import { meetAll, PARTS, type TruthBounds } from './truth-bounds.ts';

/** A policy on a day, of which facts are asked. */
export interface Judge {
  /** The outcome where every leeway is that of a single value. */
  outcome(leeways: readonly TruthBounds[]): Outcome;
  /** The outcomes that are left: never too few; too many where tests or rules depend on each other in what is open. */
  possible(leeways: readonly TruthBounds[]): Outcomes;
  /** Tells of each conjunction that is possible for some of the values, and of its rule. */
  visit(leeways: readonly TruthBounds[], tell: (conjunction: number, rule: Rule) => void): void;
  /** How often it was asked. */
  readonly asked: number;
}

/** So often a judge is asked in one search at most, and about so many words of bit vectors: a second or two of work. */
const MOST_QUESTIONS = 60_000;
const MOST_WORDS = 5e8;

/** How often a search may ask a judge of so many facts, where each question is about so many words. */
export function questionsFor(words: number, facts: number): number {
  return Math.min(MOST_QUESTIONS, MOST_WORDS / Math.max(1, 5 * words * facts));
}

/** The outcome as a bit. */
export function outcomeBit(outcome: Outcome): Outcomes {
  return 1 << strictness(outcome);
}

export function createJudge({ policy, rules, ruleOf, mask }: ConjunctiveForm): Judge {
  const words = mask.length;
  const weights = rules.map(weigh);
  const tally = new OutcomeTally(policy);
  const range = new OutcomeRange(policy);
  const scratch = new Int32Array(words * 5);
  let asked = 0;

  const scan = (tell: (conjunction: number, weight: Weight) => void) => {
    for (let word = 0; word < words; word++) {
      for (let rest = scratch[word] as number; rest !== 0; rest &= rest - 1) {
        const conjunction = word * 32 + (31 - Math.clz32(rest & -rest));
        tell(conjunction, weights[ruleOf[conjunction] as number] as Weight);
      }
    }
  };
  const has = (part: number, conjunction: number) =>
    ((scratch[part * words + (conjunction >> 5)] as number) & (1 << (conjunction & 31))) !== 0;

  return {
    get asked() {
      return asked;
    },
    outcome(leeways) {
      asked += 1;
      meetAll(leeways, mask, scratch);
      tally.reset();
      let last: Weight | undefined;
      let isFired = false;
      scan((conjunction, weight) => {
        if (weight !== last) {
          if (last) tally.add(last, isFired);
          last = weight;
          isFired = false;
        }
        if (has(PARTS.canBeCertain, conjunction)) isFired = true;
      });
      if (last) tally.add(last, isFired);
      return tally.settle().outcome;
    },
    possible(leeways) {
      asked += 1;
      meetAll(leeways, mask, scratch);
      range.reset();
      let last: Weight | undefined;
      let marks = 0;
      scan((conjunction, weight) => {
        if (weight !== last) {
          if (last) range.add(last, truthsOf(marks));
          last = weight;
          marks = 0;
        }
        if (has(PARTS.canBeCertain, conjunction)) marks |= CAN_BE.true;
        if (has(PARTS.canBeOpen, conjunction)) marks |= CAN_BE.unknown;
        if (has(PARTS.isPossible, conjunction)) marks |= NOT_FALSE;
        if (has(PARTS.isCertain, conjunction)) marks |= SURE;
      });
      if (last) range.add(last, truthsOf(marks));
      return range.outcomes();
    },
    visit(leeways, tell) {
      meetAll(leeways, mask, scratch);
      scan((conjunction, weight) => tell(conjunction, weight.rule));
    },
  };
}

/** Marks of a rule with a conjunction that no value makes false, or that every value makes true. */
const NOT_FALSE = 8;
const SURE = 16;

function truthsOf(marks: number): number {
  if (marks & SURE) return CAN_BE.true;
  const truths = marks & (CAN_BE.true | CAN_BE.unknown);
  return marks & NOT_FALSE && truths !== 0 ? truths : truths | CAN_BE.false;
}
