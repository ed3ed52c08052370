/** A condition -> its disjunctive form: conjunctions, each as the cells that its tests leave of every fact. */

import { foldParts, pushDown } from '../fold.ts';
import type { Condition, Test } from '../language.ts';
import { cellsAcross } from './across.ts';
import { type Axis, type Cells, EVERY_STATE, STATES, type States } from './cells.ts';

/** A set of facts, never empty: those that lie in one of these cells on every axis. */
export interface Region {
  /** The cells by axis. An axis that is absent has every cell that the states of its subject leave. */
  readonly sets: ReadonlyMap<Axis, bigint>;
  /** The states that are left of each subject of these axes. */
  readonly states: ReadonlyMap<string, States>;
}

/** Tests that must all hold. */
export interface Conjunction {
  /** The facts for which it is true; undefined if there are none. */
  readonly certain: Region | undefined;
  /** The facts for which it is true or unknown; undefined if there are none. */
  readonly possible: Region | undefined;
}

/** The cells in which some tests of one axis are all true, and those in which none is false. */
export interface Sets {
  readonly certain: bigint;
  readonly possible: bigint;
}

/** Tests that must all hold, axis by axis. An axis that is absent may have any cell. */
export type ConjunctionDraft = ReadonlyMap<Axis, Sets>;

/** The conjunctions of a disjunctive form. */
type Drafts = readonly ConjunctionDraft[] | 'too many';

/** A disjunctive form with more conjunctions is not computed. */
const MAX_CONJUNCTIONS = 64;

/** The disjunctive forms of conditions over the same cells. */
export class Conjunctions {
  readonly #cells: Cells;
  readonly #positive = new WeakMap<Condition, Drafts>();
  readonly #negative = new WeakMap<Condition, Drafts>();
  readonly #logic = pushDown<Drafts>({
    literal: (test, isPositive) => [this.#literal(test, isPositive)],
    atLeast: chooseDrafts,
  });

  constructor(cells: Cells) {
    this.#cells = cells;
  }

  /** The conjunctions whose disjunction is the condition, in Kleene's logic too; undefined if they are too many. */
  of(condition: Condition): readonly Conjunction[] | undefined {
    const settled = (draft: ConjunctionDraft) => ({
      certain: settle(draft, 'certain'),
      possible: settle(draft, 'possible'),
    });
    return this.drafts(condition)?.map(settled);
  }

  /** The same conjunctions, before their axes are reconciled with each other. */
  drafts(condition: Condition): readonly ConjunctionDraft[] | undefined {
    const drafts = this.#draft(condition, true);
    return drafts === 'too many' ? undefined : drafts;
  }

  /** The facts for which all of some tests are true; undefined if there are none. */
  meet(tests: readonly Test[]): Region | undefined {
    const draft = tests.reduce<ConjunctionDraft>((all, test) => meet(all, this.#literal(test, true)), new Map());
    return settle(draft, 'certain');
  }

  #draft(condition: Condition, isPositive: boolean): Drafts {
    const cache = isPositive ? this.#positive : this.#negative;
    let drafts = cache.get(condition);
    if (drafts === undefined) {
      drafts = foldParts(condition, this.#logic, (part) => (sign) => this.#draft(part, sign))(isPositive);
      cache.set(condition, drafts);
    }
    return drafts;
  }

  #literal(test: Test, isPositive: boolean): ConjunctionDraft {
    const { axis, isTrue, isUnknown } = this.#cells.of(test);
    const isFalse = axis.within(EVERY_STATE) & ~isTrue & ~isUnknown;
    const certain = isPositive ? isTrue : isFalse;
    return new Map([[axis, { certain, possible: certain | isUnknown }]]);
  }
}

/** At least `count` of some parts: one conjunction for each choice of parts, in each of their own forms. */
function chooseDrafts(count: number, parts: readonly Drafts[]): Drafts {
  // The drafts by the number of parts chosen so far.
  const chosen: ConjunctionDraft[][] = [[new Map()]];
  for (const [i, drafts] of parts.entries()) {
    if (drafts === 'too many') return drafts;
    // Counts down, so that a part is chosen once, and skips numbers that cannot reach the count.
    for (let n = Math.min(i, count - 1); n >= Math.max(0, count - parts.length + i); n--) {
      const more = (chosen[n] ?? []).flatMap((draft) => drafts.map((other) => meet(draft, other)));
      chosen[n + 1] = [...(chosen[n + 1] ?? []), ...more];
      if ((chosen[n + 1]?.length ?? 0) > MAX_CONJUNCTIONS) return 'too many';
    }
    // Drafts with too few chosen parts can no longer reach the count.
    for (let n = 0; n <= count - parts.length + i; n++) chosen[n] = [];
  }
  return chosen[count] ?? [];
}

/** Whether all of one region lies in another. */
export function isWithin(inner: Region, outer: Region): boolean {
  for (const [axis, set] of outer.sets) {
    if ((setOn(axis, inner) & ~set) !== 0n) return false;
  }
  return true;
}

/** The cells of a region on any axis. */
export function setOn(axis: Axis, { sets, states }: Region): bigint {
  const ownSet = sets.get(axis);
  if (ownSet !== undefined) return ownSet;
  const left = states.get(axis.subject);
  // A subject without recorded states has no axis in the region.
  return left === undefined ? axis.within(EVERY_STATE) : axis.within(left) & acrossTexts(axis, sets);
}

/** The same, but ignoring the other axes of a text, which takes longer; so it may have too many cells. */
export function ownSetOn(axis: Axis, { sets, states }: Region): bigint {
  return sets.get(axis) ?? axis.within(states.get(axis.subject) ?? EVERY_STATE);
}

/** The cells of an axis that the others of the same text leave. */
function acrossTexts(axis: Axis, sets: ReadonlyMap<Axis, bigint>): bigint {
  let left = axis.within(EVERY_STATE);
  if (!axis.formOf) return left;
  for (const [other, set] of sets) {
    if (other !== axis && other.subject === axis.subject) left &= cellsAcross(other, set, axis);
  }
  return left;
}

function meet(one: ConjunctionDraft, other: ConjunctionDraft): ConjunctionDraft {
  const both = new Map(one);
  for (const [axis, sets] of other) {
    const had = both.get(axis);
    both.set(axis, had ? { certain: had.certain & sets.certain, possible: had.possible & sets.possible } : sets);
  }
  return both;
}

/**
 * Reconciles the axes of a draft: a fact has one state, so a state that one axis rules out is ruled out on all; and a
 * text has one value.
 */
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
  for (const [axis, set] of sets) {
    if (!axis.formOf) continue;
    const together = set & acrossTexts(axis, sets);
    if (together === 0n) return undefined;
    sets.set(axis, together);
  }
  return { sets, states };
}
