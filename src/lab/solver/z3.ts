/** z3, loaded when it is first used -> solvers of it. An instance that breaks down is replaced by a new one. */

import type * as Z3 from 'z3-solver';
import { VerdictError } from '../../errors.ts';
import { Z3_GRACE_MS, Z3_RETRY_MS } from '../limits.ts';

/** How to install the solver, an optional package. */
export const HOW_TO_INSTALL = 'npm install z3-solver';

/** z3 has broken down, as it does without memory: the question has no answer, and the instance has no further one. */
export class Breakdown extends Error {}

type Loaded = Awaited<ReturnType<typeof Z3.init>>;
type Context = Z3.Context<'main'>;

/** The threads of z3, as Emscripten manages them. */
interface Threads {
  loadWasmModuleToWorker(worker: { onerror: (error: unknown) => void }): Promise<unknown>;
  terminateAllThreads(): void;
}

/** z3, with memory of its own. */
export class Z3Instance {
  readonly #loaded: Loaded;
  /** Those of closed solvers: a context takes 7 MB, and z3 frees none. */
  readonly #idle: Context[] = [];
  /** Objects that are to be freed once no thread works with them. */
  readonly #garbage: (() => void)[] = [];
  #isAtWork = false;
  /** Fails the question that waits for its answer: z3 takes one at a time. */
  #fail: (cause: unknown) => void = () => {};
  #isBroken = false;

  constructor(loaded: Loaded) {
    this.#loaded = loaded;
    const { em } = loaded;
    const functions = loaded.Z3 as unknown as Record<string, (...args: unknown[]) => void>;
    for (const [name, free] of Object.entries(functions)) {
      if (name.endsWith('dec_ref')) functions[name] = (...args) => this.#free(() => free(...args));
    }
    const threads: Threads = em.PThread;
    const load = threads.loadWasmModuleToWorker.bind(threads);
    threads.loadWasmModuleToWorker = (worker) => {
      const loading = load(worker);
      // Emscripten would throw the error where it cannot be caught, and leave the question open.
      worker.onerror = (error) => this.#breakDown(error);
      return loading;
    };
    const call = em.async_call;
    em.async_call = (...args: unknown[]) =>
      new Promise((resolve, reject) => {
        this.#fail = reject;
        this.#isAtWork = true;
        call(...args).then(resolve, reject);
      })
        .catch((error: unknown) => {
          // A thread that fails in an allocation keeps its lock: freeing memory would then wait for ever.
          this.#breakDown(error);
          throw error;
        })
        .finally(() => {
          this.#isAtWork = false;
          for (const free of this.#garbage.splice(0)) this.#free(free);
        });
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** A solver in a context of its own, since z3 answers one question while another is written. */
  createSolver(): Z3.Solver<'main'> {
    const context = this.#idle.pop() ?? this.#loaded.Context('main');
    // The solver of finite domains: many times faster here than the one for all logics.
    return new context.Solver('QF_FD');
  }

  /** Frees the memory of a solver for the next one. */
  closeSolver(solver: Z3.Solver<'main'>): void {
    solver.release();
    this.#idle.push(solver.ctx);
  }

  /**
   * Whether what a solver has been told holds in some states; `unknown` if the time is over. z3's own time limit starts
   * a thread for each check, and waits for its end in a busy loop: longer than most checks take, and at times for ever.
   */
  async checkWithin(solver: Z3.Solver<'main'>, timeoutMs: number): Promise<Z3.CheckSatResult> {
    const { Z3: functions } = this.#loaded;
    const endsAt = performance.now() + Math.max(0, timeoutMs) + Z3_GRACE_MS;
    const stop = () => {
      if (performance.now() > endsAt) return this.#breakDown(new Error('z3 does not stop'));
      timer = setTimeout(stop, Z3_RETRY_MS);
      try {
        functions.solver_interrupt(solver.ctx.ptr, solver.ptr);
      } catch (error) {
        // It cannot be caught here. It is about the locks of z3, which are damaged then.
        this.#breakDown(error);
      }
    };
    let timer = setTimeout(stop, Math.max(0, timeoutMs));
    try {
      return await solver.check();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Calls z3. Throws `Breakdown` if it breaks down. */
  async use<Value>(call: () => Value | Promise<Value>): Promise<Value> {
    try {
      return await call();
    } catch (error) {
      if (!this.#isBroken && !isBreakdown(error)) throw error;
      this.#breakDown(error);
      throw new Breakdown('z3 has broken down', { cause: error });
    }
  }

  /** z3-solver frees objects when they are garbage, whatever a thread is doing; z3 has no locks for that. */
  #free(free: () => void): void {
    if (this.#isAtWork) {
      this.#garbage.push(free);
      return;
    }
    try {
      if (!this.#isBroken) free();
    } catch (error) {
      this.#breakDown(error);
    }
  }

  #breakDown(cause: unknown): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    const { Z3: functions, em } = this.#loaded;
    // z3 releases objects when they are garbage, which would now fail, or wait for a lock for ever.
    for (const name of Object.keys(functions)) Object.assign(functions, { [name]: () => 0 });
    em._free = () => {};
    this.#fail(cause);
    (em.PThread as Threads).terminateAllThreads();
  }
}

/**
 * Whether an error says that z3 is in no state to go on: a trap or an exception of its code, a full stack, no memory.
 * Any other is a defect of this program, such as a text that z3 cannot read.
 */
function isBreakdown(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof RangeError) return true;
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
  const { init } = await import('z3-solver').catch((cause: unknown) => {
    const message = `z3, an optional package, is not installed. This needs it: ${HOW_TO_INSTALL}`;
    throw new VerdictError('CONFIGURATION_INVALID', message, { cause });
  });
  const ignore = () => {};
  // What a command prints is its own.
  return new Z3Instance(await init({ print: ignore, printErr: ignore }));
}
