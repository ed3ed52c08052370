/** A model -> a smallest set of facts that forces the present outcome whatever all other facts are, missing among it. */

import type { Outcome } from '../../policy/language.ts';
import { guessOutcomes } from './guesses.ts';
import { hittingSet } from './hitting-set.ts';
import { outcomeBit, questionsFor } from './judge.ts';
import type { Leeway } from './leeway.ts';
import type { Model } from './model.ts';
import { leewaysIn, present, withChoice } from './situation.ts';

/** Facts by the places of their variables. */
export interface Foundation {
  readonly places: readonly number[];
  /** Whether no smaller set forces the outcome, over the policy's cells; where false, one may. */
  readonly isSmallest: boolean;
}

/** So many steps are taken for the smallest set before the search settles for a small one. */
const MOST_STEPS = 20_000;
/** So many situations are looked at, where bit vectors alone do not tell whether a set forces the outcome. */
const MOST_LOOKS = 2000;
/** So many ways out are gathered before the next set is tried. */
const WAYS_AT_ONCE = 20;
/** So many sets of facts that lead elsewhere are gathered. */
const MOST_WAYS_OUT = 1500;

/**
 * Facts that together can lead to another outcome are a way out; a set that forces the outcome has a fact of each. So a
 * smallest set that has a fact of every way out known is tried; where it does not force the outcome, there is another way out
 * that it has no fact of.
 */
export function findFoundation(model: Model, outcome: Outcome): Foundation {
  const search = new FoundationSearch(model, outcome);
  const waysOut = new Map<string, readonly number[]>();
  const add = (way: readonly number[]) => waysOut.set(inOrder(way).join(), way);
  for (const way of search.ofOneFact()) add(way);
  for (;;) {
    const { elements, isSmallest } = hittingSet([...waysOut.values()], MOST_STEPS);
    const forced = search.forces(elements);
    if (forced === true) return { places: inOrder(search.reduce(elements)), isSmallest };
    if (forced === undefined || waysOut.size >= MOST_WAYS_OUT || search.isTired) {
      return { places: inOrder(search.reduce(search.grow(elements))), isSmallest: false };
    }
    for (const way of forced) add(way);
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

  /** True if a set forces the outcome, else some ways out that have no fact of it; undefined where that was not found out. */
  forces(held: ReadonlySet<number>): true | (readonly number[])[] | undefined {
    if (this.#isForced(this.#open(held))) return true;
    const found: (readonly number[])[] = [];
    for (const towards of guessOutcomes(this.#model, held)) {
      if (this.#isOther(towards)) found.push(this.#shrink(towards));
      if (found.length >= WAYS_AT_ONCE) break;
    }
    if (found.length > 0) return found;
    const last = this.#look(this.#open(held), { left: MOST_LOOKS });
    if (last === 'none') return true;
    return last && [this.#shrink(last)];
  }

  /** Facts of the set without those that it does not need. */
  reduce(places: ReadonlySet<number>): ReadonlySet<number> {
    const held = new Set(places);
    for (const place of places) {
      held.delete(place);
      if (!this.#isForced(this.#open(held))) held.add(place);
    }
    return held;
  }

  /** With more facts, so that bit vectors alone tell that they force the outcome. */
  grow(places: ReadonlySet<number>): ReadonlySet<number> {
    const held = new Set(places);
    for (const place of this.#places) {
      if (this.#isForced(this.#open(held))) return held;
      held.add(place);
    }
    return held;
  }

  #open(held: ReadonlySet<number>): (number | Leeway)[] {
    return this.#model.variables.map(({ any }, place) => (held.has(place) ? 0 : any));
  }

  #isForced(situation: readonly (number | Leeway)[]): boolean {
    return this.#model.judge.possible(leewaysIn(this.#model, situation)) === this.#bit;
  }

  #isOther(at: readonly number[]): boolean {
    return this.#model.judge.outcome(leewaysIn(this.#model, at)) !== this.#outcome;
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
  #look(situation: (number | Leeway)[], looks: { left: number }): readonly number[] | 'none' | undefined {
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
