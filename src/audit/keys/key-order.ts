/** The data keys named in a chain -> whether they ascend within the chain, so that no two records share a key. */

const KEY = '"key":"';
/** Longer than the name of any key. */
const NAME_BYTES = 128;

/** The first key that a line names, however malformed: in a record, no text chosen by a caller comes before it. */
export function keyNamedIn(line: Buffer): string | undefined {
  const from = line.indexOf(KEY) + KEY.length;
  return from < KEY.length ? undefined : line.toString('latin1', from, from + NAME_BYTES).split('"', 1)[0];
}

/** The chain of a key, from its name `<chain>.<epoch>.<block>:<slot>`. */
export function chainOfKey(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** The epoch of the chain in which a key was made. */
export function epochOfKey(name: string): number {
  return Number(partsOf(name)[0]);
}

/** A text that sorts the keys of a chain in the order in which they were made. */
export function orderOfKey(name: string): string {
  // The digits of the largest safe integer. A longer number was never written and may sort anywhere.
  return partsOf(name)
    .map((part) => part.padStart(16, '0'))
    .join('.');
}

function partsOf(name: string): string[] {
  return name.split(/[.:]/).slice(1);
}

/** One key is remembered: keys are taken in ascending order, each once (INVARIANT of `DataKeyPool` and the writer). */
export class KeyOrder {
  readonly #chain: string;
  #last = '';

  constructor(chain: string) {
    this.#chain = chain;
  }

  /** Whether a key may belong to the next record. */
  takes(name: string): boolean {
    const order = orderOfKey(name);
    const isNext = chainOfKey(name) === this.#chain && order > this.#last;
    if (isNext) this.#last = order;
    return isNext;
  }
}
