/** The key names of a chain, one after the other -> whether each is of that chain and comes after the one before it, so that no two records share one. */

/** The chain of a key; the name is one of a key, `<chain>.<epoch>.<block>:<slot>`. */
export function chainOfKey(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** The epoch of its chain in which a key was made. */
export function epochOfKey(name: string): number {
  return Number(partsOf(name)[0]);
}

/** A text by which the keys of a chain sort in the order in which they were made. */
export function orderOfKey(name: string): string {
  // As many digits as a safe integer may have; what has more was never written, and sorts somewhere.
  return partsOf(name)
    .map((part) => part.padStart(16, '0'))
    .join('.');
}

function partsOf(name: string): string[] {
  return name.split(/[.:]/).slice(1);
}

/**
 * Keys are taken in the order in which they were made, each once (INVARIANT of `KeyMaker` and of the writer: by epoch, block and slot): so the key
 * that comes last is all that has to be remembered.
 */
export class KeyOrder {
  readonly #chain: string;
  #last = '';

  constructor(chain: string) {
    this.#chain = chain;
  }

  /** Whether a key may be that of the next record. */
  takes(name: string): boolean {
    const order = orderOfKey(name);
    const isNext = chainOfKey(name) === this.#chain && order > this.#last;
    if (isNext) this.#last = order;
    return isNext;
  }
}
