/** The work of an explanation -> its result: counted in steps, which limit it, and done in turns between other work. */

/** A computation that can pause at each `yield`. The pauses do not affect its result. */
export type Steps<Result> = Generator<void, Result>;

/** How long a computation runs before it lets other work have its turn. */
const TURN_MS = 10;

/** Runs a computation to its end, with a pause after each turn. */
export async function runInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (let started = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - started < TURN_MS) continue;
    await nextTurn();
    started = performance.now();
  }
}

/**
 * Counts steps of about 10 ns each: reading a word of a bit vector, a literal, a test. INVARIANT: limits are in steps
 * and never in time, so that a decision always has the same explanation.
 */
export class Work {
  #spent = 0;

  /** All steps so far. */
  get spent(): number {
    return this.#spent;
  }

  spend(steps: number): void {
    this.#spent += steps;
  }

  /** A limit of this many further steps. */
  limit(steps: number): Limit {
    const most = this.#spent + steps;
    return { isReached: () => this.#spent >= most };
  }
}

/** A limit on a part of the work. */
export interface Limit {
  isReached(): boolean;
}

/** Resolves after one round of the event loop, in which timers, input and rendering are served. */
function nextTurn(): Promise<void> {
  // Browsers have no `setImmediate`.
  const later: (run: () => void) => unknown = globalThis.setImmediate ?? setTimeout;
  return new Promise((resolve) => {
    later(resolve);
  });
}
