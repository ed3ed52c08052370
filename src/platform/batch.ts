/** Things to be done, one by one -> batches: what arrives while one is being done goes together into the next. */

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Does a batch: gives the results of as many of its first items as it did, one at least; throws if none was done. */
export type Commit<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

/** Batches, one after the other. Once one has failed, all that wait fail, and so does whatever comes later. */
export class Batches<Item, Result> {
  readonly #commit: Commit<Item, Result>;
  readonly #gathers: boolean;
  #waiting: Waiting<Item, Result>[] = [];
  #busy: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** With `gather`, a batch waits for one turn of the event loop: those who were just answered come along with it. */
  constructor(commit: Commit<Item, Result>, { gather = false }: { readonly gather?: boolean } = {}) {
    this.#commit = commit;
    this.#gathers = gather;
  }

  /** How many are not done, those of the batch that is under way among them. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Why a batch failed, once one has. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Resolves when the item is done. */
  add(item: Item): Promise<Result> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    const done = new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
    });
    this.#busy ??= this.#run();
    return done;
  }

  /** Resolves when nothing waits. */
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
