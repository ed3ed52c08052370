/** Facts that may change, and an outcome that they are not to reach -> some that, left as they are, see to that. */

import { asksWhenUnknown, type Outcome, type Rule } from '../../policy/language.ts';
import { strictness } from '../meaning/outcome.ts';
import { boundsIn } from './model/assignment.ts';
import { outcomeBit } from './model/judge.ts';
import type { Model } from './model/model.ts';
import type { TruthBounds } from './model/truth-bounds.ts';
import { PARTS } from './model/truth-bounds.ts';

/** Facts that could change. */
export interface Openness {
  /** What each fact is now, by the place of its choice. */
  readonly at: readonly number[];
  /** Those that may change. */
  readonly open: readonly number[];
  /** What each could be, what it is now among it. */
  readonly leeways: readonly TruthBounds[];
}

/** By variable, the conjunctions that speak of it. */
export type Speaking = readonly Int32Array[];

/** Which conjunctions each variable can make anything but certain, by itself or together with others. */
export function speakingOf({ variables, ties, form: { mask } }: Model): Speaking {
  const words = mask.length;
  const certain = (leeway: TruthBounds) => leeway.subarray(words * PARTS.isCertain, words * (PARTS.isCertain + 1));
  return variables.map(({ any }, place) => {
    const all = [
      any,
      ...ties
        .filter(({ variables: of }) => of.includes(place))
        .map((tie) => tie.leeway(tie.variables.map(() => undefined))),
    ];
    return mask.map((word, i) => word & ~all.reduce((left, leeway) => left & (certain(leeway)[i] as number), -1));
  });
}

/** Whether an outcome can be reached where all open facts but those held can change. */
export function canReach(
  model: Model,
  to: Outcome,
  { at, open, leeways }: Openness,
  held: ReadonlySet<number>,
): boolean {
  const situation: (number | TruthBounds)[] = [...at];
  for (const place of open) if (!held.has(place)) situation[place] = leeways[place] as TruthBounds;
  return (model.judge.possible(boundsIn(model, situation)) & outcomeBit(to)) !== 0;
}

/** So many rules are tried as what alone keeps the outcome away. */
const MOST_TRIALS = 4;

/**
 * Open facts that keep an outcome away if they alone do not change, whatever the other open ones become; none of them can be
 * left out. INVARIANT: it is not reached as things are.
 */
export function certify(model: Model, to: Outcome, openness: Openness, speaking: Speaking): number[] {
  const { at, open } = openness;
  const against = rulesAgainst(model, to, at);
  const own = against.map((conjunction) => open.filter((place) => speaks(speaking, place, conjunction)));
  for (const places of own.sort((a, b) => a.length - b.length).slice(0, MOST_TRIALS)) {
    if (!canReach(model, to, openness, new Set(places))) return reduce(model, to, openness, places);
  }
  // Those of which none of these rules speak are the likeliest not to be needed.
  const spoken = new Set(own.flat());
  return reduce(
    model,
    to,
    openness,
    [...open].sort((a, b) => Number(spoken.has(a)) - Number(spoken.has(b))),
  );
}

function reduce(model: Model, to: Outcome, openness: Openness, places: readonly number[]): number[] {
  const held = new Set(places);
  for (const place of places) {
    held.delete(place);
    if (canReach(model, to, openness, held)) held.add(place);
  }
  return [...held];
}

/** The conjunctions, possible now, of rules that ask for more, or add to a score. */
function rulesAgainst(model: Model, to: Outcome, at: readonly number[]): number[] {
  const found: number[] = [];
  const limit = strictness(to);
  model.judge.visit(boundsIn(model, at), (conjunction, rule) => {
    if (asksAtMost(rule) > limit) found.push(conjunction);
  });
  return found;
}

function asksAtMost(rule: Rule): number {
  const fired = rule.then === undefined ? -1 : strictness(rule.then);
  return asksWhenUnknown(rule) === null ? fired : Math.max(fired, strictness('review'));
}

function speaks(speaking: Speaking, place: number, conjunction: number): boolean {
  const word = speaking[place]?.[conjunction >> 5] ?? 0;
  return (word & (1 << (conjunction & 31))) !== 0;
}
