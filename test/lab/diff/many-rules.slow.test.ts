/** Edits of all rules of a large policy, which are answered by smaller questions than what both policies decide. */

import { describe, expect, test } from 'vitest';
import { diffPolicies, findDifference } from '../../../src/lab/diff/diff.ts';
import { generatePolicy, readGenerated } from '../../bench/generate.ts';
import type { PlainRule } from '../../support/runners/plain.ts';
import { sampled } from '../../support/sampled.ts';

const DAY = '2026-06-01';
const RULES = sampled(24, 120);
/** A rule with several parts. */
const WEAKER = 7;

/** A generated policy with its rules written by De Morgan, one of them perhaps so that any of its parts is enough. */
function rewritten(weaker?: number) {
  const plain = generatePolicy(RULES, 7);
  const rules = (plain.rules ?? []).map((rule, at) => {
    const parts: readonly unknown[] =
      typeof rule.when === 'object' && 'all' in rule.when ? (rule.when.all as readonly unknown[]) : [rule.when];
    const negated = parts.map((part) => ({ not: part }));
    return { ...rule, when: { not: at === weaker ? { all: negated } : { any: negated } } };
  });
  return readGenerated({ ...plain, rules: rules as readonly PlainRule[] });
}

describe('rules that are only written differently', () => {
  const plain = readGenerated(generatePolicy(RULES, 7));

  test('are proved to decide the same, however many they are', async () => {
    const now = rewritten();
    const { regions, elsewhere, edits } = await diffPolicies(plain, now, { at: DAY, steps: 15_000_000 });
    expect([regions, elsewhere]).toEqual([[], 'same']);
    expect(edits).toHaveLength(RULES);
    expect(new Set(edits.map(({ text }) => text.replace(/^rule \S+: /, '')))).toEqual(
      new Set(['the condition is written differently and means the same']),
    );
    expect(await findDifference(plain, now, { at: DAY, steps: 15_000_000 })).toEqual({ kind: 'same' });
  });

  test('hide no edit beside them', async () => {
    const now = rewritten(WEAKER);
    const { regions, edits } = await diffPolicies(plain, now, { at: DAY, steps: 15_000_000, mostRegions: 3 });
    expect(regions.length).toBeGreaterThan(0);
    expect(edits.filter(({ text }) => text.endsWith('means the same'))).toHaveLength(RULES - 1);
  });
});

describe('another `whenUnknown` of a large policy', () => {
  const plain = generatePolicy(sampled(40, 300), 7);
  const [asking, ignoring] = [readGenerated(plain), readGenerated({ ...plain, whenUnknown: 'ignore' })];

  test.each([
    ['review', 'accept', asking, ignoring],
    ['accept', 'review', ignoring, asking],
  ] as const)('changes %s to %s and nothing else: proved', async (from, to, old, now) => {
    const { regions, elsewhere } = await diffPolicies(old, now, { at: DAY, steps: 25_000_000 });
    expect(regions).toMatchObject([{ from, to }]);
    expect(elsewhere).toBe('same');
  });

  const scored = Array.from(
    { length: 30 },
    (_, i): PlainRule => ({ id: `r${i}`, when: { 'phone.score': { above: i } }, points: 5 }),
  );
  const lowering: PlainRule = { id: 'known', when: { 'phone.type': 'mobile' }, points: -60 };

  test.each([
    // Points below 0 that are left open lower the score: to ignore them can make an outcome stricter.
    ['points below 0', [...scored, lowering], { review: 40, reject: 100 }, ['review accept', 'review reject']],
    ['a higher band', scored, { reject: 120 }, ['reject accept', 'review accept']],
  ] as const)('changes what %s change too', async (_, rules, score, changes) => {
    const old = readGenerated({ default: 'accept', score: { ...score, reject: 100 }, rules, whenUnknown: 'review' });
    const now = readGenerated({ default: 'accept', score, rules, whenUnknown: 'ignore' });
    const { regions, elsewhere } = await diffPolicies(old, now, { at: DAY });
    expect([...new Set(regions.map(({ from, to }) => `${from} ${to}`))].sort()).toEqual(changes);
    expect(elsewhere).toBe('same');
  });
});
