/** A rule -> its contribution to the outcome. decision/meaning defines the outcome of the weights of all rules. */

import { cached } from '../platform/cached.ts';
import { type Rule, strictness } from './language.ts';

/** The strictness of asking for nothing: milder than every outcome. */
export const NOTHING = strictness(null);

/** The contribution of a rule in effect to the outcome. */
export interface Weight {
  /** The strictness of the outcome it asks for when it fired, and when it is undetermined; -1 for none. */
  readonly fired: number;
  readonly undetermined: number;
  readonly isFinal: boolean;
  /** The points it adds to both ends of the score when it fired. */
  readonly points: number;
  /** The points it adds to the lower and to the upper end while it is undetermined: all of its points, or none. */
  readonly openLeast: number;
  readonly openMost: number;
}

/** The weight of a rule. A shadow rule is weighed as if it were live. */
export const weigh = cached((rule: Rule): Weight => {
  const { then, points = 0, final } = rule;
  const open = openPoints(rule) ?? 0;
  return {
    fired: strictness(then),
    undetermined: strictness(asksWhenUnknown(rule)),
    isFinal: final,
    points,
    openLeast: Math.min(open, 0),
    openMost: Math.max(open, 0),
  };
});

/** The weight of a rule that contributes nothing. */
export const NO_WEIGHT: Weight = {
  fired: NOTHING,
  undetermined: NOTHING,
  isFinal: false,
  points: 0,
  openLeast: 0,
  openMost: 0,
};

/** The outcome that a rule asks for when it cannot be decided: review, or null for none. */
export function asksWhenUnknown({ then, whenUnknown }: Pick<Rule, 'then' | 'whenUnknown'>): 'review' | null {
  return isStrict(strictness(then)) && whenUnknown !== 'ignore' ? 'review' : null;
}

/** When a rule is true, and when it is true or unknown -> when it asks for something, or gives its reason code. */
export function whenAsking<When>(
  { undetermined }: Pick<Weight, 'undetermined'>,
  { certain, possible }: { readonly certain: When; readonly possible: When },
): When {
  return undetermined === NOTHING ? certain : possible;
}

/** The points by which a rule may change the score while it is undetermined; undefined if it has no such points. */
export function openPoints({ points, whenUnknown }: Pick<Rule, 'points' | 'whenUnknown'>): number | undefined {
  return whenUnknown === 'ignore' ? undefined : points;
}

/** Whether a strictness is that of review or reject. */
export function isStrict(asked: number): boolean {
  return asked > ACCEPT;
}

const ACCEPT = strictness('accept');
