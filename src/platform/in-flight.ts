/** Work that begins and ends -> a wait until the last one has ended, or until a time has passed. */

/** Counts what is in flight, so that its owner can be closed when all of it has ended. */
export class InFlight {
  readonly #drained = Promise.withResolvers<void>();
  #count = 0;
  #isClosed = false;

  /** Whether nothing further may begin. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    this.#settle();
  }

  /** From now on nothing further may begin. Resolves when everything in flight has ended. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#settle();
    return this.#drained.promise;
  }

  /** As `close`, but waits no longer than this, and not after the signal. */
  async drain(ms: number, ended: AbortSignal): Promise<void> {
    const drained = this.close();
    if (ms === 0 || this.#count === 0) return;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const onEnd = () => resolve();
    const timer = setTimeout(onEnd, ms);
    ended.addEventListener('abort', onEnd);
    await Promise.race([drained, over]);
    clearTimeout(timer);
    ended.removeEventListener('abort', onEnd);
  }

  #settle(): void {
    if (this.#isClosed && this.#count === 0) this.#drained.resolve();
  }
}
