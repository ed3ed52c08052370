/** A model and an outcome -> the smallest sets of facts that lead to it if they change, each with what they could become. */

import { isMissing } from '../../facts/fact.ts';
import type { Outcome } from '../../policy/language.ts';
import { canReach, certify, type Openness, type Speaking, speakingOf } from './certificate.ts';
import { type Dominance, dominanceFor } from './dominance.ts';
import { boundsIn, present } from './model/assignment.ts';
import type { Constraint } from './model/constraints.ts';
import { outcomeBit, questionsFor } from './model/judge.ts';
import type { Model } from './model/model.ts';
import { eitherOf, type TruthBounds } from './model/truth-bounds.ts';

/** Sets with more facts are not looked for. */
const MOST_CHANGES = 3;

/** A set of facts: by the place of each variable that changes, the place of its choice. */
export type ChangeSet = ReadonlyMap<number, number>;

/** What the search came to. */
export interface FoundCounterfactuals {
  /** `notFound`: none of up to three facts. `never`: no values of any facts lead to it. `stopped`: the search was ended. */
  readonly result: 'found' | 'notFound' | 'never' | 'stopped';
  /** All of the smallest size. */
  readonly sets: readonly ChangeSet[];
  /** Whether no set was left aside, of this size or a smaller one, for which no facts could be built. */
  readonly isExact: boolean;
}

/** Looks for sets of one fact, then of two, then of three. INVARIANT: the outcome is another one now. */
export function searchCounterfactuals(model: Model, to: Outcome): FoundCounterfactuals {
  const search = new Search(model, to);
  if (!search.isReachable()) return { result: 'never', sets: [], isExact: true };
  for (let size = 1; size <= MOST_CHANGES; size++) {
    const isDone = search.look(size);
    if (search.found.size > 0)
      return { result: 'found', sets: [...search.found.values()], isExact: isDone && search.isExact };
    if (!isDone) return { result: 'stopped', sets: [], isExact: false };
  }
  // All that there is to change has been tried.
  const result = search.isExact && search.changeable <= MOST_CHANGES ? 'never' : 'notFound';
  return { result, sets: [], isExact: search.isExact };
}

/** What has changed so far, and what else could. */
interface Node extends Openness {
  readonly at: readonly number[];
  readonly open: number[];
  readonly leeways: TruthBounds[];
  /** By variable, the choices that it could still change to. */
  readonly allowed: (readonly number[])[];
}

class Stopped extends Error {}

class Search {
  readonly found = new Map<string, ChangeSet>();
  /** Sets that lead to the outcome by cells, for which no values were found that fit together. */
  readonly #unbuilt = new Set<string>();
  readonly #model: Model;
  readonly #to: Outcome;
  readonly #speaking: Speaking;
  readonly #dominance: Dominance;
  readonly #mostAsked: number;

  constructor(model: Model, to: Outcome) {
    this.#model = model;
    this.#to = to;
    this.#speaking = speakingOf(model);
    this.#dominance = dominanceFor(model, to);
    this.#mostAsked = model.judge.asked + questionsFor(model.form.mask.length, model.variables.length);
  }

  get isExact(): boolean {
    return [...this.#unbuilt].every((key) => this.found.has(key));
  }

  /** How many facts can change. */
  get changeable(): number {
    return this.#root().open.length;
  }

  isReachable(): boolean {
    return canReach(this.#model, this.#to, this.#root(), new Set());
  }

  /** Whether all sets of the size were looked at. INVARIANT: there is no smaller one. */
  look(size: number): boolean {
    try {
      this.#explore(this.#root(), size);
      return true;
    } catch (error) {
      if (error instanceof Stopped) return false;
      throw error;
    }
  }

  #root(): Node {
    const { variables } = this.#model;
    const allowed = variables.map(({ choices, isHeld }) =>
      choices.flatMap(({ fact }, place) => (isHeld || place === 0 || (fact && isMissing(fact)) ? [] : [place])),
    );
    const open = [...variables.keys()].filter((place) => (allowed[place] as readonly number[]).length > 0);
    const leeways = variables.map((_, place) => this.#leewayOf(place, allowed[place] as readonly number[]));
    return { at: present(this.#model), open, leeways, allowed };
  }

  /** The leeway of a fact that stays as it is, or becomes one of some choices. */
  #leewayOf(place: number, allowed: readonly number[]): TruthBounds {
    const choices = this.#model.variables[place]?.choices ?? [];
    return eitherOf([0, ...allowed].map((choice) => choices[choice]?.leeway as TruthBounds));
  }

  #explore(node: Node, budget: number): void {
    if (this.#model.judge.asked > this.#mostAsked) throw new Stopped();
    const reached = this.#judge(node);
    if (reached === 'yes' || budget === 0) return;
    if (reached !== 'no') {
      // Something else of the relation has to change with what did.
      this.#branch(
        node,
        node.open.filter((place) => reached.facts.includes(this.#pathOf(place))),
        budget,
      );
    } else if (budget === 1) this.#exploreLast(node);
    else this.#exploreFurther(node, budget);
  }

  /** Whether the outcome is reached, and by facts that can be together; else the relation that they break. Records it. */
  #judge({ at }: Node): 'yes' | 'no' | Constraint {
    const { variables, judge, relations } = this.#model;
    const isWild = at.some((choice, place) => variables[place]?.choices[choice]?.fact === undefined);
    const leeways = boundsIn(this.#model, at);
    const isReached = isWild
      ? (judge.possible(leeways) & outcomeBit(this.#to)) !== 0
      : judge.outcome(leeways) === this.#to;
    if (!isReached) return 'no';
    const changed = [...at.entries()].filter(([, choice]) => choice !== 0);
    const key = keyOf(changed.map(([place]) => place));
    const facts = new Map(variables.map(({ path, choices }, place) => [path, choices[at[place] as number]?.fact]));
    const broken = isWild ? undefined : relations.find((relation) => !relation.fits((path) => facts.get(path)));
    if (isWild || broken?.sampled.some((path) => facts.has(path))) this.#unbuilt.add(key);
    if (broken) return broken;
    if (!isWild && !this.found.has(key)) this.found.set(key, new Map(changed));
    return 'yes';
  }

  /** One more fact alone. */
  #exploreLast(node: Node): void {
    const changed = [...node.at.entries()].filter(([, choice]) => choice !== 0).map(([place]) => place);
    for (const place of certify(this.#model, this.#to, node, this.#speaking)) {
      const key = keyOf([...changed, place]);
      if (this.found.has(key) || !canReach(this.#model, this.#to, { ...node, open: [place] }, new Set())) continue;
      for (const choice of node.allowed[place] as readonly number[]) {
        if (this.found.has(key)) break;
        this.#explore(this.#changed(node, place, choice), 0);
      }
    }
  }

  /**
   * Every set that leads to the outcome has a fact of the certificate. If some such fact, as it is in the set, breaks the
   * certificate by itself, the set is found where that fact is tried so; else none of its facts does, and the search goes on
   * among what breaks nothing, with the certificate that there is then.
   */
  #exploreFurther(given: Node, budget: number): void {
    const node: Node = { ...given, open: [...given.open], leeways: [...given.leeways], allowed: [...given.allowed] };
    while (canReach(this.#model, this.#to, node, new Set())) {
      const certificate = certify(this.#model, this.#to, node, this.#speaking);
      let hasBroken = false;
      for (const place of certificate) {
        const rest = new Set(certificate.filter((other) => other !== place));
        if (!canReach(this.#model, this.#to, node, rest)) continue;
        const allowed = node.allowed[place] as readonly number[];
        const breaking = allowed.filter((choice) => this.#breaks(node, place, choice, rest));
        if (breaking.length === 0) continue;
        hasBroken = true;
        for (const choice of this.#dominance(place, breaking))
          this.#explore(this.#changed(node, place, choice), budget - 1);
        this.#restrict(
          node,
          place,
          allowed.filter((choice) => !breaking.includes(choice)),
        );
      }
      if (hasBroken) continue;
      this.#branch(node, certificate, budget);
      return;
    }
  }

  #breaks(node: Node, place: number, choice: number, held: ReadonlySet<number>): boolean {
    return canReach(this.#model, this.#to, this.#changed(node, place, choice), held);
  }

  /** Tries each of some facts, of which every set has one, with all that it could become. */
  #branch(given: Node, places: readonly number[], budget: number): void {
    const node: Node = { ...given, open: [...given.open], leeways: [...given.leeways], allowed: [...given.allowed] };
    for (const place of places) {
      for (const choice of node.allowed[place] as readonly number[]) {
        this.#explore(this.#changed(node, place, choice), budget - 1);
      }
      this.#restrict(node, place, []);
    }
  }

  #changed(node: Node, place: number, choice: number): Node {
    const at = [...node.at];
    at[place] = choice;
    return { ...node, at, open: node.open.filter((other) => other !== place) };
  }

  #restrict(node: Node, place: number, allowed: readonly number[]): void {
    node.allowed[place] = allowed;
    node.leeways[place] = this.#leewayOf(place, allowed);
    if (allowed.length === 0) node.open.splice(node.open.indexOf(place), 1);
  }

  #pathOf(place: number): string {
    return this.#model.variables[place]?.path ?? '';
  }
}

function keyOf(places: readonly number[]): string {
  return [...places].sort((a, b) => a - b).join();
}
