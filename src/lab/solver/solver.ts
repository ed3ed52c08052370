/** Formulas -> whether all hold in some states of the variables, and in which. z3 is loaded when it is first used. */

import type * as Z3 from 'z3-solver';
import { VerdictError } from '../../errors.ts';
import type { Space } from '../space/space.ts';
import { type Formula, isKept } from './formula.ts';
import { createWalk } from './seek.ts';
import { SmtWriter } from './smt.ts';

/** How to install the solver, an optional package. */
export const HOW_TO_INSTALL = 'npm install z3-solver';

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
  /** Whether these formulas hold at once, with all that were asserted. */
  ask(formulas: readonly Formula[], timeoutMs: number): Promise<Answer>;
}

/** How many states the first walk tries, and how long z3 then tries; each time both get more, in turns. */
const FIRST_TRIES = 4_000;
const FIRST_CHECK_MS = 30;

type Loaded = Awaited<ReturnType<typeof Z3.init>>;

/**
 * z3 frees no context. Each solver has one of its own, since z3 answers one question while another is written; when the
 * solver is garbage, the next one gets its context.
 */
const idle: Z3.Context<'main'>[] = [];
const finished = new FinalizationRegistry<Z3.Context<'main'>>((context) => idle.push(context));

let loading: Promise<Loaded> | undefined;

/** Creates a solver for a space, with its ties asserted. Throws CONFIGURATION_INVALID if z3 is not installed. */
export async function createSolver(space: Space): Promise<Solver> {
  loading ??= load();
  const { Context } = await loading;
  const context = idle.pop() ?? Context('main');
  // The solver of finite domains: many times faster here than the one for all logics.
  const solver = new context.Solver('QF_FD');
  const writer = new SmtWriter();
  /** Where each walk starts, whatever was answered before: a missing value, the state 0, says least. */
  const start: number[] = [];
  const addVariable = (size: number): number => {
    start.push(Math.min(1, size - 1));
    return writer.declare(size);
  };
  for (const { states } of space.variables) addVariable(states.length);
  /** What formulas need to be defined is added for all questions: a name is defined once. */
  const written = (formulas: readonly Formula[]): string => {
    const names = formulas.map((formula) => writer.write(formula));
    const definitions = writer.takeDefinitions();
    if (definitions !== '') solver.fromString(definitions);
    return names.map((name) => `(assert ${name})`).join('\n');
  };
  const asserted: Formula[] = [];
  const assert = (formula: Formula) => {
    asserted.push(formula);
    solver.fromString(written([formula]));
  };
  for (const tie of space.ties) assert(isKept(tie));
  const created: Solver = {
    assert,
    addVariable,
    async ask(formulas, timeoutMs) {
      const endsAt = performance.now() + timeoutMs;
      const walk = createWalk([...asserted, ...formulas], start);
      const text = written(formulas);
      solver.push();
      try {
        solver.fromString(text);
        for (let effort = 1; ; effort *= 4) {
          const states = walk.seek(effort * FIRST_TRIES, endsAt);
          if (states) return { kind: 'satisfiable', states };
          const left = endsAt - performance.now();
          solver.set('timeout', Math.max(1, Math.ceil(Math.min(left, effort * FIRST_CHECK_MS))));
          const result = await solver.check();
          if (result === 'unsat') return { kind: 'unsatisfiable' };
          if (result === 'sat') {
            const model = solver.model();
            const names = new Map(model.decls().map((decl) => [String(decl.name()), model.get(decl).toString()]));
            return { kind: 'satisfiable', states: writer.statesIn((constant) => names.get(constant) === 'true') };
          }
          if (performance.now() >= endsAt) return { kind: 'unknown' };
        }
      } finally {
        solver.pop();
      }
    },
  };
  finished.register(created, context);
  return created;
}

async function load(): Promise<Loaded> {
  const { init } = await import('z3-solver').catch((cause: unknown) => {
    const message = `z3, an optional package, is not installed. This needs it: ${HOW_TO_INSTALL}`;
    throw new VerdictError('CONFIGURATION_INVALID', message, { cause });
  });
  return init();
}
