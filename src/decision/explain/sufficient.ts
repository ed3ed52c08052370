/** A model -> a smallest set of facts that forces the present outcome whatever all other facts are, missing among it. */

import { isMissing } from '../../facts/fact.ts';
import type { Outcome } from '../../policy/language.ts';
import { hittingSet } from './hitting-set.ts';
import { boundsIn, present, withChoice } from './model/assignment.ts';
import { outcomeBit, questionsFor } from './model/judge.ts';
import type { Model } from './model/model.ts';
import type { TruthBounds } from './model/truth-bounds.ts';
import { guessOutcomes } from './seeds.ts';

/** Facts by the places of their variables. */
export interface SufficientFacts {
  readonly places: readonly number[];
  /** No set of fewer facts forces the outcome, over the policy's cells: their number, where there is no smaller set. */
  readonly least: number;
}

/** So many steps are taken for the smallest set before the search settles for a small one. */
const MOST_STEPS = 5000;
/** So often at most may they not be enough. */
const MOST_UNPROVED = 10;
/** So many situations are looked at, where bit vectors alone do not tell whether a set forces the outcome. */
const MOST_LOOKS = 2000;
/** So many ways out are gathered before the next set is tried. */
const WAYS_AT_ONCE = 20;
/** So many sets of facts that lead elsewhere are gathered. */
const MOST_WAYS_OUT = 1500;

/**
 * Facts that together can lead to another outcome are a way out; a set that forces the outcome has a fact of each. So a
 * smallest set that has a fact of every way out known is tried: no smaller one can force the outcome. Where it does not,
 * there is another way out that it has no fact of; it takes in a fact of that, and so on, until it does. The search ends where
 * such a set is as small as the smallest that were tried.
 */
export function findSufficientFacts(model: Model, outcome: Outcome): SufficientFacts {
  const search = new FoundationSearch(model, outcome);
  const waysOut = new Map<string, readonly number[]>();
  const add = (way: readonly number[]) => waysOut.set(inOrder(way).join(), way);
  for (const way of search.ofOneFact()) add(way);
  let best: ReadonlySet<number> | undefined;
  let least = 0;
  let unproved = 0;
  for (;;) {
    const { elements, isSmallest } = hittingSet([...waysOut.values()], MOST_STEPS, least);
    if (isSmallest) least = elements.size;
    else unproved += 1;
    const isEnough = best !== undefined && best.size <= least;
    const isOver = unproved > MOST_UNPROVED || waysOut.size >= MOST_WAYS_OUT || search.isTired;
    if (best && (isEnough || isOver)) return { places: inOrder(search.preferKnown(best)), least };
    const ways = waysOut.size;
    const found = search.forcingFrom(elements, add);
    if (!best || found.size < best.size) best = found;
    // Nothing was learned: either these force it and are the smallest, or that cannot be told.
    if (waysOut.size === ways) return { places: inOrder(search.preferKnown(best)), least };
  }
}

function inOrder(places: Iterable<number>): number[] {
  return [...places].sort((a, b) => a - b);
}

class FoundationSearch {
  readonly #model: Model;
  readonly #outcome: Outcome;
  readonly #bit: number;
  readonly #places: readonly number[];
  readonly #mostAsked: number;

  constructor(model: Model, outcome: Outcome) {
    this.#model = model;
    this.#outcome = outcome;
    this.#bit = outcomeBit(outcome);
    this.#places = [...model.variables.keys()];
    this.#mostAsked = model.judge.asked + questionsFor(model.form.mask.length, model.variables.length);
  }

  get isTired(): boolean {
    return this.#model.judge.asked > this.#mostAsked;
  }

  /** Facts that lead elsewhere by themselves. */
  *ofOneFact(): Generator<readonly number[]> {
    const { variables } = this.#model;
    const at = present(this.#model);
    for (const place of this.#places) {
      const choices = variables[place]?.choices ?? [];
      if (choices.some((choice, i) => i > 0 && choice.fact && this.#isOther(withChoice(at, place, i)))) yield [place];
    }
  }

  /** Some ways out that have no fact of a set; `none` if it forces the outcome, undefined where that was not found out. */
  #waysOut(held: ReadonlySet<number>): 'none' | (readonly number[])[] | undefined {
    if (this.#isForced(this.#open(held))) return 'none';
    const found: (readonly number[])[] = [];
    for (const towards of guessOutcomes(this.#model, held)) {
      if (this.#isOther(towards)) found.push(this.#shrink(towards));
      if (found.length >= WAYS_AT_ONCE) break;
    }
    if (found.length > 0) return found;
    const last = this.#look(this.#open(held), { left: MOST_LOOKS });
    return last === 'none' ? last : last && [this.#shrink(last)];
  }

  /** A set with these facts, or most of them, that forces the outcome. Tells of the ways out that are met. */
  forcingFrom(places: ReadonlySet<number>, tell: (way: readonly number[]) => void): ReadonlySet<number> {
    const held = new Set(places);
    for (;;) {
      const ways = this.#waysOut(held);
      if (ways === 'none') return this.#reduce(held);
      if (ways === undefined) return this.#reduce(this.#grow(held));
      for (const way of ways) tell(way);
      for (const place of hittingSet(ways, 0).elements) held.add(place);
    }
  }

  /** A set of the same size that forces the outcome, with known facts in place of missing ones as far as that goes. */
  preferKnown(places: ReadonlySet<number>): ReadonlySet<number> {
    const held = new Set(places);
    const others = this.#places.filter((place) => !places.has(place) && !this.#isMissing(place));
    for (const place of [...held].filter((each) => this.#isMissing(each))) {
      held.delete(place);
      const known = others.find((other) => !held.has(other) && this.#isForced(this.#open(new Set([...held, other]))));
      held.add(known ?? place);
    }
    return held;
  }

  /** Facts of the set without those that it does not need; of what is missing as little as can be. */
  #reduce(places: ReadonlySet<number>): ReadonlySet<number> {
    const held = new Set(places);
    for (const place of [...places].sort((a, b) => Number(this.#isMissing(b)) - Number(this.#isMissing(a)))) {
      held.delete(place);
      if (!this.#isForced(this.#open(held))) held.add(place);
    }
    return held;
  }

  /** With more facts, so that bit vectors alone tell that they force the outcome. */
  #grow(places: ReadonlySet<number>): ReadonlySet<number> {
    const held = new Set(places);
    for (const place of this.#places) {
      if (this.#isForced(this.#open(held))) return held;
      held.add(place);
    }
    return held;
  }

  #isMissing(place: number): boolean {
    const fact = this.#model.variables[place]?.choices[0]?.fact;
    return fact !== undefined && isMissing(fact);
  }

  #open(held: ReadonlySet<number>): (number | TruthBounds)[] {
    return this.#model.variables.map(({ any }, place) => (held.has(place) ? 0 : any));
  }

  #isForced(situation: readonly (number | TruthBounds)[]): boolean {
    return this.#model.judge.possible(boundsIn(this.#model, situation)) === this.#bit;
  }

  #isOther(at: readonly number[]): boolean {
    return this.#model.judge.outcome(boundsIn(this.#model, at)) !== this.#outcome;
  }

  /** The facts that differ, without those that it takes none of. */
  #shrink(at: readonly number[]): readonly number[] {
    const left = [...at];
    for (const [place, choice] of at.entries()) {
      if (choice === 0) continue;
      left[place] = 0;
      if (!this.#isOther(left)) left[place] = choice;
    }
    return [...left.entries()].filter(([, choice]) => choice !== 0).map(([place]) => place);
  }

  /**
   * Another outcome in an open situation, by trying all choices of one open fact after the other. `none` if there is none;
   * undefined if that was not found out.
   */
  #look(situation: (number | TruthBounds)[], looks: { left: number }): readonly number[] | 'none' | undefined {
    looks.left -= 1;
    if (looks.left < 0) return undefined;
    if (this.#isForced(situation)) return 'none';
    const place = situation.findIndex((is) => typeof is !== 'number');
    if (place < 0) {
      const at = situation as number[];
      return this.#isOther(at) ? at : 'none';
    }
    let result: 'none' | undefined = 'none';
    for (const [i, { fact, leeway }] of (this.#model.variables[place]?.choices ?? []).entries()) {
      // Of a text that was not found nothing can be shown, but that it makes no difference.
      if (!fact) {
        const wild = situation.with(place, leeway);
        if (!this.#isForced(wild)) result = undefined;
        continue;
      }
      const found = this.#look(situation.with(place, i), looks);
      if (found === undefined) result = undefined;
      else if (found !== 'none') return found;
      if (looks.left < 0) return undefined;
    }
    return result;
  }
}
