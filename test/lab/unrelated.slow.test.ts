/** Policies of which all rules differ: each kind of change, and one applicant whose outcome differs. */

import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../src/decision/matcher/matcher.ts';
import { readFactsLine } from '../../src/facts/facts-line.ts';
import { diffPolicies, findDifference } from '../../src/lab/diff/diff.ts';
import { OUTCOMES, type Policy } from '../../src/policy/language.ts';
import { DAY, generateApplicants, generatePolicy, readGenerated } from '../bench/generate.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';

const [old, now] = [readGenerated(generatePolicy(14, 1)), readGenerated(generatePolicy(14, 2))];
const outcomesOf = (facts: Parameters<ReturnType<typeof matcherOf>['outcome']>[0]) =>
  [old, now].map((policy) => matcherOf(policy).outcome(facts, DAY).outcome);

describe('policies that have no rule in common', () => {
  it('show each kind of change, in regions of few facts that no applicant shares', async () => {
    const { regions, elsewhere } = await diffPolicies(old, now, { at: DAY, mostRegions: 12, steps: 10_000_000 });
    const kinds = OUTCOMES.flatMap((from) => OUTCOMES.flatMap((to) => (from === to ? [] : `${from} to ${to}`)));
    expect(new Set(regions.map(({ from, to }) => `${from} to ${to}`))).toEqual(new Set(kinds));
    expect(elsewhere).toBe('notSought');
    for (const { conditions } of regions) expect(conditions.length).toBeLessThan(10);
    let found = 0;
    for (const facts of generateApplicants(1000, 0.2, 3)) {
      const inside = regions.filter(({ contains }) => contains(facts)).map(({ from, to }) => [from, to]);
      expect(inside.length).toBeLessThanOrEqual(1);
      for (const change of inside) expect(change).toEqual(outcomesOf(facts));
      found += inside.length;
    }
    expect(found).toBeGreaterThan(2);
  });

  it('are told apart by one applicant', async () => {
    const difference = await findDifference(old, now, { at: DAY });
    if (difference.kind !== 'different') throw new Error(difference.kind);
    const read = readFactsLine(JSON.stringify(difference.example), now.facts, DAY);
    if ('problem' in read) throw new Error(read.problem);
    expect(outcomesOf(read.facts)).toEqual([difference.from, difference.to]);
  });
});

it('policies that treat what is unknown in another way differ in one region for each kind of change', async () => {
  const plain = generatePolicy(14, 1);
  const [review, ignore] = (['review', 'ignore'] as const).map((whenUnknown) => {
    return readGenerated({ ...plain, whenUnknown });
  }) as [Policy, Policy];
  const ids = 'rule-1, rule-2, rule-3, rule-4, rule-5, …';
  for (const [one, other] of [
    [review, ignore],
    [ignore, review],
  ] as const) {
    const { regions, elsewhere } = await diffPolicies(one, other, { at: DAY, steps: 10_000_000 });
    expect([regions.length, elsewhere]).toEqual([1, 'same']);
    const [{ conditions, from, to, contains, example }] = regions as [(typeof regions)[number]];
    const words = `the old policy decides ${from}, and the new policy decides ${to}`;
    expect(conditions).toEqual([`one of 14 rules is undetermined: ${ids}`, words]);
    expect(example).toEqual({ facts: {} });
    let found = 0;
    for (const facts of generateApplicants(100, 0.2, 3)) {
      const [before, after] = [one, other].map((policy) => matcherOf(policy).outcome(facts, DAY).outcome);
      expect(contains(facts)).toBe(before !== after);
      if (contains(facts)) expect([before, after]).toEqual([from, to]);
      found += Number(contains(facts));
    }
    expect(found).toBeGreaterThan(5);
  }
});

it('policies with other rules that decide everyone the same are proved to have no difference', async () => {
  const reject = '{ id: b, when: { phone.score: { above: 70 } }, then: reject }';
  const rules = (limit: number) =>
    `${HEAD}rules:\n  - { id: a, when: { phone.score: { above: ${limit} } }, then: review }\n  - ${reject}\n`;
  const [one, other] = [policyOf(rules(75)), policyOf(rules(79))];
  expect(await findDifference(one, other, { at: DAY })).toEqual({ kind: 'same' });
});
