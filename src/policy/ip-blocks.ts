/** CIDR blocks, each with the last day on which it counts -> whether an address is in one of them. */

import { type IpBlock, ipNumber } from '../formats/ip.ts';

/** A block of a list; `until` is undefined if it always counts. */
export interface BlockEntry extends IpBlock {
  readonly until: string | undefined;
}

/** Whether an address is in a block. */
export function isInBlock(address: string, { first, last }: IpBlock): boolean {
  const number = ipNumber(address);
  return first <= number && number <= last;
}

/** Blocks of any number: an address is looked up once for each size that occurs, of which there are at most 33. */
export class IpBlocks {
  readonly all: readonly BlockEntry[];
  /** The last days of the blocks of each size, by first address. */
  readonly #bySize = new Map<number, Map<number, string | undefined>>();

  /** INVARIANT: no block occurs twice. */
  constructor(all: readonly BlockEntry[]) {
    this.all = all;
    for (const { first, last, until } of all) {
      const size = last - first + 1;
      const sameSize = this.#bySize.get(size) ?? new Map<number, string | undefined>();
      this.#bySize.set(size, sameSize.set(first, until));
    }
  }

  /** Whether an address is in a block that counts on a day. */
  has(address: string, day: string): boolean {
    const number = ipNumber(address);
    for (const [size, ends] of this.#bySize) {
      const first = number - (number % size);
      if (!ends.has(first)) continue;
      const until = ends.get(first);
      if (until === undefined || day <= until) return true;
    }
    return false;
  }
}
