/** Formulas -> whether all hold in some states of the variables, and in which. */

import { WALK_FIRST_TRIES, Z3_FIRST_STEPS } from '../limits.ts';
import type { Space } from '../space/space.ts';
import type { Steps } from '../steps.ts';
import { type Answer, type Formula, isKept, type Solver } from './formula.ts';
import { createWalk, type Walk } from './seek.ts';
import { Session } from './session.ts';
import { Breakdown, loadZ3, type Z3Instance } from './z3.ts';

/** Creates a solver for a space, with its ties asserted. Throws CONFIGURATION_INVALID if z3 is not installed. */
export async function createSolver(space: Space, load: () => Promise<Z3Instance> = loadZ3): Promise<Solver> {
  const sizes = space.variables.map(({ states }) => states.length);
  const asserted = space.ties.map(isKept);
  await load();
  /** Asks z3 and, if there is a walk, both in turns, each with more steps than before. */
  const search = async (open: Session, walk: Walk | undefined, steps: Steps): Promise<Answer> => {
    let walked = 0;
    for (let effort = 1; !steps.areOver; effort *= 4) {
      const most = walk ? Math.max(effort * Z3_FIRST_STEPS, walked) : Infinity;
      const { states, steps: taken } = await open.check(Math.min(steps.left, most));
      // A check that takes none, as z3 has proved it while it read, is one too.
      steps.spend(Math.max(1, taken));
      if (states) return states === 'none' ? { kind: 'unsatisfiable' } : { kind: 'satisfiable', states };
      if (!walk) break;
      const before = steps.spent;
      const found = walk.seek(4 * effort * WALK_FIRST_TRIES, steps);
      if (found) return { kind: 'satisfiable', states: found };
      walked = steps.spent - before;
    }
    return { kind: 'unknown' };
  };
  const askZ3 = async (
    formulas: readonly Formula[],
    walk: Walk | undefined,
    steps: Steps,
    isAgain = false,
  ): Promise<Answer> => {
    try {
      const session = await Session.open(await load());
      try {
        await session.tell(sizes, [...asserted, ...formulas]);
        return await search(session, walk, steps);
      } finally {
        await session.close();
      }
    } catch (error) {
      if (!(error instanceof Breakdown)) throw error;
      // The memory of earlier questions may be what it lacked.
      return isAgain ? { kind: 'unknown' } : askZ3(formulas, walk, steps, true);
    }
  };
  return {
    addVariable: (size) => sizes.push(size) - 1,
    assert(formula) {
      asserted.push(formula);
    },
    async ask(formulas, steps, near = []) {
      if (steps.areOver) return { kind: 'unknown' };
      // By default it does not depend on earlier answers: a missing value, the state 0, says least.
      const start = sizes.map((size, i) => near[i] ?? Math.min(1, size - 1));
      const walk = createWalk([...asserted, ...formulas], start);
      const walked = walk.seek(WALK_FIRST_TRIES, steps);
      if (walked) return { kind: 'satisfiable', states: walked };
      return askZ3(formulas, walk, steps);
    },
    async check(formulas, steps) {
      return steps.areOver ? { kind: 'unknown' } : askZ3(formulas, undefined, steps);
    },
  };
}
