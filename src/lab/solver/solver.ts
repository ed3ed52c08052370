/** Formulas -> whether all hold in some states of the variables, and in which. */

import type { Space } from '../space/space.ts';
import { type Formula, isKept } from './formula.ts';
import { createWalk } from './seek.ts';
import { Session } from './session.ts';
import { Breakdown, loadZ3, type Z3Instance } from './z3.ts';

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
  /** Whether these formulas hold at once, with all that were asserted; `unknown` too if z3 breaks down. */
  ask(formulas: readonly Formula[], timeoutMs: number): Promise<Answer>;
}

/** How many states the first walk tries, and how long z3 then tries; each time both get more, in turns. */
const FIRST_TRIES = 4_000;
const FIRST_CHECK_MS = 30;

/** Creates a solver for a space, with its ties asserted. Throws CONFIGURATION_INVALID if z3 is not installed. */
export async function createSolver(space: Space, load: () => Promise<Z3Instance> = loadZ3): Promise<Solver> {
  const sizes = space.variables.map(({ states }) => states.length);
  const asserted = space.ties.map(isKept);
  await load();
  let session: Session | undefined;
  const seek = async (open: Session, formulas: readonly Formula[], endsAt: number): Promise<Answer> => {
    // Where a walk starts does not depend on earlier answers: a missing value, the state 0, says least.
    const start = sizes.map((size) => Math.min(1, size - 1));
    const walk = createWalk([...asserted, ...formulas], start);
    for (let effort = 1; ; effort *= 4) {
      const walked = walk.seek(effort * FIRST_TRIES, endsAt);
      if (walked) return { kind: 'satisfiable', states: walked };
      const found = await open.check(Math.min(endsAt - performance.now(), effort * FIRST_CHECK_MS));
      if (found) return found === 'none' ? { kind: 'unsatisfiable' } : { kind: 'satisfiable', states: found };
      if (performance.now() >= endsAt) return { kind: 'unknown' };
    }
  };
  return {
    addVariable: (size) => sizes.push(size) - 1,
    assert(formula) {
      asserted.push(formula);
    },
    async ask(formulas, timeoutMs) {
      const endsAt = performance.now() + timeoutMs;
      try {
        if (!session || session.isBroken) session = await Session.open(await load());
        await session.tell(sizes, asserted);
        await session.push(formulas);
        const answer = await seek(session, formulas, endsAt);
        await session.pop();
        return answer;
      } catch (error) {
        if (error instanceof Breakdown) return { kind: 'unknown' };
        throw error;
      }
    },
  };
}
