/** Formulas -> whether all hold in some states of the variables, and in which. */

import { MOST_WAITING_SESSIONS, WALK_FIRST_TRIES, Z3_FIRST_CHECK_MS } from '../limits.ts';
import type { Space } from '../space/space.ts';
import { type Answer, type Formula, isKept, type Solver } from './formula.ts';
import { createWalk, type Walk } from './seek.ts';
import { Session } from './session.ts';
import { Breakdown, loadZ3, type Z3Instance } from './z3.ts';

/** Sessions that wait for the next question of their solver, the one that was used last at the end. */
const waiting = new Set<Session>();

/** Creates a solver for a space, with its ties asserted. Throws CONFIGURATION_INVALID if z3 is not installed. */
export async function createSolver(space: Space, load: () => Promise<Z3Instance> = loadZ3): Promise<Solver> {
  const sizes = space.variables.map(({ states }) => states.length);
  const asserted = space.ties.map(isKept);
  await load();
  let session: Session | undefined;
  /** Asks z3, and after some time a walk, if there is one, in turns. */
  const search = async (open: Session, walk: Walk | undefined, endsAt: number): Promise<Answer> => {
    let walkedMs = 0;
    for (let effort = 1; ; effort *= 4) {
      const left = endsAt - performance.now();
      const answer = await open.check(walk ? Math.min(left, Math.max(effort * Z3_FIRST_CHECK_MS, walkedMs)) : left);
      if (answer) return answer === 'none' ? { kind: 'unsatisfiable' } : { kind: 'satisfiable', states: answer };
      const begun = performance.now();
      if (!walk || begun >= endsAt) return { kind: 'unknown' };
      const walked = walk.seek(4 * effort * WALK_FIRST_TRIES, endsAt);
      if (walked) return { kind: 'satisfiable', states: walked };
      walkedMs = performance.now() - begun;
    }
  };
  const askZ3 = async (formulas: readonly Formula[], walk: Walk | undefined, endsAt: number): Promise<Answer> => {
    try {
      if (session) waiting.delete(session);
      if (!session?.isOpen) session = await Session.open(await load());
      await session.tell(sizes, asserted);
      await session.push(formulas);
      const answer = await search(session, walk, endsAt);
      await session.pop();
      keepOpen(session);
      return answer;
    } catch (error) {
      // What it was told for this question alone is still there.
      session?.close();
      if (error instanceof Breakdown) return { kind: 'unknown' };
      throw error;
    }
  };
  return {
    addVariable: (size) => sizes.push(size) - 1,
    assert(formula) {
      asserted.push(formula);
    },
    async ask(formulas, timeoutMs, near = []) {
      const endsAt = performance.now() + timeoutMs;
      if (timeoutMs <= 0) return { kind: 'unknown' };
      // By default it does not depend on earlier answers: a missing value, the state 0, says least.
      const start = sizes.map((size, i) => near[i] ?? Math.min(1, size - 1));
      const walk = createWalk([...asserted, ...formulas], start);
      const walked = walk.seek(WALK_FIRST_TRIES, endsAt);
      if (walked) return { kind: 'satisfiable', states: walked };
      return askZ3(formulas, walk, endsAt);
    },
    async check(formulas, timeoutMs) {
      return timeoutMs <= 0 ? { kind: 'unknown' } : askZ3(formulas, undefined, performance.now() + timeoutMs);
    },
  };
}

function keepOpen(session: Session): void {
  waiting.add(session);
  const [first] = waiting;
  if (!first || waiting.size <= MOST_WAITING_SESSIONS) return;
  waiting.delete(first);
  first.close();
}
