/** The truths that rules can have -> the outcomes that are left. */

import { OUTCOMES, type Outcome, type Policy } from '../../../policy/language.ts';
import { bandOf, strictness, type Weight } from '../../meaning/outcome.ts';

/** Outcomes as bits: `1 << strictness(outcome)`. */
export type Outcomes = number;

/** Truths that a rule can have, as bits. */
export const CAN_BE = { false: 1, unknown: 2, true: 4 } as const;

/** No outcome, milder than all. */
const NOTHING = -1;

/**
 * What rules can come to of which only some of the truths are ruled out: the least and the most that each can ask for, taken
 * by itself. INVARIANT: rules come in the policy's order; one that does not come is false.
 */
export class OutcomeRange {
  readonly #policy: Policy;
  /** What final rules may decide. */
  #decided = 0;
  /** Whether the walk over the final rules can still go on, and whether it can end undecided before its end. */
  #goesOn = true;
  #mayEnd = false;
  #least = NOTHING;
  #most = NOTHING;
  #isCertainAsked = false;
  #mayCertainBeAsked = false;
  /** The least and the most that either end of the score can be. */
  readonly #low = { least: 0, most: 0 };
  readonly #high = { least: 0, most: 0 };

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  reset(): void {
    this.#decided = 0;
    this.#goesOn = true;
    this.#mayEnd = false;
    this.#least = NOTHING;
    this.#most = NOTHING;
    this.#isCertainAsked = false;
    this.#mayCertainBeAsked = false;
    this.#low.least = 0;
    this.#low.most = 0;
    this.#high.least = 0;
    this.#high.most = 0;
  }

  add({ fired, undetermined, isFinal, points, isIgnored }: Weight, truths: number): void {
    if (isFinal && this.#goesOn) {
      if (truths & CAN_BE.true) this.#decided |= 1 << fired;
      if (truths & CAN_BE.unknown && undetermined !== NOTHING) this.#mayEnd = true;
      this.#goesOn = (truths & CAN_BE.false) !== 0 || ((truths & CAN_BE.unknown) !== 0 && undetermined === NOTHING);
    }
    const asked = ends(truths, undetermined, fired, NOTHING);
    this.#least = Math.max(this.#least, asked.least);
    this.#most = Math.max(this.#most, asked.most);
    if (fired !== NOTHING && truths & CAN_BE.true) {
      this.#mayCertainBeAsked = true;
      if (truths === CAN_BE.true) this.#isCertainAsked = true;
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
    if (!this.#goesOn && !this.#mayEnd) return this.#decided;
    const { score: bands, default: fallback } = this.#policy;
    const asked = (points: number) => rank(bandOf(bands, points));
    // A band that only the upper end of the score reaches asks for review.
    const review = (points: number) => (bandOf(bands, points) === null ? NOTHING : strictness('review'));
    let least = Math.max(this.#least, asked(this.#low.least), review(this.#high.least));
    let most = Math.max(this.#most, asked(this.#low.most), review(this.#high.most));
    // The default is asked for where nothing certain is.
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

/** The least and the greatest of what a rule comes to when it is unknown, true or false, as far as it can be that. */
function ends(truths: number, unknown: number, fired: number, otherwise: number): { least: number; most: number } {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  if (truths & CAN_BE.false) least = most = otherwise;
  if (truths & CAN_BE.unknown) {
    least = Math.min(least, unknown);
    most = Math.max(most, unknown);
  }
  if (truths & CAN_BE.true) {
    least = Math.min(least, fired);
    most = Math.max(most, fired);
  }
  return { least, most };
}

function rank(band: Outcome | null): number {
  return band === null ? NOTHING : strictness(band);
}
