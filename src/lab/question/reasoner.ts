/** Policies on a day -> what every question about all applicants needs: states, formulas, and a solver. */

import type { FactTable } from '../../facts/catalog.ts';
import { DAY } from '../../facts/day.ts';
import { type Kind, readArgument, wholeNumber } from '../../platform/given/options.ts';
import type { Condition, Policy } from '../../policy/language.ts';
import { POLICY } from '../../policy/source-map.ts';
import { createSolver } from '../solver/create-solver.ts';
import { Encoding } from '../solver/encode.ts';
import type { Solver } from '../solver/formula.ts';
import { createSpace, jointTable, type Space } from '../space/space.ts';

/** How many steps a command may take. */
export const STEPS = wholeNumber(1);

/** The options of every question. */
export const QUESTION_OPTIONS = { at: DAY, 'steps?': STEPS } as const;

/** A condition of a policy that was read: that of a rule, of a guarantee, or a named one. */
export const CONDITION: Kind = {
  expected: 'a condition of a policy as it was read',
  is: (value) => typeof value === 'object' && value !== null && 'kind' in value,
};

/** Throws REQUEST_INVALID unless both are policies. */
export function checkPolicies(old: unknown, now: unknown): void {
  readArgument('the old policy', POLICY, old);
  readArgument('the new policy', POLICY, now);
}

export interface Reasoner {
  readonly space: Space;
  readonly encoding: Encoding;
  readonly solver: Solver;
  /** The facts of all policies, by which an applicant is read that both of them decide. */
  readonly table: FactTable;
  /** The facts for which no values were found in states that the solver named, of the questions so far. */
  readonly stuck: Set<string>;
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
  const solver = await createSolver(space);
  return { space, encoding: new Encoding(space), solver, table: jointTable(policies), stuck: new Set() };
}

/** The same, with z3 alone to answer: for questions that a walk answers no sooner. */
export function withoutWalks(reasoner: Reasoner): Reasoner {
  const { solver } = reasoner;
  return { ...reasoner, solver: { ...solver, ask: solver.check } };
}
