/** The time of a check, in shares; and whether more of it would have decided more. */

import type { Answer } from '../solver/solver.ts';
import type { Reasoner, Time } from './reasoner.ts';

export class Timer {
  readonly timeoutMs: number;
  readonly #endsAt: number;
  #wasShort = false;

  /** Starts now. */
  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
    this.#endsAt = performance.now() + timeoutMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Whether something was given up for lack of time. */
  get wasShort(): boolean {
    return this.#wasShort || this.isOver;
  }

  /** Runs something within a share of the whole time, or what is left of it. */
  async run<Result>(share: number, ask: (time: Time) => Promise<Result>): Promise<Result> {
    const now = performance.now();
    const timeoutMs = Math.max(1, Math.min(this.timeoutMs * share, this.#endsAt - now));
    const time = { timeoutMs, endsAt: now + timeoutMs };
    const result = await ask(time);
    if (performance.now() >= time.endsAt) this.#wasShort = true;
    return result;
  }

  /** The same reasoner; it is noted if the solver runs out of time. */
  watch(reasoner: Reasoner): Reasoner {
    const { solver } = reasoner;
    const watched = async (answer: Promise<Answer>) => {
      if ((await answer).kind === 'unknown') this.#wasShort = true;
      return answer;
    };
    return {
      ...reasoner,
      solver: {
        ...solver,
        ask: (...asked) => watched(solver.ask(...asked)),
        check: (...asked) => watched(solver.check(...asked)),
      },
    };
  }
}
