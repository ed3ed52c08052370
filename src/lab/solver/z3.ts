/** z3, loaded when it is first used -> solvers of it. An instance that breaks down is replaced by a new one. */

import type * as Z3 from 'z3-solver';
import { VerdictError } from '../../errors.ts';
import { WATCHDOG_MS } from '../limits.ts';

/** How to install the solver, an optional package. */
export const HOW_TO_INSTALL = 'npm install z3-solver';

/** z3 has broken down, as it does without memory: the question has no answer, and the instance has no further one. */
export class Breakdown extends Error {}

type Loaded = Awaited<ReturnType<typeof Z3.init>>;
type Functions = Loaded['Z3'];
type Context = ReturnType<Functions['mk_context_rc']>;
type Solver = ReturnType<Functions['mk_solver_for_logic']>;

/** The threads of z3, as Emscripten manages them. */
interface Threads {
  loadWasmModuleToWorker(worker: { onerror: (error: unknown) => void }): Promise<unknown>;
  terminateAllThreads(): void;
}

/** What a check says, and the steps that it took. */
export interface Checked {
  /** The constants that are true in a model; `none` if there is proof of that; undefined if the steps were too few. */
  readonly model: ReadonlySet<string> | 'none' | undefined;
  readonly steps: number;
}

/** A solver in a context of its own: nothing of other solvers, or of earlier ones, is in the answers. */
export interface Z3Solver {
  /** Reads a text in SMT-LIB. */
  read(text: string): void;
  check(mostSteps: number): Promise<Checked>;
  /** Frees its memory. */
  close(): void;
}

/** z3, with memory of its own. */
export class Z3Instance {
  readonly #loaded: Loaded;
  /** The last call: z3 takes one at a time. */
  #last: Promise<unknown> = Promise.resolve();
  /** Fails the check that waits for its answer. */
  #fail: (cause: unknown) => void = () => {};
  #isBroken = false;

  constructor(loaded: Loaded) {
    this.#loaded = loaded;
    const threads: Threads = loaded.em.PThread;
    const load = threads.loadWasmModuleToWorker.bind(threads);
    threads.loadWasmModuleToWorker = (worker) => {
      const loading = load(worker);
      // Emscripten would throw the error where it cannot be caught, and leave the question open.
      worker.onerror = (error) => this.#fail(error);
      return loading;
    };
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  createSolver(): Z3Solver {
    const { Z3: z3 } = this.#loaded;
    const config = z3.mk_config();
    const context = z3.mk_context_rc(config);
    z3.del_config(config);
    // The solver of finite domains: many times faster here than the one for all logics.
    const solver = z3.mk_solver_for_logic(context, z3.mk_string_symbol(context, 'QF_FD'));
    z3.solver_inc_ref(context, solver);
    const checkError = () => {
      const code = z3.get_error_code(context);
      if (code !== 0) throw new Error(z3.get_error_msg(context, code));
    };
    return {
      read(text) {
        z3.solver_from_string(context, solver, text);
        checkError();
      },
      check: (mostSteps) => this.#check(context, solver, mostSteps),
      close() {
        z3.solver_dec_ref(context, solver);
        z3.del_context(context);
      },
    };
  }

  async #check(context: Context, solver: Solver, mostSteps: number): Promise<Checked> {
    const { Z3: z3 } = this.#loaded;
    const before = this.#stepsOf(context, solver);
    const most = Math.max(1, Math.min(Math.floor(mostSteps), MOST_RLIMIT));
    z3.update_param_value(context, 'rlimit', String(most));
    const patienceMs = WATCHDOG_MS.least + most * WATCHDOG_MS.aStep;
    const answer = await this.#watched(() => z3.solver_check(context, solver), patienceMs);
    const steps = this.#stepsOf(context, solver) - before;
    // -1 is `unsat`, and 0 `unknown`.
    if (answer !== 1) return { model: answer === -1 ? 'none' : undefined, steps };
    const model = z3.model_to_string(context, z3.solver_get_model(context, solver));
    const isTrue = model.split('\n').filter((line) => line.endsWith(IS_TRUE));
    return { model: new Set(isTrue.map((line) => line.slice(0, -IS_TRUE.length))), steps };
  }

  /** The steps of all checks so far. */
  #stepsOf(context: Context, solver: Solver): number {
    const { Z3: z3 } = this.#loaded;
    const statistics = z3.stats_to_string(context, z3.solver_get_statistics(context, solver));
    return Number(STEPS_COUNTED.exec(statistics)?.[1] ?? 0);
  }

  /** A check that a failing thread or the watchdog ends too. */
  async #watched(check: () => Promise<number>, patienceMs: number): Promise<number> {
    let watchdog: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.#fail = reject;
        watchdog = setTimeout(() => reject(new StuckError()), patienceMs);
        check().then(resolve, reject);
      });
    } finally {
      clearTimeout(watchdog);
    }
  }

  /** Calls z3 once all earlier calls are over. Throws `Breakdown` if it breaks down. */
  use<Value>(call: () => Value | Promise<Value>): Promise<Value> {
    const result = this.#last.then(() => this.#call(call));
    this.#last = result.catch(() => {});
    return result;
  }

  async #call<Value>(call: () => Value | Promise<Value>): Promise<Value> {
    try {
      if (this.#isBroken) throw new Breakdown('z3 has broken down');
      return await call();
    } catch (error) {
      if (error instanceof Breakdown || !isBreakdown(error)) throw error;
      this.#isBroken = true;
      (this.#loaded.em.PThread as Threads).terminateAllThreads();
      if (error instanceof StuckError) {
        const message = 'z3, the solver, has broken down: it goes on without counting its steps';
        throw new VerdictError('SOLVER_FAILED', message, { cause: error });
      }
      throw new Breakdown('z3 has broken down', { cause: error });
    }
  }
}

/** A check goes on although its steps are used up. */
class StuckError extends Error {}

/** z3 takes the limit as a number of 32 bits. */
const MOST_RLIMIT = 2 ** 32 - 1;
const STEPS_COUNTED = /:rlimit-count +(\d+)/;
/** The end of the line of a constant that is true in a model. */
const IS_TRUE = ' -> true';

/**
 * Whether an error says that z3 is in no state to go on: a trap or an exception of its code, a full stack, no memory.
 * Any other is a defect of this program, such as a text that z3 cannot read.
 */
function isBreakdown(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof RangeError || error instanceof StuckError) return true;
  return error.name === 'RuntimeError' || 'excPtr' in error || /memory|exception/.test(error.message);
}

let current: Promise<Z3Instance> | undefined;

/** z3 for all questions of the process. Throws CONFIGURATION_INVALID if it is not installed. */
export async function loadZ3(): Promise<Z3Instance> {
  const last = current;
  const isUsable = await last?.then(
    ({ isBroken }) => !isBroken,
    () => false,
  );
  if (!isUsable && current === last) current = startZ3();
  return current as Promise<Z3Instance>;
}

/** Starts an instance of z3. */
async function startZ3(): Promise<Z3Instance> {
  const { init } = await import(/* webpackIgnore: true */ 'z3-solver').catch((cause: unknown) => {
    const message = `z3, an optional package, is not installed. This needs it: ${HOW_TO_INSTALL}`;
    throw new VerdictError('CONFIGURATION_INVALID', message, { cause });
  });
  const ignore = () => {};
  // What a command prints is its own.
  return new Z3Instance(await init({ print: ignore, printErr: ignore }));
}
