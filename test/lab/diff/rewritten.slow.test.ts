/** Rules that are written differently and mean the same: they leave the question, and the edits say so. */

import { describe, expect, test } from 'vitest';
import { diffPolicies, findDifference } from '../../../src/lab/diff/diff.ts';

import { generatePolicy, readGenerated } from '../../bench/generate.ts';
import type { PlainRule } from '../../support/runners/plain.ts';

const DAY = '2026-06-01';
const RULES = 120;
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

  test('are proved to decide the same, however many they are', { timeout: 60_000 }, async () => {
    const now = rewritten();
    const { regions, elsewhere, edits } = await diffPolicies(plain, now, { at: DAY, timeoutMs: 30_000 });
    expect([regions, elsewhere]).toEqual([[], 'same']);
    expect(edits).toHaveLength(RULES);
    expect(new Set(edits.map(({ text }) => text.replace(/^rule \S+: /, '')))).toEqual(
      new Set(['the condition is written differently and means the same']),
    );
    expect(await findDifference(plain, now, { at: DAY, timeoutMs: 30_000 })).toEqual({ kind: 'same' });
  });

  test('hide no edit beside them', { timeout: 60_000 }, async () => {
    const now = rewritten(WEAKER);
    const { regions, edits } = await diffPolicies(plain, now, { at: DAY, timeoutMs: 30_000, mostRegions: 3 });
    expect(regions.length).toBeGreaterThan(0);
    expect(edits.filter(({ text }) => text.endsWith('means the same'))).toHaveLength(RULES - 1);
  });
});
