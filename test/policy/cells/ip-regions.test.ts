/** Each region into which blocks of addresses cut all others has an address that lies in it. */

import { expect, it } from 'vitest';
import { readIpBlock } from '../../../src/platform/formats/ip.ts';
import { addressesByRegion } from '../../../src/policy/cells/ip-regions.ts';

const regions = (blocks: readonly string[], singles: readonly string[] = []) =>
  [
    ...addressesByRegion(
      blocks.map(readIpBlock).filter((block) => 'first' in block),
      singles,
    ),
  ].sort();

it('an address of a block is in none of the blocks inside, and is not one of the single addresses', () => {
  expect(regions(['203.0.113.0/24', '203.0.113.0/25', '203.0.113.128/26'], ['203.0.113.192', '1.0.0.0'])).toEqual(
    ['1.0.0.1', '203.0.113.0', '203.0.113.128', '203.0.113.193'].sort(),
  );
});

it('a block that others fill, or that has private addresses alone, has none', () => {
  expect(regions(['203.0.113.0/31', '203.0.113.0/32'], ['203.0.113.1'])).toEqual(['1.0.0.0', '203.0.113.0']);
  expect(regions(['0.0.0.0/0', '0.0.0.0/1', '128.0.0.0/1'])).toEqual(['1.0.0.0', '128.0.0.0']);
});
