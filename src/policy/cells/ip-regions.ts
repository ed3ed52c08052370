/** CIDR blocks and single addresses -> an address in each of the regions into which the blocks cut all others. */

import { type IpBlock, ipAddress, ipNumber, readIp } from '../../platform/formats/ip.ts';

const EVERY_ADDRESS: IpBlock = { value: '0.0.0.0/0', first: 0, last: 2 ** 32 - 1 };
/** Ranges of addresses that no applicant has are multiples of this size. */
const RANGE = 2 ** 16;

/**
 * For each block, a public address that is in no smaller block; then one that is in no block. Single addresses are
 * skipped, and so are regions without such an address. INVARIANT: two blocks are disjoint, or one contains the other.
 */
export function* addressesByRegion(blocks: readonly IpBlock[], singles: Iterable<string>): Generator<string> {
  const taken = new Set([...singles].map(ipNumber));
  const unique = new Map(blocks.map((block) => [block.value, block]));
  unique.delete(EVERY_ADDRESS.value);
  // A block comes after those inside it, so these are complete when it is.
  const inner: IpBlock[] = [];
  for (const block of [...[...unique.values()].sort((a, b) => a.last - b.last || b.first - a.first), EVERY_ADDRESS]) {
    const inside: IpBlock[] = [];
    while ((inner.at(-1)?.first ?? -1) >= block.first) inside.unshift(inner.pop() as IpBlock);
    const address = firstOutside(block, inside, taken);
    if (address !== undefined) yield ipAddress(address);
    inner.push(block);
  }
}

/** The first public address of a block that lies in none of the blocks inside, which are in order, and is not taken. */
function firstOutside({ first, last }: IpBlock, inside: readonly IpBlock[], taken: ReadonlySet<number>) {
  let number = first;
  for (const next of [...inside, { first: last + 1, last }]) {
    while (number < next.first) {
      if ('problem' in readIp(ipAddress(number))) number += RANGE - (number % RANGE);
      else if (taken.has(number)) number += 1;
      else return number;
    }
    number = Math.max(number, next.last + 1);
  }
  return undefined;
}
