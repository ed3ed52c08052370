/** Variables -> sets of their states, those in which facts are missing or have some value, and numbers of a state. */

import { endsOf } from '../../../policy/cells/segments.ts';
import { MOST_STATE_PAIRS } from '../../limits.ts';
import type { Tie, Variable } from '../variable.ts';

/** One of the variables, by its index. */
export interface Tied {
  readonly variable: number;
}

/** Names sets of states of some variables. */
export class StateSets {
  readonly #variables: readonly Variable[];

  constructor(variables: readonly Variable[]) {
    this.#variables = variables;
  }

  known(of: Tied): Tie[number] {
    return [of.variable, this.#statesOf(of).map(({ isMissing }) => !isMissing)];
  }

  missing(of: Tied): Tie[number] {
    return [of.variable, this.#statesOf(of).map(({ isMissing }) => isMissing)];
  }

  /**
   * The states of two variables that exclude each other. States of the first that exclude the same are one tie; its
   * missing state excludes none.
   */
  *apart(one: Tied, other: Tied, canBe: (state: number, other: number) => boolean): Generator<Tie> {
    const [own, others] = [this.#statesOf(one), this.#statesOf(other)];
    if (own.length * others.length > MOST_STATE_PAIRS) return;
    const knownStates = [...own.keys()].filter((state) => own[state]?.isMissing === false);
    const rows = Map.groupBy(knownStates, (a) => others.map((_, b) => (canBe(a, b) ? '' : 'x')).join());
    for (const [row, states] of rows) {
      const isOf = new Set(states);
      const excluded = row.split(',').map((each) => each === 'x');
      if (excluded.includes(true))
        yield [
          [one.variable, own.map((_, a) => isOf.has(a))],
          [other.variable, excluded],
        ];
    }
  }

  #statesOf({ variable }: Tied): Variable['states'] {
    return this.#variables[variable]?.states ?? [];
  }
}

/** What the tests of a variable are about. */
export interface Subject extends Tied {
  /**
   * The fact, or the two that are compared: it is missing where one of them is, and nowhere else. Facts that policies
   * compute alike have one name here.
   */
  readonly facts: readonly string[];
  /** What the policy computes them from: it is missing where one of these is, and perhaps elsewhere. */
  readonly operands: readonly string[];
}

/** The ties of missing facts: as few as say it, since a fact may have hundreds of variables. */
export function* missingTies(subjects: readonly Subject[], variables: readonly Variable[]): Generator<Tie> {
  const sets = new StateSets(variables);
  const groups = [...Map.groupBy(subjects, ({ facts }) => [...new Set(facts)].sort().join()).values()];
  const firsts = groups.flatMap(([first]) => first ?? []);
  for (const group of groups.filter(({ length }) => length > 1)) {
    for (const [i, each] of group.entries())
      yield [sets.known(each), sets.missing(group[(i + 1) % group.length] as Subject)];
  }
  for (const each of firsts) {
    const needed = new Set([...each.facts, ...each.operands]);
    const parts = firsts.filter((other) => other !== each && other.facts.every((path) => needed.has(path)));
    for (const part of parts) yield [sets.known(each), sets.missing(part)];
    const alone = each.facts.map((path) => parts.find(({ facts }) => facts.every((fact) => fact === path)));
    if (alone.every((part) => part !== undefined)) yield [sets.missing(each), ...alone.map((part) => sets.known(part))];
  }
}

/** The numbers from the least to the most, both included. */
export type Range = readonly [least: number, most: number];

/** What a state leaves of a number; undefined where nothing is known of it. */
export type Ranges = readonly Range[] | undefined;

/** By state of a variable, the numbers in it. */
export function rangesByState(variable: Variable | undefined): readonly Ranges[] {
  return variable?.states.map((_, state) => rangesOf(variable, state)) ?? [];
}

/** The numbers of a state of a number. */
export function rangesOf({ axes, cells }: Variable, state: number): Ranges {
  const [axis] = axes;
  if (axes.length !== 1 || axis?.numbers?.unit !== 'number') return undefined;
  const { firstValue, numbers } = axis;
  const ownCells = cells[0]?.[state]?.filter((cell) => cell >= firstValue) ?? [];
  return ownCells.length === 0 ? undefined : ownCells.map((cell) => endsOf(numbers.steps, cell - firstValue));
}
