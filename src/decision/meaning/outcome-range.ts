/** The truths that each rule can have -> the outcomes that are possible. */

import { OUTCOMES, type Outcome, type Policy } from '../../policy/language.ts';
import { bandOf, strictness, type Weight } from './outcome.ts';

/** Outcomes as bits: `1 << strictness(outcome)`. */
export type Outcomes = number;

/** The truths that a rule can have, as bits. */
export const TRUTH_BITS = { false: 1, unknown: 2, true: 4 } as const;

/** No outcome, milder than all. */
const NOTHING = -1;

/**
 * Sums up the least and the most that each rule can ask for, taken by itself. INVARIANT: rules are added in
 * the policy's order; a rule that is not added is false.
 */
export class OutcomeRange {
  readonly #policy: Policy;
  /** The outcomes that final rules may decide. */
  #decided = 0;
  /** Whether no final rule so far certainly ends the search for one, and whether an undetermined one may end it. */
  #isContinued = true;
  #mayBeUndetermined = false;
  #least = NOTHING;
  #most = NOTHING;
  #isCertainAsked = false;
  #mayCertainBeAsked = false;
  /** The least and the most that the lower and the upper end of the score can be. */
  readonly #low = { least: 0, most: 0 };
  readonly #high = { least: 0, most: 0 };

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  add({ fired, undetermined, isFinal, points, isIgnored }: Weight, truths: number): void {
    if (isFinal && this.#isContinued) {
      if (truths & TRUTH_BITS.true) this.#decided |= 1 << fired;
      if (truths & TRUTH_BITS.unknown && undetermined !== NOTHING) this.#mayBeUndetermined = true;
      this.#isContinued =
        (truths & TRUTH_BITS.false) !== 0 || ((truths & TRUTH_BITS.unknown) !== 0 && undetermined === NOTHING);
    }
    const asked = ends(truths, undetermined, fired, NOTHING);
    this.#least = Math.max(this.#least, asked.least);
    this.#most = Math.max(this.#most, asked.most);
    if (fired !== NOTHING && truths & TRUTH_BITS.true) {
      this.#mayCertainBeAsked = true;
      if (truths === TRUTH_BITS.true) this.#isCertainAsked = true;
    }
    if (points === 0) return;
    const widens = isIgnored ? 0 : points;
    const low = ends(truths, Math.min(widens, 0), points, 0);
    this.#low.least += low.least;
    this.#low.most += low.most;
    const high = ends(truths, Math.max(widens, 0), points, 0);
    this.#high.least += high.least;
    this.#high.most += high.most;
  }

  outcomes(): Outcomes {
    if (!this.#isContinued && !this.#mayBeUndetermined) return this.#decided;
    const { score: bands, default: fallback } = this.#policy;
    const asked = (points: number) => rank(bandOf(bands, points));
    // A band that only the upper end of the score reaches asks for review.
    const review = (points: number) => (bandOf(bands, points) === null ? NOTHING : strictness('review'));
    let least = Math.max(this.#least, asked(this.#low.least), review(this.#high.least));
    let most = Math.max(this.#most, asked(this.#low.most), review(this.#high.most));
    // The default applies where nothing is asked for with certainty.
    const isCertain = this.#isCertainAsked || bandOf(bands, this.#low.least) !== null;
    const mayBeCertain = this.#mayCertainBeAsked || bandOf(bands, this.#low.most) !== null;
    if (!mayBeCertain) least = Math.max(least, strictness(fallback));
    if (!isCertain) most = Math.max(most, strictness(fallback));
    let outcomes = this.#decided;
    for (const outcome of OUTCOMES) {
      const at = strictness(outcome);
      if (at >= least && at <= most) outcomes |= 1 << at;
    }
    return outcomes;
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

function rank(band: Outcome | null): number {
  return band === null ? NOTHING : strictness(band);
}
