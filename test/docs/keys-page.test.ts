/** docs/policy-reference.md has every key that the reader knows, each with an example that the schema accepts. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/docs/docs.ts';
import { BLOCKS, keysOf, schemaOfKey, writeKeys } from '../support/docs/keys-page.ts';
import { schemaProblems } from '../support/policy/validate.ts';

const PAGE = join(ROOT, 'docs/policy-reference.md');

// To write the tables again: npm run test:file -- docs/keys-page --update=all
it('docs/policy-reference.md has the keys of every block', async () => {
  await expect(writeKeys(readFileSync(PAGE, 'utf8'))).toMatchFileSnapshot(PAGE);
});

describe.each(BLOCKS)('$heading', (block) => {
  it('has an example of every key, and of no other', () => {
    expect(Object.keys(block.examples).sort()).toEqual(Object.keys(keysOf(block)).sort());
  });

  it.each(Object.entries(block.examples))('has an example of %s that the schema accepts', (key, example) => {
    expect(schemaProblems(schemaOfKey(block, key), example)).toEqual([]);
  });
});
