/** The facts that policies read, each with the states that their tests tell apart. */

import type { Fact, Facts } from '../../facts/fact.ts';
import type { Axis } from '../../policy/cells/cells.ts';

/** One state of a variable. The tests of all compared policies have one truth in it. */
export interface State {
  /** A fact in this state; undefined if only the truth of its tests is known. */
  readonly fact: Fact | undefined;
  readonly isMissing: boolean;
}

/** The facts that are in the states of a variable on one day. */
export interface FactsOnDay {
  /** By state: one of them; undefined if there is none. */
  readonly inStates: readonly (Fact | undefined)[];
  readonly samples: readonly Fact[];
}

/** How two facts compare; `different` where their values have no order. */
export type Relation = 'less' | 'same' | 'greater' | 'different';

/**
 * What tests look at: a fact, or one axis of it where no sample of values covers all combinations of its axes (tests of
 * parts of a text, facts that a policy computes, one fact against another).
 */
export interface Variable {
  /** The fact; for an axis, the first of its facts. */
  readonly path: string;
  /** The first is the missing one. */
  readonly states: readonly State[];
  /** The axes of the fact. If it has cells instead of samples, the one axis whose cells are the states. */
  readonly axes: readonly Axis[];
  /** By axis, by state: the cells of its values. */
  readonly cells: readonly (readonly (readonly number[])[])[];
  /** By state, how the two facts can compare if it is about two facts. */
  readonly relations?: readonly ReadonlySet<Relation>[];
  /** By day of the space, if other facts are in the states on each. */
  readonly factsOn?: ReadonlyMap<string, FactsOnDay>;
  /**
   * The index of the state in which facts lie on a day, by default that of the space; -1 if they are in none: on
   * another day, an age and a date of the calendar may meet as they do on no applicant of the space's days.
   */
  find(facts: Facts, day?: string): number;
}

/** A set of states of one variable: whether each is in it. */
export type StateSet = readonly boolean[];

/** Sets of states of several variables that exclude each other. */
export type Tie = readonly (readonly [variable: number, states: StateSet])[];

/** The truth of a test: in the other states of the variable it is false. */
export interface TestStates {
  /** The index of the variable. */
  readonly variable: number;
  readonly isTrue: StateSet;
  readonly isUnknown: StateSet;
}
