/** The truths that each rule can have -> the outcomes that are possible by ranking.ts: never too few of them. */

import { type Facts, isMissing } from '../../facts/fact.ts';
import {
  bandOf,
  OUTCOMES,
  type Outcome,
  type Policy,
  type Rule,
  strictness,
  type Test,
} from '../../policy/language.ts';
import { NOTHING, type Weight, weigh } from '../../policy/weight.ts';
import { decideAlone } from './outcome.ts';
import { bitOf, EVERY_TRUTH, evaluateTest, factAt, TRUTH_BITS, type TruthSet, truthsOf } from './truth.ts';

// These are read for every rule of every search: local constants are a quarter faster than imported ones.
const { false: CAN_BE_FALSE, unknown: CAN_BE_OPEN, true: CAN_FIRE } = TRUTH_BITS;
const NONE = NOTHING;

/** Outcomes as bits. */
export type Outcomes = number;

/** The bit of an outcome in `Outcomes`. */
export function outcomeBit(outcome: Outcome): Outcomes {
  return 1 << strictness(outcome);
}

/** The truths that the final rules with one `then` can have, each rule by itself. */
interface FinalRules {
  /** Whether one of them can fire, and whether one certainly does. */
  canFire: boolean;
  mustFire: boolean;
  /** Whether one that asks for review can be undetermined, and whether one certainly is if it does not fire. */
  canBeOpen: boolean;
  mustBeOpen: boolean;
}

/** Adds up the least and the most that each rule, by itself, can ask for. A rule that is not added is false. */
export class OutcomeRange {
  readonly #policy: Policy;
  /** The final rules by the strictness of their `then`. */
  readonly #finals = OUTCOMES.map((): FinalRules => {
    return { canFire: false, mustFire: false, canBeOpen: false, mustBeOpen: false };
  });
  #least = NONE;
  #most = NONE;
  #isCertainAsked = false;
  #mayCertainBeAsked = false;
  readonly #score = new ScoreRange();

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  add(weight: Weight, truths: number): void {
    if (weight.isFinal) this.#addFinal(weight, truths);
    // If a final rule fires, no other rule asks for anything.
    const asking = weight.isFinal ? truths & ~CAN_FIRE : truths;
    if (asking === 0) return;
    const { fired, undetermined } = weight;
    this.#least = Math.max(this.#least, leastOf(asking, undetermined, fired, NONE));
    this.#most = Math.max(this.#most, mostOf(asking, undetermined, fired, NONE));
    if (fired !== NONE && asking & CAN_FIRE) {
      this.#mayCertainBeAsked = true;
      if (asking === CAN_FIRE) this.#isCertainAsked = true;
    }
    this.#score.add(weight, asking);
  }

  #addFinal({ fired, undetermined }: Weight, truths: number): void {
    const finals = this.#finals[fired];
    if (!finals) return;
    if (truths & CAN_FIRE) finals.canFire = true;
    if (truths === CAN_FIRE) finals.mustFire = true;
    if (undetermined === NONE) return;
    if (truths & CAN_BE_OPEN) finals.canBeOpen = true;
    if ((truths & CAN_BE_FALSE) === 0) finals.mustBeOpen = true;
  }

  /** The outcomes that final rules can decide alone. */
  #decidedAlone(): Outcomes {
    let outcomes = 0;
    for (let fired = this.#finals.length - 1; fired >= 0; fired--) {
      if (this.#finals[fired]?.canFire) outcomes |= this.#outcomesOver(fired);
      if (this.#finals[fired]?.mustFire) break;
    }
    return outcomes;
  }

  /** The outcomes if `fired` is the strictest outcome of the final rules that fire. */
  #outcomesOver(fired: number): Outcomes {
    let outcomes = 0;
    for (let open = this.#finals.length - 1; open > fired; open--) {
      if (this.#finals[open]?.canBeOpen) outcomes |= 1 << decideAlone(fired, open);
      if (this.#finals[open]?.mustBeOpen) return outcomes;
    }
    return outcomes | (1 << decideAlone(fired, NONE));
  }

  outcomes(): Outcomes {
    let outcomes = this.#decidedAlone();
    if (this.#finals.some(({ mustFire }) => mustFire)) return outcomes;
    const { score: bands, default: fallback } = this.#policy;
    const { low, high } = this.#score;
    const asked = (points: number) => strictness(bandOf(bands, points));
    // A band that only the upper end of the score reaches asks for review.
    const review = (points: number) => (bandOf(bands, points) === null ? NONE : strictness('review'));
    let least = Math.max(this.#least, asked(low.least), review(high.least));
    let most = Math.max(this.#most, asked(low.most), review(high.most));
    // The default applies where nothing is asked for with certainty.
    const isCertain = this.#isCertainAsked || bandOf(bands, low.least) !== null;
    const mayBeCertain = this.#mayCertainBeAsked || bandOf(bands, low.most) !== null;
    if (!mayBeCertain) least = Math.max(least, strictness(fallback));
    if (!isCertain) most = Math.max(most, strictness(fallback));
    for (const outcome of OUTCOMES) {
      const at = strictness(outcome);
      if (at >= least && at <= most) outcomes |= 1 << at;
    }
    return outcomes;
  }
}

/** What the ends of the score can be, by rules that can have several truths. A rule that is not added is false. */
export class ScoreRange {
  readonly low = { least: 0, most: 0 };
  readonly high = { least: 0, most: 0 };

  add({ points, openLeast, openMost }: Weight, truths: number): void {
    if (points === 0) return;
    this.low.least += leastOf(truths, openLeast, points, 0);
    this.low.most += mostOf(truths, openLeast, points, 0);
    this.high.least += leastOf(truths, openMost, points, 0);
    this.high.most += mostOf(truths, openMost, points, 0);
  }
}

/** The least effect of a rule over the truths that it can have, at least one. */
function leastOf(truths: number, unknown: number, fired: number, otherwise: number): number {
  const certain = truths & CAN_FIRE ? fired : truths & CAN_BE_OPEN ? unknown : otherwise;
  const open = truths & CAN_BE_OPEN && unknown < certain ? unknown : certain;
  return truths & CAN_BE_FALSE && otherwise < open ? otherwise : open;
}

/** The greatest effect. */
function mostOf(truths: number, unknown: number, fired: number, otherwise: number): number {
  const certain = truths & CAN_FIRE ? fired : truths & CAN_BE_OPEN ? unknown : otherwise;
  const open = truths & CAN_BE_OPEN && unknown > certain ? unknown : certain;
  return truths & CAN_BE_FALSE && otherwise > open ? otherwise : open;
}

/** The facts between two calls to the service. */
interface PartialFacts {
  readonly facts: Facts;
  /** Whether a fact is still pending: it may yet have any value, or be missing. */
  isPending(path: string): boolean;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
}

/**
 * Whether the outcome is the same for every value, and for the absence, of all pending facts. Tests count as
 * independent of each other, so true is always right, and false may be wrong: that costs a call, but never changes
 * a decision.
 */
export function isOutcomeDecided(policy: Policy, rules: readonly Rule[], partial: PartialFacts): boolean {
  const range = new OutcomeRange(policy);
  for (const rule of rules)
    if (!rule.shadow)
      range.add(
        weigh(rule),
        truthsOf(rule.when, (test) => truthsOfTest(test, partial)),
      );
  const outcomes = range.outcomes();
  return (outcomes & (outcomes - 1)) === 0;
}

function truthsOfTest(test: Test, { facts, isPending, day }: PartialFacts): TruthSet {
  const paths = test.other === undefined ? [test.fact] : [test.fact, test.other];
  if (!paths.some(isPending)) {
    const other = test.other === undefined ? undefined : factAt(facts, test.other);
    return bitOf(evaluateTest(test, factAt(facts, test.fact), other, day));
  }
  // `known` is always true or false.
  if (test.operator === 'known') return TRUTH_BITS.true | TRUTH_BITS.false;
  // A test against a fact that is missing for good stays unknown.
  const isUnknown = paths.some((path) => !isPending(path) && isMissing(factAt(facts, path)));
  return isUnknown ? TRUTH_BITS.unknown : EVERY_TRUTH;
}
