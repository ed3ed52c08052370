/** A model and an outcome -> the smallest sets of changes that lead to it; values of open facts that lead to it. */

import { isMissing } from '../../facts/fact.ts';
import type { Outcome } from '../../policy/language.ts';
import { outcomeBit } from '../meaning/outcome-range.ts';
import type { Constraint } from './model/constraints.ts';
import { queryBudget } from './model/judge.ts';
import { type Assignment, boundsIn, type Model, present } from './model/model.ts';
import { eitherOf, type TruthBounds } from './model/truth-bounds.ts';
import type { Variable } from './model/variable.ts';
import type { Limit, Steps } from './steps.ts';

/** The most steps of a search: about a second. */
const MOST_STEPS = 1e8;

/** The size of the largest sets of changes that are looked for. */
const MOST_CHANGES = 3;

/** What changes at once, by the indexes of its variables: one fact, or the facts that the answer of a source brings. */
export type Unit = readonly number[];

/** The facts that change: by the index of each variable, the index of its new choice. */
export type ChangeSet = ReadonlyMap<number, number>;

interface FoundCounterfactuals {
  /**
   * `notFound`: no set of up to three changes leads to the outcome. `never`: no values of any facts do.
   * `stopped`: the limit of the search was reached before any set was found.
   */
  readonly result: 'found' | 'notFound' | 'never' | 'stopped';
  /** The number of changes in each set. */
  readonly size: number;
  /** All sets of the smallest size. */
  readonly sets: readonly ChangeSet[];
  /** Whether every set of this size or smaller was decided: none lacks sample values that satisfy the constraints. */
  readonly isExact: boolean;
}

/**
 * Looks for sets of one change, then of two, then of three. `together` are groups of facts that change at once; any
 * other fact is a change by itself. INVARIANT: the present outcome is not `to`.
 */
export function* searchCounterfactuals(
  model: Model,
  to: Outcome,
  together: readonly Unit[] = [],
): Steps<FoundCounterfactuals> {
  const search = new Search(model, to, together);
  if (!search.isReachable()) return { result: 'never', size: 0, sets: [], isExact: true };
  for (let size = 1; size <= MOST_CHANGES; size++) {
    const isDone = yield* search.findSets(size);
    if (search.found.size > 0)
      return { result: 'found', size, sets: [...search.found.values()], isExact: isDone && search.isExact };
    if (!isDone) return { result: 'stopped', size: 0, sets: [], isExact: false };
  }
  // If there are no more than three possible changes, every combination has been tried.
  const result = search.isExact && search.isComplete(MOST_CHANGES) ? 'never' : 'notFound';
  return { result, size: 0, sets: [], isExact: search.isExact };
}

/** Units that block the outcome: it cannot be reached unless at least one of them changes. */
type Blockers = readonly number[];

/** A step of the search. */
interface Node {
  /** By variable, the index of its choice, or its bounds if the answer of a source may bring any value. */
  readonly at: Assignment;
  /** The units that have changed, and the variables that they left open. */
  readonly changed: readonly number[];
  readonly opened: readonly number[];
  /** The units that may still change. */
  readonly open: readonly number[];
  /** How many of the open units may change. */
  readonly budget: number;
  /** Disjoint sets of blockers among the open units. */
  readonly blockers: readonly Blockers[];
}

class Stopped extends Error {}

/**
 * Every set of changes that leads to the outcome contains a unit of each set of blockers, so the search branches on
 * the units of one such set. If there are more disjoint sets of blockers than units may change, no set of changes
 * exists.
 */
class Search {
  readonly found = new Map<string, ChangeSet>();
  /** What can change, with the most choices first: blockers with few choices make few branches. */
  readonly #units: readonly Unit[];
  readonly #model: Model;
  readonly #to: Outcome;
  /** By variable, the choices that it can change to, and the bounds over these and its present state. */
  readonly #choices: readonly (readonly number[])[];
  readonly #bounds: readonly TruthBounds[];
  /** Sets that lead to the outcome by cells, but without sample values that satisfy the constraints. */
  readonly #unbuilt = new Set<string>();
  /** By budget, the latest blockers: they often block the next node too, which saves looking for others. */
  readonly #latest: Blockers[] = [];
  readonly #mostQueries: number;
  readonly #limit: Limit;

  constructor(model: Model, to: Outcome, together: readonly Unit[]) {
    const { variables, judge, form } = model;
    this.#model = model;
    this.#to = to;
    this.#choices = variables.map((variable) =>
      variable.isFixed ? [] : knownChoices(variable).filter((choice) => choice !== 0),
    );
    this.#bounds = variables.map(({ choices }, i) =>
      eitherOf([0, ...this.#choicesOf(i)].map((choice) => choices[choice]?.bounds as TruthBounds)),
    );
    const changeable = [...variables.keys()].filter((i) => this.#choicesOf(i).length > 0);
    const joint = together.map((unit) => unit.filter((i) => changeable.includes(i))).filter(({ length }) => length > 0);
    const single = changeable.filter((i) => !joint.some((unit) => unit.includes(i))).map((i) => [i]);
    this.#units = [...joint, ...single].sort((a, b) => this.#branches(b) - this.#branches(a));
    this.#mostQueries = judge.queries + queryBudget(form.mask.length, variables.length);
    this.#limit = model.work.limit(MOST_STEPS);
  }

  get isExact(): boolean {
    return [...this.#unbuilt].every((key) => this.found.has(key));
  }

  /** Whether no set of changes is larger than `size`. */
  isComplete(size: number): boolean {
    return this.#units.length <= size;
  }

  isReachable(): boolean {
    return this.#canReach(present(this.#model), [...this.#units.keys()]);
  }

  /** Finds all sets of a size; false if the search was stopped. INVARIANT: there is no smaller set. */
  *findSets(size: number): Steps<boolean> {
    const open = [...this.#units.keys()];
    try {
      yield* this.#explore({ at: present(this.#model), changed: [], opened: [], open, budget: size, blockers: [] });
      return true;
    } catch (error) {
      if (error instanceof Stopped) return false;
      throw error;
    }
  }

  /** Ends the search if it has taken too many steps. */
  #checkLimit(): void {
    if (this.#isOver()) throw new Stopped();
  }

  #isOver(): boolean {
    return this.#model.judge.queries > this.#mostQueries || this.#limit.isReached();
  }

  *#explore(node: Node): Steps<void> {
    yield;
    this.#checkLimit();
    const reached = node.opened.length === 0 ? this.#judge(node) : yield* this.#complete(node);
    if (reached === 'yes' || node.budget === 0) return;
    if (reached !== 'no') {
      // Another fact of the violated constraint has to change too.
      yield* this.#branch({ ...node, blockers: [] }, this.#unitsOf(reached, node.open));
      return;
    }
    const [smallest, ...others] = yield* this.#findBlockers(node);
    if (smallest) yield* this.#branch({ ...node, blockers: others }, smallest);
  }

  /** Tries every change of each of some units, of which every set contains one. */
  *#branch(node: Node, units: readonly number[]): Steps<void> {
    let { open } = node;
    for (const i of units) {
      yield;
      this.#checkLimit();
      open = open.filter((other) => other !== i);
      const changed = [...node.changed, i];
      if (node.budget === 1 && (this.found.has(keyOf(changed)) || !this.#canReach(node.at, [i]))) continue;
      const next = { ...node, changed, open, budget: node.budget - 1 };
      const unit = this.#units[i] as Unit;
      const [only] = unit as [number];
      if (unit.length > 1) {
        const at = openKnown(this.#model, node.at, unit);
        yield* this.#explore({ ...next, at, opened: [...node.opened, ...unit] });
      } else {
        for (const choice of this.#choicesOf(only)) yield* this.#explore({ ...next, at: node.at.with(only, choice) });
      }
    }
  }

  /** Disjoint sets of blockers, the one with the fewest choices first; empty if the outcome cannot be reached. */
  *#findBlockers({ at, open, budget, blockers }: Node): Steps<readonly Blockers[]> {
    const disjoint = [...blockers];
    let rest = open.filter((i) => !disjoint.some((set) => set.includes(i)));
    while (disjoint.length === 0 || !this.#canReach(at, disjoint.flat())) {
      // Each of these sets needs a separate change, and so do the remaining units.
      if (disjoint.length === budget || !this.#canReach(at, open)) return [];
      const isBlocked = (kept: ReadonlySet<number>) =>
        !this.#canReach(
          at,
          open.filter((i) => !kept.has(i)),
        );
      const latest = this.#latest[budget]?.filter((i) => rest.includes(i)) ?? [];
      const set = isBlocked(new Set(latest)) ? latest : yield* this.#removeNeedless(rest, isBlocked);
      this.#latest[budget] = set;
      disjoint.push(set);
      rest = rest.filter((i) => !set.includes(i));
    }
    const branches = (set: Blockers) => set.reduce((sum, i) => sum + this.#branches(this.#units[i] as Unit), 0);
    return disjoint.sort((one, other) => branches(one) - branches(other));
  }

  /**
   * Removes elements that are not needed. Keeps all if even together they are not enough, which happens when open
   * facts depend on each other.
   */
  *#removeNeedless(
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

  /** Whether the outcome may be reached if only the open units change. */
  #canReach(at: Assignment, open: readonly number[]): boolean {
    const assignment: (number | TruthBounds)[] = [...at];
    for (const unit of open) for (const i of this.#units[unit] as Unit) assignment[i] = this.#bounds[i] as TruthBounds;
    return (this.#model.judge.possible(boundsIn(this.#model, assignment)) & outcomeBit(this.#to)) !== 0;
  }

  /** Whether facts lead to the outcome and satisfy all constraints, or the violated constraint. Records the set. */
  #judge({ at, changed }: Node): 'yes' | 'no' | Constraint {
    const { variables, judge, constraints } = this.#model;
    const chosen = at as readonly number[];
    const hasUnsampled = chosen.some((choice, i) => variables[i]?.choices[choice]?.fact === undefined);
    const isReached = hasUnsampled ? this.#canReach(at, []) : judge.outcome(boundsIn(this.#model, at)) === this.#to;
    if (!isReached) return 'no';
    const key = keyOf(changed);
    const facts = new Map(variables.map(({ path, choices }, i) => [path, choices[chosen[i] as number]?.fact]));
    const violated = hasUnsampled ? undefined : constraints.find(({ allows }) => !allows((path) => facts.get(path)));
    if (hasUnsampled || violated?.sampled.some((path) => facts.has(path))) this.#unbuilt.add(key);
    if (violated) return violated;
    if (!hasUnsampled) this.#record(key, chosen);
    return 'yes';
  }

  /** Whether values of the facts that are open lead to the outcome. Records the set. */
  *#complete({ at, changed, opened }: Node): Steps<'yes' | 'no'> {
    const hasUnsampled = at.some((choice, i) => {
      return typeof choice === 'number' && this.#model.variables[i]?.choices[choice]?.fact === undefined;
    });
    const request = { at, open: opened, isOver: () => this.#isOver() };
    const completed = hasUnsampled ? 'unknown' : yield* completeFacts(this.#model, request, this.#to);
    this.#checkLimit();
    if (typeof completed !== 'string') this.#record(keyOf(changed), completed);
    else if (completed === 'unknown' && this.#canReach(at, [])) this.#unbuilt.add(keyOf(changed));
    return typeof completed === 'string' ? 'no' : 'yes';
  }

  #record(key: string, at: readonly number[]): void {
    if (this.found.has(key)) return;
    this.found.set(key, new Map([...at.entries()].filter(([, choice]) => choice !== 0)));
  }

  /** The open units that have a fact of a constraint. */
  #unitsOf({ facts }: Constraint, open: readonly number[]): readonly number[] {
    const { variables } = this.#model;
    return open.filter((unit) => this.#units[unit]?.some((i) => facts.includes(variables[i]?.path ?? '')));
  }

  #choicesOf(index: number): readonly number[] {
    return this.#choices[index] as readonly number[];
  }

  /** The number of branches that a unit makes: one if its facts stay open. */
  #branches(unit: Unit): number {
    return unit.length > 1 ? 1 : this.#choicesOf(unit[0] as number).length;
  }
}

function keyOf(units: readonly number[]): string {
  return [...units].sort((a, b) => a - b).join();
}

/** The indexes of the choices with which a fact is known, including those without a sample. */
function knownChoices({ choices }: Variable): readonly number[] {
  return [...choices.keys()].filter((i) => {
    const fact = choices[i]?.fact;
    return fact === undefined || !isMissing(fact);
  });
}

/** An assignment with some facts open: each may have any value, but is not missing. */
export function openKnown({ variables }: Model, at: Assignment, open: readonly number[]): Assignment {
  const opened = [...at];
  for (const i of open) {
    const { choices } = variables[i] as Variable;
    opened[i] = eitherOf(
      knownChoices(variables[i] as Variable).map((choice) => choices[choice]?.bounds as TruthBounds),
    );
  }
  return opened;
}

/** Whether facts lead to an outcome and do not contradict each other. All of them have values. */
export function leadsTo(model: Model, at: readonly number[], to: Outcome): boolean {
  const isSampled = at.every((choice, i) => model.variables[i]?.choices[choice]?.fact !== undefined);
  return isSampled && model.judge.outcome(boundsIn(model, at)) === to && violatedBy(model, at).length === 0;
}

/** The constraints that facts violate for every value of the open ones. */
function violatedBy({ variables, constraints }: Model, at: Assignment): readonly Constraint[] {
  const facts = new Map(
    variables.map(({ path, choices }, i) => {
      const choice = at[i];
      return [path, typeof choice === 'number' ? choices[choice]?.fact : undefined];
    }),
  );
  return constraints.filter(({ allows }) => !allows((path) => facts.get(path)));
}

/** The choice of every fact. `none`: no combination exists. `unknown`: the search gave up. */
type Completion = readonly number[] | 'none' | 'unknown';

/** The assignment to complete, and when to stop. */
interface Incomplete {
  /** Open facts are among `open`, the indexes of their variables. */
  readonly at: Assignment;
  readonly open: readonly number[];
  readonly isOver: () => boolean;
}

/** Tries the values of one open fact after the other, the nearest first, as long as the outcome is possible. */
export function* completeFacts(model: Model, { at, open, isOver }: Incomplete, to: Outcome): Steps<Completion> {
  const { judge, variables } = model;
  yield;
  if (isOver()) return 'unknown';
  if ((judge.possible(boundsIn(model, at)) & outcomeBit(to)) === 0) return 'none';
  const violated = violatedBy(model, at);
  if (violated.length > 0) {
    const isSampled = ({ path }: Variable) => violated.some(({ sampled }) => sampled.includes(path));
    return variables.some(isSampled) ? 'unknown' : 'none';
  }
  const [index, ...rest] = open;
  if (index === undefined) {
    return judge.outcome(boundsIn(model, at)) === to ? (at as readonly number[]) : 'none';
  }
  let result: 'none' | 'unknown' = 'none';
  const variable = variables[index] as Variable;
  for (const choice of knownChoices(variable)) {
    const { fact, bounds } = variable.choices[choice] as Variable['choices'][number];
    const isSampled = fact !== undefined;
    const next = at.with(index, isSampled ? choice : bounds);
    const completed = isSampled
      ? yield* completeFacts(model, { at: next, open: rest, isOver }, to)
      : (judge.possible(boundsIn(model, next)) & outcomeBit(to)) === 0
        ? 'none'
        : 'unknown';
    if (typeof completed !== 'string') return completed;
    if (completed === 'unknown') result = 'unknown';
    if (isOver()) return 'unknown';
  }
  return result;
}
