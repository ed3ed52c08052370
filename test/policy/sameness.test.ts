/** What says whether parts of policies are the same: every key of a rule, a policy and a test, flipped. */

import { describe, expect, it, test } from 'vitest';
import { describeEdits } from '../../src/lab/diff/edits/describe-edits.ts';
import { splitRules } from '../../src/lab/diff/search.ts';
import { changeKey } from '../../src/lab/mutate/policy-change.ts';
import { createSpace } from '../../src/lab/space/space.ts';
import { changedSince } from '../../src/lab/test/coverage/coverage.ts';
import { OF_ALL_DAYS } from '../../src/lab/test/coverage/items.ts';
import type { Policy, Rule, Test } from '../../src/policy/language.ts';
import { type Aspect, OUTCOME, POLICY_ASPECTS, RULE_ASPECTS } from '../../src/policy/sameness.ts';
import { policyOf, readPolicyText } from '../support/policy/policy.ts';

const DAY = '2026-06-01';

const RULE = {
  ...{ id: 'one', when: { 'phone.score': { atLeast: 80 } }, then: 'review', points: 10, reason: 'ONE' },
  ...{ message: 'high', notice: 'sorry', from: '2026-01-01', until: '2026-12-31', owner: 'ann', tags: ['a'] },
  description: 'the first',
};

/** Each key of a rule with another value. */
const RULE_FLIPS: Readonly<Record<keyof Rule, object>> = {
  id: { id: 'two' },
  when: { when: { 'phone.score': { atLeast: 81 } } },
  then: { then: 'reject' },
  points: { points: 11 },
  final: { final: true },
  whenUnknown: { whenUnknown: 'ignore' },
  reason: { reason: 'TWO' },
  message: { message: 'low' },
  notice: { notice: 'thanks' },
  shadow: { mode: 'shadow' },
  from: { from: '2026-07-01' },
  until: { until: '2026-05-01' },
  description: { description: 'the last' },
  owner: { owner: 'bob' },
  tags: { tags: ['b'] },
};

const POLICY = {
  ...{ policy: 'test', version: '1', default: 'accept', description: 'the first', defaultNotice: 'sorry' },
  score: { review: 20, notice: 'sorry' },
  stages: [['phoneNo'], ['phoneNo', 'email']],
};

type SettingKey = Exclude<keyof Policy, 'digest' | (typeof PARTS)[number]>;
const PARTS = ['facts', 'rules', 'guarantees', 'conditions', 'lists', 'parameters'] as const;

/** Each setting of a policy with another value. */
const POLICY_FLIPS: Readonly<Record<SettingKey, object>> = {
  name: { policy: 'other' },
  version: { version: '2' },
  description: { description: 'the last' },
  default: { default: 'reject' },
  score: { score: { review: 21, notice: 'sorry' } },
  scoreNotices: { score: { review: { atLeast: 20, notice: 'thanks' } } },
  defaultNotice: { defaultNotice: 'thanks' },
  timeZone: { timeZone: 'Asia/Tokyo' },
  stages: { stages: [['phoneNo', 'email']] },
};

function policyWith(rule: object, settings: object = {}): Policy {
  return policyOf(JSON.stringify({ ...POLICY, ...settings, rules: [rule] }));
}

function ownRules(old: Policy, now: Policy): number {
  return splitRules(createSpace([old, now], DAY)).own.flat().length;
}

function touched(old: Policy, now: Policy): boolean {
  const item = { ...OF_ALL_DAYS, key: 'rule', kind: 'rule', name: 'one', rules: [0], goals: [] } as const;
  return changedSince(old, now)(item);
}

function mutantKey({ default: fallback, score, rules }: Policy): string {
  return changeKey({ default: fallback, score, rules: new Map(rules.entries()) });
}

/** Who compares rules: whether they see a change, and the aspects for which they have to. */
const READERS: Readonly<Record<string, readonly [sees: (old: Policy, now: Policy) => boolean, ...Aspect[]]>> = {
  edits: [
    (old, now) => describeEdits(old, now).length > 0,
    ...(['name', 'condition', 'outcome', 'unknown', 'reasons', 'activity', 'text'] as const),
  ],
  coverage: [touched, 'condition', 'outcome', 'unknown', 'reasons', 'activity'],
  mutants: [(old, now) => mutantKey(old) !== mutantKey(now), 'condition', 'outcome', 'unknown', 'activity'],
  effects: [(old, now) => !OUTCOME.isSameEffect(old.rules[0] as Rule, now.rules[0] as Rule), 'outcome', 'unknown'],
  diff: [(old, now) => ownRules(old, now) > 0, 'condition', 'outcome', 'unknown', 'activity'],
};

describe.each(Object.entries(READERS))('a changed rule in the %s', (_, [sees, ...aspects]) => {
  test.each(Object.entries(RULE_ASPECTS))('with another %s, which is its %s', (key, aspect) => {
    const [old, now] = [policyWith(RULE), policyWith({ ...RULE, ...RULE_FLIPS[key as keyof Rule] })];
    const [before, after] = [old, now].map(({ rules: [rule] }) => rule as Rule);
    const differing = Object.keys(RULE_ASPECTS).filter(
      (each) => JSON.stringify(before?.[each as keyof Rule]) !== JSON.stringify(after?.[each as keyof Rule]),
    );
    expect(differing).toEqual([key]);
    expect(sees(old, now)).toBe(aspects.includes(aspect));
    expect(sees(old, policyWith(RULE))).toBe(false);
  });
});

describe('a changed setting of a policy', () => {
  const settings = Object.entries(POLICY_ASPECTS).filter(([key]) => key in POLICY_FLIPS);

  test.each(settings)('%s, which is its %s', (key, aspect) => {
    const [old, now] = [policyWith(RULE), policyWith(RULE, POLICY_FLIPS[key as SettingKey])];
    expect(describeEdits(old, now)).toHaveLength(1);
    expect(OUTCOME.settingsOf(old) !== OUTCOME.settingsOf(now)).toBe(aspect === 'outcome');
    expect(OUTCOME.areSameSettings(old, now)).toBe(aspect !== 'outcome');
    expect(OUTCOME.areSameSettings(old, policyWith(RULE))).toBe(true);
    expect(mutantKey(old) !== mutantKey(now)).toBe(aspect === 'outcome');
  });
});

describe('the condition of a second rule', () => {
  const both = (when: object) => ({ all: [{ 'phone.valid': true }, when] });

  /** Whether the checks take two rules for rules of one condition. */
  function areSame(one: object, other: object): boolean {
    const rules = [one, other].map((when, i) => ({ ...RULE, id: `r${i}`, when, points: i }));
    const { diagnostics } = readPolicyText(JSON.stringify({ ...POLICY, rules }));
    return diagnostics.some(({ code }) => code === 'same-condition');
  }

  const FLIPS: Readonly<Record<keyof Pick<Test, 'fact' | 'operator' | 'argument' | 'other'>, readonly object[]>> = {
    fact: [RULE.when, { 'email.address.score': { atLeast: 80 } }],
    operator: [RULE.when, { 'phone.score': { above: 80 } }],
    argument: [RULE.when, { 'phone.score': { atLeast: 81 } }],
    other: ['email.address.score', 'email.domain.score'].map((fact) => ({ 'phone.score': { atLeast: { fact } } })),
  };

  it.each(Object.entries(FLIPS))('is another one with another %s', (_, [one = {}, other = {}]) => {
    expect(areSame(one, other)).toBe(false);
    expect(areSame(both(one), both(other))).toBe(false);
    expect(areSame(both(other), both(other))).toBe(true);
  });

  it.each([
    ['parts', { any: [RULE.when, { 'phone.valid': true }] }, { any: [{ 'phone.valid': true }, RULE.when] }],
    ['values', { 'phone.type': ['voip', 'pager'] }, { 'phone.type': ['pager', 'voip'] }],
  ])('is the same with its %s in another order', (_, one, other) => {
    expect(areSame(one, other)).toBe(true);
    const [old, now] = [one, other].map((when) => policyWith({ ...RULE, when })) as [Policy, Policy];
    for (const [sees] of Object.values(READERS)) expect(sees(old, now)).toBe(false);
  });
});
