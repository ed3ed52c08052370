/** `diffPolicies` against the matcher, on random policies and random edits of them. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../src/decision/matcher/matcher.ts';
import { readFactsLine } from '../../src/facts/facts-line.ts';
import { diffPolicies } from '../../src/lab/diff/diff.ts';
import type { DiffRegion } from '../../src/lab/diff/region.ts';
import { OUTCOMES, type Policy } from '../../src/policy/language.ts';
import { aCase } from '../support/runners/arbitrary.ts';
import { loadPolicyAsIs, readPlainFacts } from '../support/runners/case.ts';
import type { PlainPolicy, PlainRule } from '../support/runners/plain.ts';
import { sampled } from '../support/sampled.ts';

const folder = mkdtempSync(join(tmpdir(), 'verdict-lab-'));

type Edit = (policy: PlainPolicy, die: number) => PlainPolicy;

/** Changes one rule of the policy's own. */
function onRule(change: (rule: PlainRule, die: number) => PlainRule | undefined): Edit {
  return (policy, die) => {
    const rules = policy.rules ?? [];
    const at = die % Math.max(1, rules.length);
    return { ...policy, rules: rules.flatMap((rule, i) => (i === at ? (change(rule, die >> 3) ?? []) : rule)) };
  };
}

/** The same data with each number moved by one. */
function moved(data: unknown): unknown {
  if (typeof data === 'number') return data + 1;
  if (Array.isArray(data)) return data.map(moved);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, moved(value)]));
}

// biome-ignore-start lint/suspicious/noThenProperty: a key of the policy language.
const EDITS: Readonly<Record<string, Edit>> = {
  'a rule less': onRule(() => undefined),
  'another outcome': onRule((rule, die) => ({ ...rule, then: OUTCOMES[die % 3] ?? 'review' })),
  'final or not': onRule((rule) => ({ ...rule, final: !rule.final, then: rule.then ?? 'review' })),
  'unknown ignored or not': onRule((rule) => ({
    ...rule,
    whenUnknown: rule.whenUnknown === 'ignore' ? 'review' : 'ignore',
  })),
  'more points': onRule((rule, die) => ({ ...rule, points: (die % 60) + 5 })),
  'numbers of a condition': onRule((rule) => ({ ...rule, when: moved(rule.when) as PlainRule['when'] })),
  'a condition negated': onRule((rule) => ({ ...rule, when: { not: rule.when } })),
  'another default': (policy, die) => ({ ...policy, default: OUTCOMES[die % 3] ?? 'review' }),
  'other bands': (policy, die) => ({ ...policy, score: { review: (die % 50) + 1, reject: (die % 50) + 40 } }),
};

// biome-ignore-end lint/suspicious/noThenProperty: see above.

/** The policy, or undefined if the edit is not allowed in it. */
function load(policy: PlainPolicy) {
  try {
    return loadPolicyAsIs(policy, folder);
  } catch {
    return undefined;
  }
}

/** The facts of an example, as `evaluate` reads them. */
function factsOf(example: object, { facts: table }: Policy, day: string) {
  const read = readFactsLine(JSON.stringify(example), table, day);
  if ('problem' in read) throw new Error(read.problem);
  return read.facts;
}

const count = sampled(18, 3000);

describe('the regions of a difference', () => {
  it('have exactly the applicants that are decided differently, each once', async () => {
    const cases = fc.sample(fc.tuple(aCase({ applicants: 40 }), fc.nat(1e6)), count);
    let differing = 0;
    for (const [i, [{ policy: plain, applicants, day }, die]] of cases.entries()) {
      const [name, edit] = Object.entries(EDITS)[i % Object.keys(EDITS).length] as [string, Edit];
      const [old, now] = [load(plain), load(edit(plain, die))];
      if (!old || !now) continue;
      const diff = await diffPolicies(old, now, { at: day, timeoutMs: 1_500 });
      const decide = [old, now].map((policy) => {
        const matcher = matcherOf(policy);
        return (facts: Parameters<typeof matcher.outcome>[0]) => matcher.outcome(facts, day).outcome;
      });
      const isOf = ({ from, to }: DiffRegion, facts: Parameters<DiffRegion['contains']>[0]) =>
        decide[0]?.(facts) === from && decide[1]?.(facts) === to;
      for (const region of diff.regions) {
        if (!region.example) continue;
        expect(isOf(region, factsOf(region.example, now, day)), `${name}, an example`).toBe(true);
      }
      const others = applicants.map((given) => readPlainFacts(given, old, day));
      for (const facts of [
        ...others,
        ...diff.regions.flatMap(({ example }) => (example ? factsOf(example, now, day) : [])),
      ]) {
        const found = diff.regions.filter(({ contains }) => contains(facts));
        const isDifferent = decide[0]?.(facts) !== decide[1]?.(facts);
        if (isDifferent) differing += 1;
        const isListed = diff.elsewhere === 'same';
        const shown = `${name}, case ${i}`;
        expect(found.length, shown).toBeLessThanOrEqual(1);
        if (isListed) expect(found.length === 1, shown).toBe(isDifferent);
        for (const region of found) expect(isOf(region, facts), shown).toBe(true);
      }
    }
    expect(differing).toBeGreaterThan(5);
  }, 600_000);
});
