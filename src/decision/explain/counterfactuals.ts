/** A model and an outcome -> the smallest sets of facts that lead to it, each with the choices that do. */

import { isMissing } from '../../facts/fact.ts';
import type { Outcome } from '../../policy/language.ts';
import type { Constraint } from './model/constraints.ts';
import { outcomeBit, queryBudget } from './model/judge.ts';
import { boundsIn, type Model, present } from './model/model.ts';
import { eitherOf, type TruthBounds } from './model/truth-bounds.ts';
import type { Limit, Steps } from './steps.ts';

/** The most steps of a search: about a second. */
const MOST_STEPS = 1e8;

/** The size of the largest sets that are looked for. */
const MOST_CHANGES = 3;

/** A set of facts that change: by the index of each variable, the index of its new choice. */
export type ChangeSet = ReadonlyMap<number, number>;

export interface FoundCounterfactuals {
  /**
   * `notFound`: no set of up to three facts leads to the outcome. `never`: no values of any facts do.
   * `stopped`: the limit of the search was reached before any set was found.
   */
  readonly result: 'found' | 'notFound' | 'never' | 'stopped';
  /** All sets of the smallest size. */
  readonly sets: readonly ChangeSet[];
  /** Whether every set of this size or smaller was decided: none lacks sample values that satisfy the constraints. */
  readonly isExact: boolean;
}

/** Looks for sets of one fact, then of two, then of three. INVARIANT: the present outcome is another. */
export function* searchCounterfactuals(model: Model, to: Outcome): Steps<FoundCounterfactuals> {
  const search = new Search(model, to);
  if (!search.isReachable()) return { result: 'never', sets: [], isExact: true };
  for (let size = 1; size <= MOST_CHANGES; size++) {
    const isDone = yield* search.findSets(size);
    if (search.found.size > 0)
      return { result: 'found', sets: [...search.found.values()], isExact: isDone && search.isExact };
    if (!isDone) return { result: 'stopped', sets: [], isExact: false };
  }
  // Where no more than three facts can change, every combination has been tried.
  const result = search.isExact && search.changeable.length <= MOST_CHANGES ? 'never' : 'notFound';
  return { result, sets: [], isExact: search.isExact };
}

/** Facts that block the outcome: as long as none of them changes, it cannot be reached. */
type Blockers = readonly number[];

/** A step of the search. */
interface Node {
  /** By variable, the index of its choice. */
  readonly at: readonly number[];
  /** The facts that may still change. */
  readonly open: readonly number[];
  /** How many of them may. */
  readonly budget: number;
  /** Disjoint sets of blockers among the open facts. */
  readonly blockers: readonly Blockers[];
}

class Stopped extends Error {}

/**
 * Every set of facts that leads to the outcome contains one of any set of blockers, so that the search
 * branches on the facts of one such set. Where there are more disjoint sets of blockers than facts may
 * change, there is nothing to find.
 */
class Search {
  readonly found = new Map<string, ChangeSet>();
  /** The facts that can change, those with the most choices first: blockers with few choices make few branches. */
  readonly changeable: readonly number[];
  readonly #model: Model;
  readonly #to: Outcome;
  /** By variable, the choices that it can change to, and the bounds over these and its present state. */
  readonly #choices: readonly (readonly number[])[];
  readonly #bounds: readonly TruthBounds[];
  /** Sets that lead to the outcome by cells, but without sample values that satisfy the constraints. */
  readonly #unbuilt = new Set<string>();
  /** By budget, the blockers found last: they often block the next node too, which saves looking for others. */
  readonly #latest: Blockers[] = [];
  readonly #mostQueries: number;
  readonly #limit: Limit;

  constructor(model: Model, to: Outcome) {
    const { variables, judge, form } = model;
    this.#model = model;
    this.#to = to;
    this.#choices = variables.map(({ choices, isFixed }) =>
      choices.flatMap(({ fact }, i) => (isFixed || i === 0 || (fact && isMissing(fact)) ? [] : [i])),
    );
    this.#bounds = variables.map(({ choices }, i) =>
      eitherOf([0, ...this.#choicesOf(i)].map((choice) => choices[choice]?.bounds as TruthBounds)),
    );
    this.changeable = [...variables.keys()]
      .filter((i) => this.#choicesOf(i).length > 0)
      .sort((a, b) => this.#choicesOf(b).length - this.#choicesOf(a).length);
    this.#mostQueries = judge.queries + queryBudget(form.mask.length, variables.length);
    this.#limit = model.work.limit(MOST_STEPS);
  }

  get isExact(): boolean {
    return [...this.#unbuilt].every((key) => this.found.has(key));
  }

  isReachable(): boolean {
    return this.#canReach(present(this.#model), this.changeable);
  }

  /** Finds all sets of a size; false if the search was stopped. INVARIANT: there is no smaller set. */
  *findSets(size: number): Steps<boolean> {
    try {
      yield* this.#explore({ at: present(this.#model), open: this.changeable, budget: size, blockers: [] });
      return true;
    } catch (error) {
      if (error instanceof Stopped) return false;
      throw error;
    }
  }

  /** Ends the search where it has taken too many steps. */
  #checkLimit(): void {
    if (this.#limit.isReached()) throw new Stopped();
  }

  *#explore(node: Node): Steps<void> {
    const { judge, variables } = this.#model;
    yield;
    if (judge.queries > this.#mostQueries) throw new Stopped();
    this.#checkLimit();
    const reached = this.#judge(node.at);
    if (reached === 'yes' || node.budget === 0) return;
    if (reached !== 'no') {
      // Another fact of the violated constraint has to change too.
      const related = node.open.filter((i) => reached.facts.includes(variables[i]?.path ?? ''));
      yield* this.#branch({ ...node, blockers: [] }, related);
      return;
    }
    const [smallest, ...others] = yield* this.#findBlockers(node);
    if (smallest) yield* this.#branch({ ...node, blockers: others }, smallest);
  }

  /** Tries every choice of each of some facts, of which every set contains one. */
  *#branch(node: Node, facts: readonly number[]): Steps<void> {
    let { open } = node;
    for (const i of facts) {
      yield;
      this.#checkLimit();
      open = open.filter((other) => other !== i);
      if (node.budget === 1 && (this.found.has(keyOf([...changedIn(node.at), i])) || !this.#canReach(node.at, [i])))
        continue;
      for (const choice of this.#choicesOf(i)) {
        yield* this.#explore({ ...node, at: node.at.with(i, choice), open, budget: node.budget - 1 });
      }
    }
  }

  /** Disjoint sets of blockers, the one with the fewest choices first; empty where the outcome is out of reach. */
  *#findBlockers({ at, open, budget, blockers }: Node): Steps<readonly Blockers[]> {
    const found = [...blockers];
    let rest = open.filter((i) => !found.some((set) => set.includes(i)));
    while (found.length === 0 || !this.#canReach(at, found.flat())) {
      // Each of these sets needs a change of its own, and so does the rest.
      if (found.length === budget || !this.#canReach(at, open)) return [];
      const isBlocked = (kept: ReadonlySet<number>) =>
        !this.#canReach(
          at,
          open.filter((i) => !kept.has(i)),
        );
      const latest = this.#latest[budget]?.filter((i) => rest.includes(i)) ?? [];
      const set = isBlocked(new Set(latest)) ? latest : yield* this.#withoutNeedless(rest, isBlocked);
      this.#latest[budget] = set;
      found.push(set);
      rest = rest.filter((i) => !set.includes(i));
    }
    const branches = (set: Blockers) => set.reduce((sum, i) => sum + this.#choicesOf(i).length, 0);
    return found.sort((one, other) => branches(one) - branches(other));
  }

  /** The elements without those that are not needed. INVARIANT: all of them together are enough. */
  *#withoutNeedless(
    elements: readonly number[],
    isEnough: (kept: ReadonlySet<number>) => boolean,
  ): Steps<readonly number[]> {
    const kept = new Set(elements);
    for (const element of elements) {
      yield;
      this.#checkLimit();
      kept.delete(element);
      if (!isEnough(kept)) kept.add(element);
    }
    return [...kept];
  }

  /** Whether the outcome may be reached if only the open facts change. */
  #canReach(at: readonly number[], open: readonly number[]): boolean {
    const assignment: (number | TruthBounds)[] = [...at];
    for (const i of open) assignment[i] = this.#bounds[i] as TruthBounds;
    return (this.#model.judge.possible(boundsIn(this.#model, assignment)) & outcomeBit(this.#to)) !== 0;
  }

  /** Whether facts lead to the outcome and satisfy all constraints; else the violated constraint. Records the set. */
  #judge(at: readonly number[]): 'yes' | 'no' | Constraint {
    const { variables, judge, constraints } = this.#model;
    const hasUnsampled = at.some((choice, i) => variables[i]?.choices[choice]?.fact === undefined);
    const isReached = hasUnsampled ? this.#canReach(at, []) : judge.outcome(boundsIn(this.#model, at)) === this.#to;
    if (!isReached) return 'no';
    const changed = changedIn(at);
    const key = keyOf(changed);
    const facts = new Map(variables.map(({ path, choices }, i) => [path, choices[at[i] as number]?.fact]));
    const violated = hasUnsampled ? undefined : constraints.find(({ allows }) => !allows((path) => facts.get(path)));
    if (hasUnsampled || violated?.sampled.some((path) => facts.has(path))) this.#unbuilt.add(key);
    if (violated) return violated;
    if (!hasUnsampled && !this.found.has(key)) this.found.set(key, new Map(changed.map((i) => [i, at[i] as number])));
    return 'yes';
  }

  #choicesOf(index: number): readonly number[] {
    return this.#choices[index] as readonly number[];
  }
}

function changedIn(at: readonly number[]): number[] {
  return [...at.keys()].filter((i) => at[i] !== 0);
}

function keyOf(indexes: readonly number[]): string {
  return [...indexes].sort((a, b) => a - b).join();
}
