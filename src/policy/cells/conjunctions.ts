/** A condition by cells -> the conjunctions of its disjunctive form, each as the cells that its tests leave of every fact. */

import type { Condition, Test } from '../language.ts';
import { type Axis, type Cells, EVERY_STATE, STATES, type States } from './cells.ts';

/** Facts as some tests leave them: those that lie in one of these cells of every axis. Never empty. */
export interface Region {
  /** By axis; of an axis that is not here, every cell that the states of its subject leave. */
  readonly sets: ReadonlyMap<Axis, bigint>;
  /** The states of the subjects of those axes. */
  readonly states: ReadonlyMap<string, States>;
}

/** Tests of which all have to hold. */
export interface Conjunction {
  /** Where it is true; undefined if nowhere. */
  readonly certain: Region | undefined;
  /** Where it is true or unknown; undefined if nowhere. */
  readonly possible: Region | undefined;
}

/** The cells in which some tests of one axis are all true, and those in which none is false. */
export interface Sets {
  readonly certain: bigint;
  readonly possible: bigint;
}

/** Tests of which all have to hold, axis by axis; of an axis that is not here, every cell will do. */
export type ConjunctionDraft = ReadonlyMap<Axis, Sets>;

/** A disjunctive form with more conjunctions is not looked at. */
const MOST_CONJUNCTIONS = 64;

/** The disjunctive forms of conditions over the same cells. */
export class Conjunctions {
  readonly #cells: Cells;
  readonly #positive = new WeakMap<Condition, readonly ConjunctionDraft[] | 'too many'>();
  readonly #negative = new WeakMap<Condition, readonly ConjunctionDraft[] | 'too many'>();

  constructor(cells: Cells) {
    this.#cells = cells;
  }

  /** A condition is the disjunction of these, in Kleene's logic too; undefined where they would be too many. */
  of(condition: Condition): readonly Conjunction[] | undefined {
    const settled = (draft: ConjunctionDraft) => ({
      certain: settle(draft, 'certain'),
      possible: settle(draft, 'possible'),
    });
    return this.drafts(condition)?.map(settled);
  }

  /** The same conjunctions as their tests leave them, axis by axis. */
  drafts(condition: Condition): readonly ConjunctionDraft[] | undefined {
    const drafts = this.#draft(condition, true);
    return drafts === 'too many' ? undefined : drafts;
  }

  /** Where all of some tests are true; undefined if nowhere. */
  meet(tests: readonly Test[]): Region | undefined {
    const draft = tests.reduce<ConjunctionDraft>((all, test) => meet(all, this.#literal(test, true)), new Map());
    return settle(draft, 'certain');
  }

  #draft(condition: Condition, isPositive: boolean): readonly ConjunctionDraft[] | 'too many' {
    const known = isPositive ? this.#positive : this.#negative;
    let drafts = known.get(condition);
    if (drafts === undefined) {
      drafts = this.#build(condition, isPositive);
      known.set(condition, drafts);
    }
    return drafts;
  }

  #build(condition: Condition, isPositive: boolean): readonly ConjunctionDraft[] | 'too many' {
    switch (condition.kind) {
      case 'test':
        return [this.#literal(condition, isPositive)];
      case 'not':
        return this.#draft(condition.of[0], !isPositive);
      case 'named':
        return this.#draft(condition.of[0], isPositive);
      case 'all':
        return this.#atLeast(isPositive ? condition.of.length : 1, condition.of, isPositive);
      case 'any':
        return this.#atLeast(isPositive ? 1 : condition.of.length, condition.of, isPositive);
      case 'atLeastOf': {
        // Fewer than k of n hold where more than n - k do not.
        const { count, of } = condition;
        return this.#atLeast(isPositive ? count : of.length - count + 1, of, isPositive);
      }
    }
  }

  /** `count` of some parts: one conjunction for each choice of them, in each of their own forms. */
  #atLeast(count: number, parts: readonly Condition[], isPositive: boolean): readonly ConjunctionDraft[] | 'too many' {
    // By how many parts have been chosen so far.
    const chosen: ConjunctionDraft[][] = [[new Map()]];
    for (const [i, part] of parts.entries()) {
      const drafts = this.#draft(part, isPositive);
      if (drafts === 'too many') return drafts;
      // Downwards, so that a part is chosen once; and only what can still reach the count.
      for (let n = Math.min(i, count - 1); n >= Math.max(0, count - parts.length + i); n--) {
        const more = (chosen[n] ?? []).flatMap((draft) => drafts.map((other) => meet(draft, other)));
        chosen[n + 1] = [...(chosen[n + 1] ?? []), ...more];
        if ((chosen[n + 1]?.length ?? 0) > MOST_CONJUNCTIONS) return 'too many';
      }
      // What has chosen too few by now can be chosen from no more.
      for (let n = 0; n <= count - parts.length + i; n++) chosen[n] = [];
    }
    return chosen[count] ?? [];
  }

  #literal(test: Test, isPositive: boolean): ConjunctionDraft {
    const { axis, isTrue, isUnknown } = this.#cells.of(test);
    const isFalse = axis.within(EVERY_STATE) & ~isTrue & ~isUnknown;
    const certain = isPositive ? isTrue : isFalse;
    return new Map([[axis, { certain, possible: certain | isUnknown }]]);
  }
}

/** Whether all of one region lies in another. */
export function isWithin(inner: Region, outer: Region): boolean {
  for (const [axis, set] of outer.sets) {
    const own = inner.sets.get(axis) ?? axis.within(inner.states.get(axis.subject) ?? EVERY_STATE);
    if ((own & ~set) !== 0n) return false;
  }
  return true;
}

function meet(one: ConjunctionDraft, other: ConjunctionDraft): ConjunctionDraft {
  const both = new Map(one);
  for (const [axis, sets] of other) {
    const had = both.get(axis);
    both.set(axis, had ? { certain: had.certain & sets.certain, possible: had.possible & sets.possible } : sets);
  }
  return both;
}

/** A fact is in one state, whichever way one looks at it: what one axis rules out is ruled out on all. */
function settle(draft: ConjunctionDraft, which: keyof Sets): Region | undefined {
  const states = new Map<string, States>();
  for (const [axis, sets] of draft) {
    const left = Object.values(STATES).filter((state) => (sets[which] & axis.within(state)) !== 0n);
    const sum = left.reduce((all, state) => all + state, 0);
    states.set(axis.subject, (states.get(axis.subject) ?? EVERY_STATE) & sum);
  }
  const sets = new Map<Axis, bigint>();
  for (const [axis, set] of draft) {
    const left = states.get(axis.subject) ?? 0;
    if (left === 0) return undefined;
    sets.set(axis, set[which] & axis.within(left));
  }
  return { sets, states };
}
