/** Items, one by one -> batches: the items that arrive while a batch is committed form the next batch. */

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Commits a batch. Returns the results of the first items, at least one; throws if no item was committed. */
export type Commit<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

/** Commits one batch after the other. After a failure, all waiting and all later items fail with the same error. */
export class Batches<Item, Result> {
  readonly #commit: Commit<Item, Result>;
  readonly #gathers: boolean;
  #waiting: Waiting<Item, Result>[] = [];
  #busy: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** With `gather`, each batch waits one turn of the event loop, so that callers that just resumed can add an item. */
  constructor(commit: Commit<Item, Result>, { gather = false }: { readonly gather?: boolean } = {}) {
    this.#commit = commit;
    this.#gathers = gather;
  }

  /** How many items are not yet committed, including those of the current batch. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The error of the batch that failed, if any. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Resolves when the item is committed. */
  add(item: Item): Promise<Result> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    const done = new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
    });
    this.#busy ??= this.#run();
    return done;
  }

  /** Resolves when no item waits. */
  async idle(): Promise<void> {
    await this.#busy;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#gathers) await new Promise(setImmediate);
      const batch = this.#waiting.map(({ item }) => item);
      try {
        const results = await this.#commit(batch);
        const done = this.#waiting.splice(0, results.length);
        for (const [i, { resolve }] of done.entries()) resolve(results[i] as Result);
      } catch (error) {
        this.#failure = { error };
        for (const { reject } of this.#waiting.splice(0)) reject(error);
      }
    }
    this.#busy = undefined;
  }
}
