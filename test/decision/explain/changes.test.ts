/** What would lead to another outcome: only sets that the matcher confirms with real values. */

import { expect, test } from 'vitest';
import { findChanges } from '../../../src/decision/explain/changes.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { finish, modelOf } from '../../support/decision/explained.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const DAY = '2026-11-20';

test('where no set is confirmed, the search counts as stopped and inexact', () => {
  const above = (limit: number) =>
    policyOf(`${HEAD}rules:\n  - { id: scored, when: { phone.score: { above: ${limit} } }, then: review }\n`);
  const facts = readFacts(new Map([['phone.score', { value: 60 }]]), above(50).facts, DAY);
  const model = modelOf(above(50), facts, DAY);
  expect(finish(findChanges(model, [], { facts, day: DAY, to: 'accept' }))).toMatchObject({
    result: 'found',
    isExact: true,
  });
  // The cells are those of one policy and the matcher that of another: every set they find fails the confirmation.
  const mismatched = { ...model, policy: above(10) };
  expect(finish(findChanges(mismatched, [], { facts, day: DAY, to: 'accept' }))).toEqual({
    to: 'accept',
    result: 'stopped',
    size: 0,
    sets: [],
    more: 0,
    isExact: false,
  });
});
