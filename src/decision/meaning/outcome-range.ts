/** The truths that each rule can have -> the outcomes that are possible by ranking.ts: all of them, perhaps more. */

import { bandOf, OUTCOMES, type Outcome, type Policy, strictness } from '../../policy/language.ts';
import { NOTHING, type Weight } from '../../policy/weight.ts';
import { decideAlone } from './outcome.ts';
import { TRUTH_BITS } from './truth-sets.ts';

/** Outcomes as bits. */
export type Outcomes = number;

/** The bit of an outcome in `Outcomes`. */
export function outcomeBit(outcome: Outcome): Outcomes {
  return 1 << strictness(outcome);
}

/** What final rules with one `then` can be, taken each by itself. */
interface FinalRules {
  /** Whether one of them can fire, and whether one certainly does. */
  canFire: boolean;
  mustFire: boolean;
  /** Whether one that asks for review can be undetermined, and whether one certainly is, unless it fires. */
  canBeOpen: boolean;
  mustBeOpen: boolean;
}

/** Sums up the least and the most that each rule can ask for, taken by itself. A rule that is not added is false. */
export class OutcomeRange {
  readonly #policy: Policy;
  /** The final rules by the strictness of their `then`. */
  readonly #finals = OUTCOMES.map((): FinalRules => {
    return { canFire: false, mustFire: false, canBeOpen: false, mustBeOpen: false };
  });
  #least = NOTHING;
  #most = NOTHING;
  #isCertainAsked = false;
  #mayCertainBeAsked = false;
  readonly #score = new ScoreRange();

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  add(weight: Weight, truths: number): void {
    if (weight.isFinal) this.#addFinal(weight, truths);
    // Where a final rule fires, nothing else is asked.
    const asking = weight.isFinal ? truths & ~TRUTH_BITS.true : truths;
    if (asking === 0) return;
    const { fired, undetermined } = weight;
    const asked = ends(asking, undetermined, fired, NOTHING);
    this.#least = Math.max(this.#least, asked.least);
    this.#most = Math.max(this.#most, asked.most);
    if (fired !== NOTHING && asking & TRUTH_BITS.true) {
      this.#mayCertainBeAsked = true;
      if (asking === TRUTH_BITS.true) this.#isCertainAsked = true;
    }
    this.#score.add(weight, asking);
  }

  #addFinal({ fired, undetermined }: Weight, truths: number): void {
    const finals = this.#finals[fired];
    if (!finals) return;
    if (truths & TRUTH_BITS.true) finals.canFire = true;
    if (truths === TRUTH_BITS.true) finals.mustFire = true;
    if (undetermined === NOTHING) return;
    if (truths & TRUTH_BITS.unknown) finals.canBeOpen = true;
    if ((truths & TRUTH_BITS.false) === 0) finals.mustBeOpen = true;
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

  /** The outcomes if `fired` is the strictest that final rules which fire ask for. */
  #outcomesOver(fired: number): Outcomes {
    let outcomes = 0;
    for (let open = this.#finals.length - 1; open > fired; open--) {
      if (this.#finals[open]?.canBeOpen) outcomes |= 1 << decideAlone(fired, open);
      if (this.#finals[open]?.mustBeOpen) return outcomes;
    }
    return outcomes | (1 << decideAlone(fired, NOTHING));
  }

  outcomes(): Outcomes {
    let outcomes = this.#decidedAlone();
    if (this.#finals.some(({ mustFire }) => mustFire)) return outcomes;
    const { score: bands, default: fallback } = this.#policy;
    const { low, high } = this.#score;
    const asked = (points: number) => strictness(bandOf(bands, points));
    // A band that only the upper end of the score reaches asks for review.
    const review = (points: number) => (bandOf(bands, points) === null ? NOTHING : strictness('review'));
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
    const low = ends(truths, openLeast, points, 0);
    this.low.least += low.least;
    this.low.most += low.most;
    const high = ends(truths, openMost, points, 0);
    this.high.least += high.least;
    this.high.most += high.most;
  }
}

/** The least and the greatest effect of a rule over the truths that it can have. */
function ends(truths: number, unknown: number, fired: number, otherwise: number): { least: number; most: number } {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  if (truths & TRUTH_BITS.false) least = most = otherwise;
  if (truths & TRUTH_BITS.unknown) {
    least = Math.min(least, unknown);
    most = Math.max(most, unknown);
  }
  if (truths & TRUTH_BITS.true) {
    least = Math.min(least, fired);
    most = Math.max(most, fired);
  }
  return { least, most };
}
