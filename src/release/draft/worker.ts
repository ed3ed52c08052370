/** What the editor of a draft asks -> the answer of a process that is kept while somebody edits. */

import { VerdictError } from '../../errors.ts';
import { Thread } from '../../platform/thread.ts';
import type { DraftFunctions } from './draft-process.ts';

/** A process that nobody asks for this long ends: to start one takes longer than most answers. */
const KEPT_MS = 60_000;
/** One that does not answer for this long is ended. */
const LONGEST_MS = 30_000;

/** Asks one thing after another. */
export class DraftWorker {
  #process: Thread<DraftFunctions> | undefined;
  #waiting: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  /** Rejects with what the function throws, and with SOLVER_FAILED if its process ends or takes too long. */
  async ask<Name extends keyof DraftFunctions>(
    name: Name,
    ...args: Parameters<DraftFunctions[Name]>
  ): Promise<Awaited<ReturnType<DraftFunctions[Name]>>> {
    const answer = this.#waiting.then(() => this.#askNow(name, args));
    this.#waiting = answer.catch(() => {});
    return answer;
  }

  async #askNow<Name extends keyof DraftFunctions>(
    name: Name,
    args: Parameters<DraftFunctions[Name]>,
  ): Promise<Awaited<ReturnType<DraftFunctions[Name]>>> {
    clearTimeout(this.#idle);
    if (!this.#process || this.#process.hasEnded)
      this.#process = new Thread<DraftFunctions>('release/draft/draft-process', undefined, { isProcess: true });
    const slow = setTimeout(() => void this.end(), LONGEST_MS).unref();
    try {
      return await this.#process.call(name, ...args);
    } catch (error) {
      if (VerdictError.is(error)) throw error;
      const why = `the process that reads drafts has ended: it had no memory left, or took over ${LONGEST_MS / 1000} s`;
      throw new VerdictError('SOLVER_FAILED', why, { cause: error });
    } finally {
      clearTimeout(slow);
      this.#idle = setTimeout(() => void this.end(), KEPT_MS).unref();
    }
  }

  async end(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#process?.end();
  }
}
