/** A verdict on a policy whose evaluation fails, which no case in test/cases can have. */

import { expect, test } from 'vitest';
import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { keepData } from '../../../src/policy/source-map.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { decideLive, readPlainFacts } from '../../support/runners/case.ts';

const DAY = '2026-11-20';

test('a fact on which a test fails is missing with the cause error, and a condition true without it stays true', async () => {
  const policy = policyOf(
    `${HEAD}rules: [{ id: r, when: { any: [{ ip.isp: { matches: x } }, { phone.type: voip }] }, then: reject, points: 1 }]\n`,
  );
  const rules = policy.rules.map((rule) => ({ ...rule, when: withThrowingPattern(rule.when) }));
  const broken = keepData({ ...policy, rules }, '{}');
  const decide = (type: string): Promise<Verdict> => {
    const facts = { 'ip.isp': { value: 'a' }, 'phone.type': { value: type } };
    return decideLive(broken, readPlainFacts(facts, broken, DAY), DAY);
  };
  expect(await decide('mobile')).toMatchObject({
    outcome: 'review',
    undetermined: [{ rule: 'r', asks: 'review', missing: [{ fact: 'ip.isp', cause: 'error' }] }],
    score: { least: 0, most: 1 },
  });
  expect(await decide('voip')).toMatchObject({ outcome: 'reject' });
});

function withThrowingPattern(condition: Policy['rules'][number]['when']): Policy['rules'][number]['when'] {
  if (condition.kind !== 'test') return { ...condition, of: condition.of.map(withThrowingPattern) } as typeof condition;
  const test = () => {
    throw new Error('broken');
  };
  return condition.operator === 'matches' ? { ...condition, argument: { source: 'x', test } } : condition;
}
