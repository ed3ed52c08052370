/** docs/policy-reference.md has every key that the reader knows, each with an example that the schema accepts. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FACT_TYPES } from '../../src/facts/catalog.ts';
import { WHEN_UNKNOWN } from '../../src/policy/language.ts';
import { POLICY_LIMITS } from '../../src/policy/read/conditions/scope.ts';
import { EFFECT_KEYS } from '../../src/policy/read/rule.ts';
import { ROOT } from '../support/docs/docs.ts';
import { BLOCKS, keysOf, schemaOfKeys, writeKeys } from '../support/docs/keys-page.ts';
import { schemaProblems } from '../support/policy/validate.ts';

const PAGE = join(ROOT, 'docs/policy-reference.md');

// To write the tables again: npm run test:file -- docs/keys-page --update=all
it('docs/policy-reference.md has the keys of every block', async () => {
  await expect(writeKeys(readFileSync(PAGE, 'utf8'))).toMatchFileSnapshot(PAGE);
});

const sectionOf = (heading: string) => readFileSync(PAGE, 'utf8').split(`# ${heading}\n`)[1]?.split('\n#')[0] ?? '';

it.each([
  ['A fact of your own', FACT_TYPES.map((type) => `| \`${type}\` |`)],
  ['`whenUnknown`', WHEN_UNKNOWN.map((value) => `| \`${value}\``)],
  ['A table', Object.keys(EFFECT_KEYS).map((key) => `\`${key}\``)],
  ['Limits', Object.values(POLICY_LIMITS).map(({ most }) => `| ${most.toLocaleString('en-US')} `)],
])('the section %s names all of its kind', (heading, all) => {
  const section = sectionOf(heading);
  expect(all.filter((each) => !section.includes(each))).toEqual([]);
});

describe.each(BLOCKS)('$heading', (block) => {
  const schema = schemaOfKeys(block);

  it('has an example of every key, and of no other', () => {
    expect(Object.keys(block.examples).sort()).toEqual(Object.keys(keysOf(block)).sort());
  });

  it.each(Object.entries(block.examples))('has an example of %s that the schema accepts', (key, example) => {
    expect(schemaProblems(schema, `? ${key}\n: ${example}`)).toEqual([]);
  });
});
