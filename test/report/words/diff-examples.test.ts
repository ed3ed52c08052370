/** The examples of a difference, as people see them. */

import { expect, it } from 'vitest';
import { exampleLines } from '../../../src/report/words/diff.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

it('an example does not show what either policy declares personal', () => {
  const withFact = (more: string) => policyOf(`${HEAD}facts: { context.name: { type: string${more} } }\nrules: []\n`);
  const lines = { example: { facts: {} }, oldExample: { facts: { 'context.name': 'Jo Doe' } } };
  const shownBy = (policies: Parameters<typeof exampleLines>[1]['policies']) =>
    exampleLines(lines, { policies, at: '2026-11-20', diff: { edits: [], regions: [], elsewhere: 'same' } }).join();
  const [none, open, personal] = [policyOf(`${HEAD}rules: []\n`), withFact(''), withFact(', personal: true')];
  expect(shownBy([open, none])).toContain('Jo Doe');
  for (const other of [none, open]) {
    expect(shownBy([personal, other])).not.toContain('Jo Doe');
    expect(shownBy([other, personal])).not.toContain('Jo Doe');
  }
});
