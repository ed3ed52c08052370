/** What `conflicting-entry` claims, against random policies: both rules fire for the entry, and the reject decides. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { settle } from '../../../src/decision/meaning/outcome.ts';
import { evaluate, TRUE } from '../../../src/decision/meaning/truth.ts';
import { isActive } from '../../../src/policy/language.ts';
import { readPolicyText } from '../../../src/policy/load.ts';
import { HEAD } from '../../support/policy/policy.ts';
import { problemsOf } from '../../support/policy/problems.ts';
import { sampled } from '../../support/sampled.ts';

const DAYS = ['2999-06-30', '2999-07-01'] as const;
const ENTRIES = ['a.example', 'b.example', 'x.a.example'];
const LISTS = ['one', 'two', 'three'];

const aTest = fc
  .record({
    operator: fc.constantFrom('inList', 'inList', 'notInList', 'inDomainList'),
    list: fc.constantFrom(...LISTS),
  })
  .map(({ operator, list }) => `applicant.emailDomain: { ${operator}: ${list} }`);
const aCondition = fc.oneof(
  { weight: 3, arbitrary: aTest.map((test) => `{ ${test} }`) },
  fc.tuple(fc.constantFrom('all', 'any'), aTest, aTest).map(([of, a, b]) => `{ ${of}: [{ ${a} }, { ${b} }] }`),
  aTest.map((test) => `{ not: { ${test} } }`),
);
const aRule = fc.record({
  when: aCondition,
  outcome: fc.constantFrom('accept', 'reject'),
  more: fc.constantFrom('', '', ', final: true', ', until: 2999-06-30', ', from: 2999-07-01', ', mode: shadow'),
});
const aPolicy = fc
  .record({
    lists: fc.tuple(...LISTS.map(() => fc.subarray(ENTRIES, { minLength: 1 }))),
    rules: fc.array(aRule, { minLength: 2, maxLength: 4 }),
  })
  .map(({ lists, rules }) => {
    const declared = LISTS.map((name, i) => `  ${name}: [${lists[i]?.join(', ')}]\n`).join('');
    const lines = rules.map(
      ({ when, outcome, more }, i) => `  - { id: r${i}, when: ${when}, then: ${outcome}${more} }\n`,
    );
    return `${HEAD}lists:\n${declared}rules:\n${lines.join('')}`;
  });

it('the rule that rejects an entry decides beside the one that accepts it', () => {
  let tried = 0;
  fc.assert(
    fc.property(aPolicy, (text) => {
      const { policy, diagnostics } = readPolicyText(text);
      for (const { code, message, position, line = '' } of diagnostics) {
        if (code !== 'conflicting-entry' || !position || !policy) continue;
        const value = line.slice(position.column - 1, position.column - 1 + position.length);
        const facts = new Map([['applicant.emailDomain', { value }]]);
        const [, accept = '', reject = ''] = /"(r\d)" accepts this entry, and "(r\d)" rejects/.exec(message) ?? [];
        const pair = policy.rules.filter(({ id }) => id === accept || id === reject);
        for (const rule of pair) expect([rule.shadow, evaluate(rule.when, facts, DAYS[0])]).toEqual([false, TRUE]);
        const found = pair.map((rule) => ({ rule, truth: TRUE }) as const);
        expect(settle(policy, found).outcome).toBe('reject');
        expect(DAYS.some((day) => pair.every((rule) => isActive(rule, day)))).toBe(true);
        tried++;
      }
    }),
    { numRuns: sampled(100, 3000) },
  );
  expect(tried).toBeGreaterThan(5);
});

it('an entry that has ended is no conflict', () => {
  const rules = `rules:
  - { id: a, when: { applicant.email: { inList: one } }, then: accept, final: true }
  - { id: b, when: { applicant.email: { inList: two } }, then: reject, final: true }
`;
  const codes = (until: string) =>
    problemsOf(
      `${HEAD}lists:\n  one: [x@mail.example, { value: a@mail.example, until: ${until} }]\n  two: [a@mail.example, b@mail.example]\n${rules}`,
    ).codes;
  expect(codes('2026-11-20')).toEqual(['warning conflicting-entry']);
  expect(codes('2026-11-19')).toEqual(['warning expired-entry']);
});
