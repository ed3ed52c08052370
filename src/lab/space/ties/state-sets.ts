/** Variables -> sets of their states, and the states of two that exclude each other. */

import type { Tie, Variable } from '../variable.ts';

/** One of the variables, by its index. */
export interface Tied {
  readonly variable: number;
}

/** More pairs of states are not compared: without a tie fewer policies are proved the same. */
const MOST_PAIRS = 250_000;

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
    if (own.length * others.length > MOST_PAIRS) return;
    const known = [...own.keys()].filter((state) => own[state]?.isMissing === false);
    const rows = Map.groupBy(known, (a) => others.map((_, b) => (canBe(a, b) ? '' : 'x')).join());
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
