/** Formulas in SMT-LIB -> whether some assignment satisfies them, and which. z3 is loaded when it is first used. */

import type * as Z3 from 'z3-solver';
import { VerdictError } from '../../errors.ts';

/** How to install the solver, an optional package. */
export const HOW_TO_INSTALL = 'npm install z3-solver';

/** The answer to a question: satisfiable, with the constants that are true; or not; or nobody knows in the time. */
export type Answer =
  | { readonly kind: 'satisfiable'; isTrue(constant: string): boolean }
  | { readonly kind: 'unsatisfiable' }
  | { readonly kind: 'unknown' };

/** A set of assertions, to which some may be added for one question. */
export interface Solver {
  /** Adds declarations and assertions for all later questions. */
  add(text: string): void;
  /** Whether all assertions hold at once, with these for this question alone. */
  ask(assertions: readonly string[], timeoutMs: number): Promise<Answer>;
}

type Loaded = Awaited<ReturnType<typeof Z3.init>>;

let loading: Promise<Loaded> | undefined;

/** Creates a solver without assertions. Throws CONFIGURATION_INVALID if z3 is not installed. */
export async function createSolver(): Promise<Solver> {
  loading ??= load();
  const { Context } = await loading;
  const context = Context('main');
  // The solver of finite domains: many times faster here than the one for all logics.
  const solver = new context.Solver('QF_FD');
  return {
    add: (text) => solver.fromString(text),
    async ask(assertions, timeoutMs) {
      solver.push();
      try {
        solver.set('timeout', Math.max(1, Math.ceil(timeoutMs)));
        if (assertions.length > 0) solver.fromString(assertions.map((each) => `(assert ${each})`).join('\n'));
        const result = await solver.check();
        if (result !== 'sat') return { kind: result === 'unsat' ? 'unsatisfiable' : 'unknown' };
        const model = solver.model();
        const names = new Map(model.decls().map((decl) => [String(decl.name()), model.get(decl).toString()]));
        return { kind: 'satisfiable', isTrue: (constant) => names.get(constant) === 'true' };
      } finally {
        solver.pop();
      }
    },
  };
}

async function load(): Promise<Loaded> {
  const { init } = await import('z3-solver').catch((cause: unknown) => {
    const message = `z3, an optional package, is not installed. This needs it: ${HOW_TO_INSTALL}`;
    throw new VerdictError('CONFIGURATION_INVALID', message, { cause });
  });
  return init();
}
