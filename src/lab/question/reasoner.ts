/** Policies on a day -> what every question about all applicants needs: states, formulas, a solver. */

import type { FactTable } from '../../facts/catalog.ts';
import type { Condition, Policy } from '../../policy/language.ts';
import { createSolver } from '../solver/create-solver.ts';
import { Encoding } from '../solver/encode.ts';
import type { Solver } from '../solver/solver.ts';
import { jointTable } from '../space/joint-table.ts';
import { createSpace, type Space } from '../space/space.ts';

/** The time of all questions together, and when it is over, by `performance.now()`. */
export interface Time {
  readonly timeoutMs: number;
  readonly endsAt: number;
}

export interface Reasoner {
  readonly space: Space;
  readonly encoding: Encoding;
  readonly solver: Solver;
  /** The facts of all policies, by which an applicant is read that both of them decide. */
  readonly table: FactTable;
}

/**
 * Prepares questions about one policy, or about several over the same facts, and about further conditions, whose facts
 * are those of the last policy. Throws REQUEST_INVALID for policies that
 * declare a fact in different ways, and CONFIGURATION_INVALID if the solver is not installed.
 */
export async function createReasoner(
  policies: readonly Policy[],
  day: string,
  conditions: readonly Condition[] = [],
): Promise<Reasoner> {
  const space = createSpace(policies, day, conditions);
  return { space, encoding: new Encoding(space), solver: await createSolver(space), table: jointTable(policies) };
}

/** The same, with z3 alone to answer: for questions that a walk answers no sooner. */
export function withoutWalks(reasoner: Reasoner): Reasoner {
  const { solver } = reasoner;
  return { ...reasoner, solver: { ...solver, ask: solver.check } };
}
