/** The work of an explanation: counted in steps, which limit it, and done in turns, so that the process can go on. */

/** A computation that can pause at each `yield`. When it does changes nothing about its result. */
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
 * Counts steps, each about 10 ns: reading a word of a bit vector, a literal, a test. INVARIANT: limits are in steps and
 * never in time, so that a decision has one explanation.
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

  /** A part of the work that may take so many more steps. */
  limit(steps: number): Limit {
    const most = this.#spent + steps;
    return { isReached: () => this.#spent >= most };
  }
}

/** A limit on a part of the work. */
export interface Limit {
  isReached(): boolean;
}

/** Ends once the event loop has been round: timers, input and rendering are served first. */
function nextTurn(): Promise<void> {
  // Browsers have no `setImmediate`.
  const later: (run: () => void) => unknown = globalThis.setImmediate ?? setTimeout;
  return new Promise((resolve) => {
    later(resolve);
  });
}
