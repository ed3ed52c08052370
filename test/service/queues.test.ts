/** A decision goes to the first queue that names it, and an entry of a queue that no policy has is found. */

import { expect, test } from 'vitest';
import { queueOf, unknownEntries } from '../../src/service/cases/queues.ts';
import type { Queue } from '../../src/service/config.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';

const QUEUES: readonly Queue[] = [
  { name: 'codes', codes: ['PORTED', 'SCORE'], withinMs: 1 },
  { name: 'rules', rules: ['second'], withinMs: 1 },
  { name: 'policies', policies: ['test'], withinMs: 1 },
  { name: 'rest', withinMs: 1 },
];

const NONE = { decisive: [], fired: [], undetermined: [] };
const DECISION = { reasons: NONE, rules: [], undetermined: [], policy: { name: 'onboarding' } };

test.each([
  ['a decisive code', { reasons: { ...NONE, decisive: ['PORTED'] } }, 'codes'],
  ['an undetermined code', { reasons: { ...NONE, undetermined: ['PORTED'] } }, 'codes'],
  ['a code that did not decide', { reasons: { ...NONE, fired: ['PORTED'] } }, 'rest'],
  ['a rule that fired', { rules: ['second'] }, 'rules'],
  ['a rule that is undetermined', { undetermined: ['second'] }, 'rules'],
  ['a policy', { policy: { name: 'test' } }, 'policies'],
  ['the first of two', { rules: ['second'], policy: { name: 'test' } }, 'rules'],
])('%s leads to its queue', (_what, other, name) => {
  expect(queueOf(QUEUES, { ...DECISION, ...other })?.name).toBe(name);
});

const policy = () =>
  policyOf(
    `${HEAD}rules:\n  - { id: second, when: { phone.porting.riskLevel: high }, then: review, reason: PORTED }\n`,
  );

test('an entry that no policy has is told, with the one that may be meant', () => {
  expect(unknownEntries(QUEUES, [policy()])).toEqual([]);
  const queues = [{ name: 'a', codes: ['PORTD'], rules: ['third'], policies: ['onboarding'], withinMs: 1 }];
  expect(unknownEntries(queues, [policy()])).toEqual([
    'queue "a": no policy has "PORTD", one of its codes; did you mean "PORTED"?',
    'queue "a": no policy has "third", one of its rules',
    'queue "a": no policy has "onboarding", one of its policies',
  ]);
});
