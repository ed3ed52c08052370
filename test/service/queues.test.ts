/** A decision goes to the first queue that names it, and an entry of a queue that no policy has is found. */

import { expect, test } from 'vitest';
import { queueOf, reasonsOf, refusePersonal, unknownEntries } from '../../src/service/cases/queues.ts';
import type { Queue } from '../../src/service/config.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';

const QUEUES: readonly Queue[] = [
  { name: 'codes', codes: ['PORTED', 'SCORE'], withinMs: 1 },
  { name: 'rules', rules: ['second'], withinMs: 1 },
  { name: 'open', undetermined: ['PORTED'], withinMs: 1 },
  { name: 'policies', policies: ['test'], withinMs: 1 },
  { name: 'outage', outage: true, withinMs: 1 },
  { name: 'rest', withinMs: 1 },
];

const NONE = { decisive: [], fired: [], undetermined: [] };
const DECISION = { reasons: NONE, rules: [], undetermined: [], missing: {}, policy: { name: 'onboarding' } };

const FAILED = { sourceFailed: ['phone.type'] };
const DECIDED = { ...NONE, decisive: ['OTHER'] };
const BY_DEFAULT = { undetermined: ['second'], reasons: { ...NONE, decisive: ['DEFAULT'] } };

test.each([
  ['a decisive code', { reasons: { ...NONE, decisive: ['PORTED'] } }, 'codes'],
  ['an undetermined code', { reasons: { ...NONE, undetermined: ['PORTED'] } }, 'open'],
  ['a code that did not decide', { reasons: { ...NONE, fired: ['PORTED'] } }, 'rest'],
  ['a rule that fired', { rules: ['second'] }, 'rules'],
  ['a rule that is undetermined', { undetermined: ['second'] }, 'rest'],
  ['an outage', { undetermined: ['second'], missing: FAILED }, 'outage'],
  ['an outage of a policy that reviews by default', { ...BY_DEFAULT, missing: FAILED }, 'outage'],
  ['an outage beside what decided', { undetermined: ['second'], missing: FAILED, reasons: DECIDED }, 'rest'],
  ['facts that were not returned', { undetermined: ['second'], missing: { notReturned: ['phone.type'] } }, 'rest'],
  ['an outage that leaves no rule open', { missing: FAILED }, 'rest'],
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
  const queues = [
    {
      name: 'a',
      codes: ['PORTD'],
      undetermined: ['PORTED', 'PROTED'],
      show: ['phone.tipe'],
      rules: ['third'],
      policies: ['onboarding'],
      withinMs: 1,
    },
  ];
  expect(unknownEntries(queues, [policy()])).toEqual([
    'queue "a": no policy has "PORTD", one of its codes; did you mean "PORTED"?',
    'queue "a": no policy has "PROTED", one of its entries of `undetermined`; did you mean "PORTED"?',
    'queue "a": no policy has "third", one of its rules',
    'queue "a": no policy has "onboarding", one of its policies',
    'queue "a": no policy has "phone.tipe", one of its entries of `show`; did you mean "phone.type"?',
  ]);
});

test('a queue that shows a personal fact is refused, and a queue has the usual reasons unless it says others', () => {
  const show = (path: string) => () => refusePersonal([{ name: 'a', show: [path], withinMs: 1 }], [policy()]);
  expect(show('applicant.email')).toThrow(/queue "a" shows `applicant.email`, which is personal/);
  expect(show('phone.type')).not.toThrow();
  const queues = [{ name: 'a', reasons: { decline: ['Stolen card'] }, withinMs: 1 }];
  expect(reasonsOf(queues, 'a')).toMatchObject({ approve: reasonsOf([], 'b').approve, decline: ['Stolen card'] });
});
