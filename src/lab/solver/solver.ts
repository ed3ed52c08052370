/** What answers questions about formulas. The public types lead here, so it has none of z3. */

import type { Formula } from './formula.ts';

/** The answer to a question: satisfiable, with a state of each variable; or not; or nobody knows in the time. */
export type Answer =
  | { readonly kind: 'satisfiable'; readonly states: readonly number[] }
  | { readonly kind: 'unsatisfiable' }
  | { readonly kind: 'unknown' };

/** Answers questions about the states of a space. */
export interface Solver {
  /** Adds a variable with some number of states to those of the space; gives its index in formulas and answers. */
  addVariable(states: number): number;
  /** A formula that has to hold in the answers to all later questions. */
  assert(formula: Formula): void;
  /**
   * Whether these formulas hold at once, with all that were asserted; `unknown` too if z3 breaks down. States in which
   * they nearly hold shorten the search.
   */
  ask(formulas: readonly Formula[], timeoutMs: number, near?: readonly number[]): Promise<Answer>;
  /** The same by z3 alone: for formulas that no state was found for before. */
  check(formulas: readonly Formula[], timeoutMs: number): Promise<Answer>;
}
